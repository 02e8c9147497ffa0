package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"sarathi/internal/algo/costmap"
	"sarathi/internal/algo/mapfile"
	"sarathi/internal/algo/planner"
	"sarathi/internal/geom"
)

// planPath is `sarathi plan path`.
type planPath struct {
	Map     string  `required:"" placeholder:"FILE" help:"The site's map.yaml."`
	From    string  `required:"" placeholder:"X,Y" help:"Where the path begins, in metres of the map frame."`
	To      string  `required:"" placeholder:"X,Y" help:"Where it ends; a third number is the heading there in degrees."`
	Length  float64 `default:"0.8" range:"0.1..3" placeholder:"M" help:"Length of the robot (${default})."`
	Width   float64 `default:"0.56" range:"0.1..3" placeholder:"M" help:"Width of the robot (${default})."`
	Unknown bool    `help:"Allow ways through what nobody knows."`
	PNG     string  `name:"png" placeholder:"FILE" help:"Draw map, costs and path."`
}

// pathResult is what was found.
type pathResult struct {
	LengthM float64      `json:"length_m"`
	ShortM  float64      `json:"short_m"` // from the end of the path to the goal
	PlanMS  float64      `json:"plan_ms"` // processor time
	PrepMS  float64      `json:"prepare_ms"`
	Points  [][3]float64 `json:"points"` // x, y [m] and yaw [rad], map frame
}

// Run plans and prints the path. Where none exists it says why and ends with exit code 1.
func (c *planPath) Run(e *env) error {
	from, err := parsePlace("--from", c.From)
	if err != nil {
		return err
	}
	to, err := parsePlace("--to", c.To)
	if err != nil {
		return err
	}
	site, err := mapfile.LoadSite(c.Map)
	if err != nil {
		return &usageError{err}
	}
	began := e.processorTime()
	m, err := c.costmap(site)
	if err != nil {
		return usage("%s: %w", c.Map, err)
	}
	cfg := planner.Default()
	cfg.AllowUnknown = c.Unknown
	p, err := planner.New(cfg)
	if err != nil {
		return err
	}
	prepared := e.processorTime()
	path, err := p.Plan(m, from, to)
	switch {
	case errors.Is(err, planner.ErrStartOutside), errors.Is(err, planner.ErrGoalOutside):
		return usage("%w", err)
	case err != nil:
		return err
	}
	result := pathResult{
		LengthM: round(path.Length), ShortM: round(path.Short),
		PrepMS: milliseconds(prepared - began), PlanMS: milliseconds(e.processorTime() - prepared),
	}
	for _, q := range path.Poses {
		result.Points = append(result.Points, [3]float64{round(q.X), round(q.Y), round(q.Theta)})
	}
	if c.PNG != "" {
		if err := savePicture(c.PNG, m, path.Poses); err != nil {
			return err
		}
	}
	return result.print(e)
}

// round drops digits below a tenth of a millimetre.
func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }

func (c *planPath) costmap(m *mapfile.Map) (*costmap.Map, error) {
	cfg := costmap.Default()
	x, y := c.Length/2, c.Width/2
	cfg.Footprint = geom.Polygon{{X: x, Y: y}, {X: -x, Y: y}, {X: -x, Y: -y}, {X: x, Y: -y}}
	cfg.InflationRadius = max(cfg.InflationRadius, cfg.Footprint.Circumradius())
	return costmap.New(cfg, costmap.Geometry{Width: m.Width, Height: m.Height, Resolution: m.Meta.Resolution, Origin: m.Meta.Origin}, m.Cells)
}

func (r *pathResult) print(e *env) error {
	if e.json {
		return e.printJSON(r)
	}
	short := ""
	if r.ShortM > 0 {
		short = fmt.Sprintf(", ends %.2f m from the goal", r.ShortM)
	}
	fmt.Fprintf(e.stdout, "%.2f m, %d points%s; %.1f ms to plan, %.1f ms to prepare the map\n", r.LengthM, len(r.Points), short, r.PlanMS, r.PrepMS)
	for _, p := range r.Points {
		fmt.Fprintf(e.stdout, "%.3f %.3f %.1f\n", p[0], p[1], p[2]*180/math.Pi)
	}
	return nil
}

// parsePlace reads x,y or x,y,heading in degrees.
func parsePlace(flag, text string) (geom.Pose2, error) {
	parts := strings.Split(text, ",")
	var n [3]float64
	ok := len(parts) == 2 || len(parts) == 3
	for i := 0; ok && i < len(parts); i++ {
		v, err := strconv.ParseFloat(strings.TrimSpace(parts[i]), 64)
		n[i], ok = v, err == nil && geom.Finite(v)
	}
	if !ok {
		return geom.Pose2{}, usage("%s %s: write two numbers, as in %s 1.5,-2, in metres; a third is the heading in degrees", flag, text, flag)
	}
	return geom.Pose2{X: n[0], Y: n[1], Theta: geom.NormalizeAngle(n[2] * math.Pi / 180)}, nil
}
