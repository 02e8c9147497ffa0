package scenes

import (
	"errors"
	"fmt"
	"math"
	"time"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/algo/tag36h11"
	"sarathi/internal/geom"
)

// Scene is a world before anything moves. The tags serve internal/config.
type Scene struct {
	Name      string      `doc:"for messages"`
	Bounds    *[4]float64 `doc:"outer fence: x, y of two opposite corners" unit:"m"`
	Map       string      `doc:"map_server YAML that is part of the world, relative to the scene"`
	MapHeight float64     `doc:"height of the map's occupied cells" unit:"m"`
	Start     *Pose       `doc:"where a robot begins; the most open free place when not given"`
	Charger   *Pose       `doc:"where base_link stands when the robot is docked"`
	Walls     []Wall      `doc:"polylines"`
	Boxes     []Box       `doc:"furniture"`
	Circles   []Circle    `doc:"pillars, bins"`
	Doors     []Door      `doc:"sliding doors"`
	People    []Person    `doc:"who walks about"`
	Tags      []Tag       `doc:"AprilTags of the family 36h11"`

	// Grid is the map that Map names; Load fills it in.
	Grid *mapfile.Map `yaml:"-"`
}

// Pose is a place in the map frame.
type Pose struct {
	X      float64 `doc:"in the map frame" unit:"m"`
	Y      float64 `doc:"in the map frame" unit:"m"`
	YawDeg float64 `doc:"heading, counter-clockwise from x" unit:"°"`
}

// Pose2 is the pose in radians.
func (p Pose) Pose2() geom.Pose2 { return geom.Pose2{X: p.X, Y: p.Y, Theta: radians(p.YawDeg)} }

// Wall is a polyline that stands upright.
type Wall struct {
	Name   string       `doc:"for messages"`
	Points [][2]float64 `doc:"corners, in order" unit:"m"`
	Closed bool         `doc:"the last corner joins the first"`
	Bottom float64      `doc:"lower edge above the floor" unit:"m"`
	Height float64      `doc:"upper edge above the floor" unit:"m"`
}

// Box is an upright cuboid around its centre.
type Box struct {
	Name   string     `doc:"for messages"`
	X      float64    `doc:"centre" unit:"m"`
	Y      float64    `doc:"centre" unit:"m"`
	YawDeg float64    `doc:"direction of its length" unit:"°"`
	Size   [2]float64 `doc:"length and width" unit:"m"`
	Bottom float64    `doc:"lower edge above the floor" unit:"m"`
	Height float64    `doc:"upper edge above the floor" unit:"m"`
}

// Outline is the box in the floor plan, counter-clockwise.
func (b Box) Outline() geom.Polygon {
	l, w := b.Size[0]/2, b.Size[1]/2
	return geom.Polygon{{X: l, Y: w}, {X: -l, Y: w}, {X: -l, Y: -w}, {X: l, Y: -w}}.
		Transform(geom.Pose2{X: b.X, Y: b.Y, Theta: radians(b.YawDeg)})
}

// Circle is an upright cylinder.
type Circle struct {
	Name   string  `doc:"for messages"`
	X      float64 `doc:"centre" unit:"m"`
	Y      float64 `doc:"centre" unit:"m"`
	Radius float64 `doc:"radius" unit:"m"`
	Bottom float64 `doc:"lower edge above the floor" unit:"m"`
	Height float64 `doc:"upper edge above the floor" unit:"m"`
}

// Door is a leaf between two points that slides into the first one. It never pushes: it waits for whoever stands in it.
type Door struct {
	Name     string        `doc:"to open and close it, and for messages"`
	From     [2]float64    `doc:"side the leaf slides into" unit:"m"`
	To       [2]float64    `doc:"other side" unit:"m"`
	Height   float64       `doc:"of the leaf" unit:"m"`
	Open     bool          `doc:"at the beginning"`
	Travel   time.Duration `doc:"from closed to open"`
	Schedule []DoorEvent   `doc:"when it opens and closes, in order"`
	Repeat   time.Duration `doc:"period of the schedule; 0 runs it once"`
}

// DoorEvent is a change of a door.
type DoorEvent struct {
	At   time.Duration `doc:"since the beginning"`
	Open bool          `doc:"open or close"`
}

