package scenario

import (
	"math"
	"time"

	"sarathi/driver"
	"sarathi/internal/config"
)

// Event is something that happens to the robot or around it. Exactly one of the fields besides At is given. Like a step of
// the script, an event is late by a random time below the scenario's jitter.
type Event struct {
	At             time.Duration  `doc:"when, from the start"`
	PanicNode      string         `doc:"this node panics in its next handler"`
	CrashDriver    bool           `doc:"the body's driver dies: nothing is sensed and nothing is commanded any more"`
	Silence        *Outage        `doc:"a sensor stops reporting for a while"`
	Garble         *Outage        `doc:"a sensor reports NaN in place of numbers for a while"`
	HardwareEStop  *bool          `yaml:"hardware_estop" doc:"press (true) or pull out (false) the button on the body"`
	ClockJump      *time.Duration `doc:"the clock that nodes see jumps by this, forwards or backwards"`
	Temperature    *float64       `unit:"degC" doc:"the computer is this hot from now on"`
	Person         *Person        `doc:"a person appears, or is moved"`
	Door           *Door          `doc:"a door opens or closes"`
	NavigationGoes bool           `doc:"navigation is started or resumed by a deliberate act"`
	Request        string         `doc:"publish an e-stop request with this reason"`
}

// Outage is the time in which a sensor is of no use.
type Outage struct {
	Stream string        `doc:"stream of the body: odometry, imu, joints, battery, scan, points, image, …"`
	For    time.Duration `doc:"how long"`

	over bool // it ends; the pilot plays the end as an event of its own
}

// Over reports whether this is the end of the outage.
func (o Outage) Over() bool { return o.over }

// Validate reports an unknown stream and an outage without end.
func (o Outage) Validate() error {
	var p config.Problems
	if _, err := driver.ParseStream(o.Stream); err != nil {
		p.Addf("stream", "%v", err)
	}
	p.DurationInRange("for", o.For, time.Millisecond, 24*time.Hour)
	return p.Err()
}

// Person places somebody in the world: at X and Y, or before one side of the robot wherever it is, as far from its outline
// as Ahead, Behind, Left or Right says. They stay there, unless they are given a way to walk.
type Person struct {
	Name   string       `doc:"name in the report; a person of that name is moved if there is one"`
	X      float64      `unit:"m" doc:"where, in the map frame"`
	Y      float64      `unit:"m" doc:"where, in the map frame"`
	Ahead  *float64     `unit:"m" doc:"instead of x and y: this far before the front of the robot"`
	Behind *float64     `unit:"m" doc:"instead of x and y: this far behind its rear"`
	Left   *float64     `unit:"m" doc:"instead of x and y: this far from its left side"`
	Right  *float64     `unit:"m" doc:"instead of x and y: this far from its right side"`
	Radius float64      `unit:"m" doc:"of the body's circle"`
	Walks  [][2]float64 `unit:"m" doc:"points to walk to from there, in the map frame; through the robot if it is in the way"`
	Speed  float64      `unit:"m/s" doc:"of walking"`
}

// SetDefaults implements config.Defaulter.
func (p *Person) SetDefaults() { p.Name, p.Radius, p.Speed = "visitor", 0.25, 1 }

// Validate reports what is wrong with the person.
func (p Person) Validate() error {
	var out config.Problems
	out.NotEmpty("name", p.Name)
	out.InRange("radius", p.Radius, 0.05, 1, "m")
	out.InRange("speed", p.Speed, 0.1, 3, "m/s")
	given := 0
	for _, d := range []*float64{p.Ahead, p.Behind, p.Left, p.Right} {
		if d == nil {
			continue
		}
		given++
		out.InRange("", *d, 0.01, 100, "m")
	}
	out.Require(given <= 1, "", "is placed before %d sides of the robot: give one of ahead, behind, left and right", given)
	out.Require(given == 0 || p.X == 0 && p.Y == 0, "x", "is given together with a side of the robot: give one of them")
	return out.Err()
}

// Side returns the direction in the frame of the robot in which the person is placed, in radians, and the distance from
// its outline; ok is false for a person at X and Y.
func (p Person) Side() (direction, distance float64, ok bool) {
	switch {
	case p.Ahead != nil:
		return 0, *p.Ahead, true
	case p.Behind != nil:
		return math.Pi, *p.Behind, true
	case p.Left != nil:
		return math.Pi / 2, *p.Left, true
	case p.Right != nil:
		return -math.Pi / 2, *p.Right, true
	}
	return 0, 0, false
}

// Door moves a door of the scene.
type Door struct {
	Name string `doc:"name in the scene"`
	Open bool   `doc:"open or closed"`
}

// Validate reports a door without a name.
func (d Door) Validate() error {
	var p config.Problems
	p.NotEmpty("name", d.Name)
	return p.Err()
}

// Validate reports what is wrong with the event.
func (e Event) Validate() error {
	var p config.Problems
	p.DurationInRange("at", e.At, 0, 24*time.Hour)
	given := count(e.PanicNode != "", e.CrashDriver, e.Silence != nil, e.Garble != nil, e.HardwareEStop != nil, e.ClockJump != nil,
		e.Temperature != nil, e.Person != nil, e.Door != nil, e.NavigationGoes, e.Request != "")
	p.Require(given == 1, "", "an event says exactly one thing that happens, this one says %d", given)
	if e.Temperature != nil {
		p.InRange("temperature", *e.Temperature, -40, 150, "degC")
	}
	return p.Err()
}

func count(given ...bool) int {
	n := 0
	for _, g := range given {
		if g {
			n++
		}
	}
	return n
}
