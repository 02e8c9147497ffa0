package scenario

import (
	"time"

	"sarathi/internal/config"
)

// Event is something that happens to the robot or around it. Exactly one of the
// fields besides At is given.
type Event struct {
	At             time.Duration  `doc:"when, from the start"`
	PanicNode      string         `doc:"this node panics in its next handler"`
	CrashDriver    bool           `doc:"the body's driver dies: nothing is sensed and nothing is commanded any more"`
	Silence        *Silence       `doc:"a sensor stops reporting for a while"`
	HardwareEStop  *bool          `yaml:"hardware_estop" doc:"press (true) or pull out (false) the button on the body"`
	ClockJump      *time.Duration `doc:"the clock that nodes see jumps by this, forwards or backwards"`
	Person         *Person        `doc:"a person appears, or is moved"`
	Door           *Door          `doc:"a door opens or closes"`
	NavigationGoes bool           `doc:"navigation is started or resumed by a deliberate act"`
	Request        string         `doc:"publish an e-stop request with this reason"`
}

// Silence keeps a sensor quiet.
type Silence struct {
	Stream string        `doc:"stream of the body: scan, points, odometry, imu, battery"`
	For    time.Duration `doc:"how long"`
}

// Person places somebody in the world.
type Person struct {
	Name   string   `doc:"name in the report"`
	X      float64  `unit:"m" doc:"where"`
	Y      float64  `unit:"m" doc:"where"`
	Ahead  *float64 `unit:"m" doc:"instead of x and y: this far ahead of the front of the robot, wherever it is"`
	Radius float64  `unit:"m" doc:"of the body's circle"`
}

// SetDefaults implements config.Defaulter.
func (p *Person) SetDefaults() { p.Name, p.Radius = "visitor", 0.25 }

// Door moves a door of the scene.
type Door struct {
	Name string `doc:"name in the scene"`
	Open bool   `doc:"open or closed"`
}

// Validate reports what is wrong with the event.
func (e Event) Validate() error {
	var p config.Problems
	p.DurationInRange("at", e.At, 0, 24*time.Hour)
	given := 0
	for _, is := range []bool{
		e.PanicNode != "", e.CrashDriver, e.Silence != nil, e.HardwareEStop != nil, e.ClockJump != nil,
		e.Person != nil, e.Door != nil, e.NavigationGoes, e.Request != "",
	} {
		if is {
			given++
		}
	}
	p.Require(given == 1, "at", "an event says exactly one thing that happens, this one says %d", given)
	return p.Err()
}