// Person is an upright cylinder that walks from waypoint to waypoint.
type Person struct {
	Name        string     `doc:"to direct them, and for messages"`
	Waypoints   []Waypoint `doc:"the first one is where they begin"`
	Speed       float64    `doc:"of walking" unit:"m/s"`
	SpeedSpread float64    `doc:"part of speed that the seed adds or takes away for each leg"`
	Loop        bool       `doc:"from the last waypoint to the first, for ever"`
	KeepOff     float64    `doc:"how near they go to a robot by themselves; 0 walks into it" unit:"m"`
	Radius      float64    `doc:"of the body" unit:"m"`
	Height      float64    `doc:"of the body" unit:"m"`
}

// Waypoint is a place a person goes to, and how long they stay.
type Waypoint struct {
	X     float64       `doc:"in the map frame" unit:"m"`
	Y     float64       `doc:"in the map frame" unit:"m"`
	Pause time.Duration `doc:"stay"`
}

// Point is the place.
func (w Waypoint) Point() geom.Vec2 { return geom.Vec2{X: w.X, Y: w.Y} }

// Tag is an upright AprilTag of the family 36h11.
type Tag struct {
	ID     int     `doc:"0 to 586"`
	Size   float64 `doc:"edge of the black square; a white margin of an eighth surrounds it" unit:"m"`
	X      float64 `doc:"centre" unit:"m"`
	Y      float64 `doc:"centre" unit:"m"`
	Z      float64 `doc:"centre above the floor" unit:"m"`
	YawDeg float64 `doc:"direction the tag faces" unit:"°"`
}

// Heights that a scene need not give [m].
const (
	wallHeight   = 2.5
	boxHeight    = 0.8
	doorHeight   = 2.1
	personHeight = 1.7
)

// Default is a scene without anything in it.
func Default() Scene { return Scene{MapHeight: wallHeight} }

// SetDefaults prepares a wall that a file describes.
func (w *Wall) SetDefaults() { w.Height = wallHeight }

// SetDefaults prepares a box that a file describes.
func (b *Box) SetDefaults() { b.Height = boxHeight }

// SetDefaults prepares a circle that a file describes.
func (c *Circle) SetDefaults() { c.Height = wallHeight }

// SetDefaults prepares a door that a file describes.
func (d *Door) SetDefaults() { d.Height, d.Travel = doorHeight, time.Second }

// SetDefaults prepares a person that a file describes.
func (p *Person) SetDefaults() { *p = DefaultPerson() }

// SetDefaults prepares a tag that a file describes.
func (t *Tag) SetDefaults() { t.Size, t.Z = 0.16, 0.5 }

// DefaultPerson is an adult who strolls round and round, without waypoints.
func DefaultPerson() Person {
	return Person{Speed: 1, SpeedSpread: 0.1, Loop: true, KeepOff: 0.5, Radius: 0.25, Height: personHeight}
}

// maxCoordinate bounds positions [m]: beyond it a digit of a float64 is no longer a nanometre.
const maxCoordinate = 1e5

// Validate reports every value that no world can have, joined, each beginning with its key.
func (s Scene) Validate() error {
	var f faults
	if b := s.Bounds; b != nil {
		f.place("bounds", b[0], b[1])
		f.place("bounds", b[2], b[3])
		f.require(b[0] < b[2] && b[1] < b[3], "bounds", "the second corner is not above and right of the first: write [x_min, y_min, x_max, y_max]")
	}
	f.within("map_height", s.MapHeight, 0.01, 100)
	seen := make(map[string]bool)
	for i, d := range s.Doors {
		f.unique(fmt.Sprintf("doors[%d].name", i), d.Name, seen)
	}
	for i, p := range s.People {
		f.unique(fmt.Sprintf("people[%d].name", i), p.Name, seen)
	}
	return f.err()
}

// Validate reports a position that is out of reach.
func (p Pose) Validate() error {
	var f faults
	f.place("x", p.X, p.Y)
	f.within("yaw_deg", p.YawDeg, -360, 360)
	return f.err()
}

// Validate reports what makes it no wall.
func (w Wall) Validate() error {
	var f faults
	least := 2
	if w.Closed {
		least = 3
	}
	f.require(len(w.Points) >= least, "points", "%d corners make no wall: write at least %d", len(w.Points), least)
	for i, p := range w.Points {
		f.place(fmt.Sprintf("points[%d]", i), p[0], p[1])
	}
	f.heights(w.Bottom, w.Height)
	return f.err()
}

