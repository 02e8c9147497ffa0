package app

import (
	"context"
	"fmt"
	"math"

	"sarathi/driver"
	"sarathi/internal/body/simulated"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/nodes/healthmonitor"
	"sarathi/internal/scenario"
	"sarathi/internal/sim"
	"sarathi/internal/sim/scenes"
)

// computer is the one that a simulated robot runs on: idle, and as hot as the scenario wants. The lockstep executor reads it and
// changes it in one goroutine.
type computer struct{ system healthmonitor.System }

// Read implements healthmonitor.Probe.
func (c *computer) Read(context.Context) (healthmonitor.System, error) { return c.system, nil }

func newComputer() *computer { return &computer{healthmonitor.System(healthmonitor.Idle())} }

// faults makes happen in a simulation what a robot has no topic for.
type faults struct {
	exec     *node.Lockstep
	plant    *simulated.Plant
	computer *computer
}

var _ scenario.Faults = (*faults)(nil)

// Happen implements scenario.Faults.
func (f *faults) Happen(e scenario.Event) error {
	switch {
	case e.PanicNode != "":
		return f.exec.Inject(e.PanicNode, func() { panic("scenario: panic_node") })
	case e.CrashDriver:
		f.plant.Crash()
	case e.Silence != nil:
		s, err := driver.ParseStream(e.Silence.Stream)
		if err != nil {
			return err
		}
		f.plant.Silence(s, e.Silence.For)
	case e.Garble != nil:
		return f.garble(*e.Garble)
	case e.HardwareEStop != nil:
		f.plant.Press(*e.HardwareEStop)
	case e.ClockJump != nil:
		f.exec.Jump(*e.ClockJump)
	case e.Temperature != nil:
		f.computer.system.Temp = *e.Temperature
	case e.Person != nil:
		return f.person(*e.Person)
	case e.Door != nil:
		return f.plant.Do(func(w *sim.World, _ *sim.Robot) error { return w.SetDoor(e.Door.Name, e.Door.Open) })
	}
	return nil
}

// garble lets a sensor report NaN, or mends it.
func (f *faults) garble(o scenario.Outage) error {
	stream, err := driver.ParseStream(o.Stream)
	if err != nil {
		return err
	}
	sensors := map[driver.Stream]sim.Sensor{
		driver.StreamScan: sim.SensorLidar, driver.StreamPoints: sim.SensorCloud, driver.StreamImage: sim.SensorCamera,
		driver.StreamIMU: sim.SensorIMU, driver.StreamOdometry: sim.SensorOdometry, driver.StreamBattery: sim.SensorBattery,
	}
	sensor, ok := sensors[stream]
	if !ok {
		return fmt.Errorf("stream %s holds no numbers of a sensor that could be garbled", stream)
	}
	fault := sim.FaultNaN
	if o.Over() {
		fault = sim.FaultNone
	}
	return f.plant.Do(func(_ *sim.World, r *sim.Robot) error {
		r.SetFault(sensor, fault)
		return nil
	})
}

// person places somebody, and sends them on their way.
func (f *faults) person(p scenario.Person) error {
	return f.plant.Do(func(w *sim.World, r *sim.Robot) error {
		at := geom.Vec2{X: p.X, Y: p.Y}
		if direction, distance, ok := p.Side(); ok {
			at = beside(r, direction, distance+p.Radius)
		}
		if err := stand(w, p, at); err != nil || len(p.Walks) == 0 {
			return err
		}
		way := make([]scenes.Waypoint, len(p.Walks))
		for i, to := range p.Walks {
			way[i] = scenes.Waypoint{X: to[0], Y: to[1]}
		}
		return w.RoutePerson(p.Name, way, false)
	})
}

// stand places a new person, or moves the one of that name.
func stand(w *sim.World, p scenario.Person, at geom.Vec2) error {
	for _, there := range w.People() {
		if there.Name == p.Name {
			return w.MovePerson(p.Name, at)
		}
	}
	person := scenes.DefaultPerson()
	person.Name, person.Radius, person.Speed, person.SpeedSpread, person.KeepOff = p.Name, p.Radius, p.Speed, 0, 0
	person.Waypoints = []scenes.Waypoint{{X: at.X, Y: at.Y}}
	return w.AddPerson(person)
}

// beside returns the point that is so far from the outline of the robot in a direction of its own frame.
func beside(r *sim.Robot, direction, distance float64) geom.Vec2 {
	along := geom.Vec2{X: math.Cos(direction), Y: math.Sin(direction)}
	reach := 0.0
	for _, c := range r.Spec().Footprint {
		reach = max(reach, c.X*along.X+c.Y*along.Y)
	}
	return r.Truth().Pose.Apply(along.Scale(reach + distance))
}
