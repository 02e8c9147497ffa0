package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"sarathi/internal/algo/costmap"
	"sarathi/internal/algo/mapfile"
	"sarathi/internal/algo/pursuit"
	"sarathi/internal/algo/route"
	"sarathi/internal/geom"
)

// routeCommands is `sarathi route`.
type routeCommands struct {
	Check routeCheck `cmd:"" help:"Check whether a taught route can be walked."`
	Show  routeShow  `cmd:"" help:"Print a taught route as it is walked, point by point."`
}

// routeFile is what both commands take.
type routeFile struct {
	File string `arg:"" help:"Route of a site (<site>/routes/<name>.csv)."`
	Map  string `placeholder:"FILE" help:"Map to hold it against (default: the map.yaml of its site, if there is one)."`
	PNG  string `name:"png" placeholder:"FILE" help:"Draw the route on the map."`
}

// routeCheck is `sarathi route check`.
type routeCheck struct{ routeFile }

// routeShow is `sarathi route show`.
type routeShow struct{ routeFile }

// routeReport is what is known about a route.
type routeReport struct {
	File       string      `json:"file"`
	Points     int         `json:"points"` // as it is walked
	Stops      []routeStop `json:"stops"`
	LengthM    float64     `json:"length_m"`
	Loop       bool        `json:"loop"`
	MovedM     float64     `json:"moved_m"`         // by smoothing, at most
	Bend       float64     `json:"max_curvature"`   // [1/m]
	DurationS  float64     `json:"duration_s"`      // of one lap with its stops
	Clearance  *float64    `json:"min_clearance_m"` // from the middle of the robot, up to 2 m; null: no map
	Problems   []string    `json:"problems"`
	OK         bool        `json:"ok"`
	way        []route.Point
	background *costmap.Map
}

// routeStop is a stop point.
type routeStop struct {
	AtM    float64 `json:"at_m"` // along the route
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	YawDeg float64 `json:"yaw_deg"`
	DwellS float64 `json:"dwell_s"`
}

// Run prints what there is to say about the route. One that cannot be walked ends with exit code 1.
func (c *routeCheck) Run(e *env) error {
	r, err := c.read()
	if err != nil {
		return err
	}
	if e.json {
		err = e.printJSON(r)
	} else {
		r.print(e)
	}
	if err == nil && !r.OK {
		return &verdictError{"the route cannot be walked"}
	}
	return err
}

// Run prints the points.
func (c *routeShow) Run(e *env) error {
	r, err := c.read()
	if err != nil {
		return err
	}
	points := [][4]float64{}
	for _, p := range r.way {
		points = append(points, [4]float64{round(p.X), round(p.Y), round(p.Yaw * 180 / math.Pi), p.Dwell})
	}
	if e.json {
		return e.printJSON(struct {
			*routeReport
			Way [][4]float64 `json:"way"` // x, y [m], heading [deg], wait [s]
		}{r, points})
	}
	fmt.Fprint(e.stdout, route.Header)
	for _, p := range points {
		fmt.Fprintf(e.stdout, "%.3f,%.3f,%.1f,%g\n", p[0], p[1], p[2], p[3])
	}
	return nil
}

func (f *routeFile) read() (*routeReport, error) {
	data, err := os.ReadFile(f.File)
	if err != nil {
		return nil, usage("%s: %w: name a route's CSV file", f.File, cause(err))
	}
	points, err := route.Parse(data)
	if err != nil {
		return nil, usage("%s: %w", f.File, err)
	}
	prepared, err := route.Prepare(points, route.Default())
	if err != nil {
		return nil, usage("%s: %w", f.File, err)
	}
	track, err := pursuit.NewTrack(prepared.Points, pursuit.Default())
	if err != nil {
		return nil, usage("%s: %w", f.File, err)
	}
	r := &routeReport{
		File: f.File, Points: track.Len(), Stops: []routeStop{}, LengthM: round(prepared.Length), Loop: prepared.Loop, MovedM: round(prepared.Moved),
		Problems: []string{}, way: prepared.Points,
	}
	r.measure(track)
	if err := f.hold(r); err != nil {
		return nil, err
	}
	r.OK = len(r.Problems) == 0
	return r, f.draw(r)
}