// Validate reports what makes it no box.
func (b Box) Validate() error {
	var f faults
	f.place("x", b.X, b.Y)
	f.within("yaw_deg", b.YawDeg, -360, 360)
	f.within("size[0]", b.Size[0], 0.001, 1000)
	f.within("size[1]", b.Size[1], 0.001, 1000)
	f.heights(b.Bottom, b.Height)
	return f.err()
}

// Validate reports what makes it no cylinder.
func (c Circle) Validate() error {
	var f faults
	f.place("x", c.X, c.Y)
	f.within("radius", c.Radius, 0.001, 100)
	f.heights(c.Bottom, c.Height)
	return f.err()
}

// Validate reports what makes it no door.
func (d Door) Validate() error {
	var f faults
	f.require(d.Name != "", "name", "is missing: name the door, so that it can be opened")
	f.place("from", d.From[0], d.From[1])
	f.place("to", d.To[0], d.To[1])
	f.require(math.Hypot(d.To[0]-d.From[0], d.To[1]-d.From[1]) >= 0.1, "to", "is less than 0.1 m from from: write the other side of the door")
	f.heights(0, d.Height)
	f.require(d.Travel >= 0 && d.Travel <= time.Minute, "travel", "%v is out of range 0s..1m", d.Travel)
	f.require(d.Repeat >= 0, "repeat", "%v is negative: write 0s to run the schedule once", d.Repeat)
	for i, e := range d.Schedule {
		path := fmt.Sprintf("schedule[%d].at", i)
		f.require(e.At >= 0, path, "%v is negative: write the time since the beginning", e.At)
		f.require(i == 0 || e.At > d.Schedule[i-1].At, path, "%v does not follow %v: write the schedule in order", e.At, d.Schedule[max(i-1, 0)].At)
		f.require(d.Repeat == 0 || e.At < d.Repeat, path, "%v is not below repeat, %v", e.At, d.Repeat)
	}
	return f.err()
}

// Validate reports what makes them no person.
func (p Person) Validate() error {
	var f faults
	f.require(p.Name != "", "name", "is missing: name the person, so that they can be directed")
	f.require(len(p.Waypoints) > 0, "waypoints", "are missing: write at least the place to stand at")
	for i, w := range p.Waypoints {
		f.place(fmt.Sprintf("waypoints[%d]", i), w.X, w.Y)
		f.require(w.Pause >= 0, fmt.Sprintf("waypoints[%d].pause", i), "%v is negative", w.Pause)
	}
	f.within("speed", p.Speed, 0.01, 5)
	f.within("speed_spread", p.SpeedSpread, 0, 0.9)
	f.within("keep_off", p.KeepOff, 0, 5)
	f.within("radius", p.Radius, 0.05, 1)
	f.within("height", p.Height, 0.2, 3)
	return f.err()
}

// Validate reports what makes it no tag.
func (t Tag) Validate() error {
	var f faults
	f.require(t.ID >= 0 && t.ID < tag36h11.Count, "id", "%d is not in the family 36h11: write 0 to %d", t.ID, tag36h11.Count-1)
	f.within("size", t.Size, 0.01, 5)
	f.place("x", t.X, t.Y)
	f.within("z", t.Z, 0, 100)
	f.within("yaw_deg", t.YawDeg, -360, 360)
	return f.err()
}

// faults collects plain errors that begin with the key, as internal/config expects from packages that do not import it.
type faults struct{ list []error }

func (f *faults) err() error { return errors.Join(f.list...) }

func (f *faults) require(holds bool, key, format string, args ...any) {
	if !holds {
		f.list = append(f.list, fmt.Errorf("%s: %s", key, fmt.Sprintf(format, args...)))
	}
}

func (f *faults) within(key string, v, lo, hi float64) {
	f.require(v >= lo && v <= hi, key, "%g is out of range %g..%g: write a value between them", v, lo, hi)
}

func (f *faults) place(key string, x, y float64) {
	f.require(math.Abs(x) <= maxCoordinate && math.Abs(y) <= maxCoordinate, key, "(%g, %g) is more than %g m away", x, y, maxCoordinate)
}

func (f *faults) heights(bottom, height float64) {
	f.within("bottom", bottom, 0, 100)
	f.require(height > bottom && height <= 100, "height", "%g is not between bottom, %g, and 100: write the upper edge above the floor", height, bottom)
}

func (f *faults) unique(key, name string, seen map[string]bool) {
	f.require(name == "" || !seen[name], key, "%q names two things: give each its own name", name)
	seen[name] = true
}

func radians(deg float64) float64 { return deg * math.Pi / 180 }
