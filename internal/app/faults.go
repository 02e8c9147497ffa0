package app

import (
	"fmt"
	"strings"
	"time"

	"sarathi/driver"
	"sarathi/internal/body/simulated"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/scenario"
	"sarathi/internal/sim"
	"sarathi/internal/sim/scenes"
)

// faults lets a scenario reach what a robot has no topic for.
type faults struct {
	exec  *node.Lockstep
	plant *simulated.Plant
}

var _ scenario.Faults = (*faults)(nil)

// PanicNode implements scenario.Faults.
func (f *faults) PanicNode(name string) error {
	return f.exec.Inject(name, func() { panic("scenario: panic_node") })
}

// CrashDriver implements scenario.Faults.
func (f *faults) CrashDriver() { f.plant.Crash() }

// Silence implements scenario.Faults.
func (f *faults) Silence(stream string, d time.Duration) error {
	var names []string
	for _, s := range driver.Streams() {
		if s.String() == stream {
			f.plant.Silence(s, d)
			return nil
		}
		names = append(names, s.String())
	}
	return fmt.Errorf("no stream %q: write one of %s", stream, strings.Join(names, ", "))
}

// HardwareEStop implements scenario.Faults.
func (f *faults) HardwareEStop(pressed bool) { f.plant.Press(pressed) }

// ClockJump implements scenario.Faults.
func (f *faults) ClockJump(d time.Duration) { f.exec.Jump(d) }

// Person implements scenario.Faults.
func (f *faults) Person(p scenario.Person) error {
	return f.plant.Do(func(w *sim.World, r *sim.Robot) error {
		at := geom.Vec2{X: p.X, Y: p.Y}
		if p.Ahead != nil {
			front := 0.0
			for _, c := range r.Spec().Footprint {
				front = max(front, c.X)
			}
			at = r.Truth().Pose.Apply(geom.Vec2{X: front + *p.Ahead + p.Radius})
		}
		for _, there := range w.People() {
			if there.Name == p.Name {
				return w.MovePerson(p.Name, at)
			}
		}
		person := scenes.DefaultPerson()
		person.Name, person.Radius = p.Name, p.Radius
		person.Waypoints = []scenes.Waypoint{{X: at.X, Y: at.Y}}
		return w.AddPerson(person)
	})
}

// Door implements scenario.Faults.
func (f *faults) Door(d scenario.Door) error {
	return f.plant.Do(func(w *sim.World, _ *sim.Robot) error { return w.SetDoor(d.Name, d.Open) })
}