// measure adds what the track knows.
func (r *routeReport) measure(track *pursuit.Track) {
	for i := range track.Len() {
		p := track.Point(i)
		r.Bend = max(r.Bend, round(track.Bend(i)))
		if i > 0 {
			r.DurationS += 2 * (track.At(i) - track.At(i-1)) / (track.Speed(track.At(i)) + track.Speed(track.At(i-1)))
		}
		if p.Stop() {
			r.DurationS += p.Dwell
			r.Stops = append(r.Stops, routeStop{round(track.At(i)), round(p.X), round(p.Y), round(p.Yaw * 180 / math.Pi), p.Dwell})
		}
	}
	r.DurationS = math.Round(r.DurationS)
}

// hold holds the route against the map.
func (f *routeFile) hold(r *routeReport) error {
	name := f.Map
	if name == "" {
		name = filepath.Join(filepath.Dir(filepath.Dir(f.File)), "map.yaml")
		if _, err := os.Stat(name); err != nil {
			return nil //nolint:nilerr // a route without a map is checked as far as it can be
		}
	}
	site, err := mapfile.LoadSite(name)
	if err != nil {
		return &usageError{err}
	}
	g := costmap.Geometry{Width: site.Width, Height: site.Height, Resolution: site.Meta.Resolution, Origin: site.Meta.Origin}
	if r.background, err = costmap.New(costmap.Default(), g, site.Cells); err != nil {
		return usage("%s: %w", name, err)
	}
	const far = 2 // [m] clearance of which more is not worth knowing
	least := float64(far)
	outside, touching := firstPoint{}, firstPoint{}
	for i, p := range r.way {
		least = min(least, r.background.Clearance(p.Position(), far))
		switch c := r.background.Cell(p.Position()); {
		case !r.background.Holds(c):
			outside.note(i)
		case r.background.At(c) == costmap.Inscribed, r.background.At(c) == costmap.Lethal:
			touching.note(i)
		}
	}
	least = round(least)
	r.Clearance = &least
	r.complain("leads off the map", outside)
	r.complain("leads so near to obstacles that the robot touches them", touching)
	return nil
}

// firstPoint is where something was seen first, and how often it was.
type firstPoint struct{ index, count int }

func (f *firstPoint) note(i int) {
	if f.count++; f.count == 1 {
		f.index = i
	}
}

func (r *routeReport) complain(what string, f firstPoint) {
	if f.count > 0 {
		p := r.way[f.index]
		r.Problems = append(r.Problems, fmt.Sprintf("%s, first at %.2f, %.2f (%s)", what, p.X, p.Y, plural(f.count, "point")))
	}
}

func (f *routeFile) draw(r *routeReport) error {
	if f.PNG == "" {
		return nil
	}
	if r.background == nil {
		return usage("--png %s: there is no map to draw on: name one with --map", f.PNG)
	}
	poses := make([]geom.Pose2, len(r.way))
	for i, p := range r.way {
		poses[i] = p.Pose()
	}
	return savePicture(f.PNG, r.background, poses)
}

func (r *routeReport) print(e *env) {
	loop := ""
	if r.Loop {
		loop = ", a loop"
	}
	fmt.Fprintf(e.stdout, "%s: %.1f m%s, %d points, %s, about %.0f s\n", r.File, r.LengthM, loop, r.Points, plural(len(r.Stops), "stop"), r.DurationS)
	fmt.Fprintf(e.stdout, "  smoothing moves it by up to %.2f m; sharpest turn %.2f 1/m", r.MovedM, r.Bend)
	if r.Clearance != nil {
		fmt.Fprintf(e.stdout, "; nearest obstacle at %.2f m", *r.Clearance)
	}
	fmt.Fprintln(e.stdout)
	for i, s := range r.Stops {
		fmt.Fprintf(e.stdout, "  stop %d at %.1f m: %.2f, %.2f, %.0f deg, %g s\n", i+1, s.AtM, s.X, s.Y, s.YawDeg, s.DwellS)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(e.stdout, "  PROBLEM: it %s\n", p)
	}
}
