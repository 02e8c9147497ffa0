package scenario

import (
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/rosconv"
	"sarathi/internal/script"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/std"
)

// Observer fills a record from the messages of a run. Use [NewObserver].
type Observer struct {
	record *Record
	names  map[string]func(at time.Duration, s *bus.Sample)

	order               int    // of the last command, status or request
	collisions, persons uint32 // counted so far
}

// NewObserver returns an observer that fills r. resolve gives names as they are on the bus.
func NewObserver(r *Record, resolve func(string) string) *Observer {
	o := &Observer{record: r}
	o.names = map[string]func(time.Duration, *bus.Sample){
		resolve(topics.GroundTruth.Info().Name):        o.truth,
		resolve(topics.BodyCmdVel.Info().Name):         o.command,
		resolve(topics.ControlStatus.Info().Name):      o.status,
		resolve(topics.NavigationStatus.Info().Name):   o.progress,
		resolve(topics.LocalizationStatus.Info().Name): o.belief,
		resolve(topics.EStopRequest.Info().Name):       o.request,
		resolve(topics.SimStatus.Info().Name):          o.contacts,
		resolve(topics.HandheldCmdVel.Info().Name):     o.ask(script.Handheld),
		resolve(topics.DashboardCmdVel.Info().Name):    o.ask(script.Dashboard),
		resolve(topics.NavCmdVel.Info().Name):          o.ask(script.Navigation),
	}
	return o
}

// Observe takes one message of any topic; at is the time since the start, which does not jump with the clock of the nodes.
func (o *Observer) Observe(at time.Duration, s *bus.Sample) {
	if f := o.names[s.Topic]; f != nil {
		f(at, s)
	}
}

func twist(s *bus.Sample) geom.Velocity {
	m, ok := s.Message().(*geometry.Twist)
	if !ok {
		return geom.Velocity{}
	}
	return rosconv.FromTwist(*m)
}

func (o *Observer) command(at time.Duration, s *bus.Sample) {
	o.record.Commands = append(o.record.Commands, Command{At: at, Order: o.next(), Velocity: twist(s)})
}

func (o *Observer) request(at time.Duration, s *bus.Sample) {
	if m, ok := s.Message().(*std.String); ok {
		o.record.Requests = append(o.record.Requests, Request{At: at, Order: o.next(), Reason: m.Data})
	}
}

func (o *Observer) next() int {
	o.order++
	return o.order
}

func (o *Observer) ask(source string) func(time.Duration, *bus.Sample) {
	return func(at time.Duration, s *bus.Sample) {
		o.record.Asks = append(o.record.Asks, Ask{At: at, Source: source, Velocity: twist(s)})
	}
}

func (o *Observer) truth(at time.Duration, s *bus.Sample) {
	m, ok := s.Message().(*nav.Odometry)
	if !ok {
		return
	}
	p, err := rosconv.FromPose(m.Pose.Pose)
	if err != nil {
		return // the simulator's own poses are valid
	}
	o.record.Truths = append(o.record.Truths, Truth{
		At:       at,
		Pose:     geom.Pose2{X: p.T.X, Y: p.T.Y, Theta: p.R.Yaw()},
		Velocity: rosconv.FromTwist(m.Twist.Twist),
	})
}

func (o *Observer) status(at time.Duration, s *bus.Sample) {
	m, ok := s.Message().(*dharma.ControlStatus)
	if !ok {
		return
	}
	o.record.Statuses = append(o.record.Statuses, Control{
		At: at, Order: o.next(), Mode: m.Mode, ActiveSource: m.ActiveSource, Armed: m.Armed,
		EStop: m.Estop, EStopReasons: m.EstopReasons, Field: m.Field, Message: m.Message,
	})
}

func (o *Observer) progress(at time.Duration, s *bus.Sample) {
	if m, ok := s.Message().(*dharma.NavigationStatus); ok {
		o.record.Progress = append(o.record.Progress, Progress{
			At: at, State: m.State, PauseReasons: m.PauseReasons, Lap: int(m.Lap), Message: m.Message,
		})
	}
}

func (o *Observer) belief(at time.Duration, s *bus.Sample) {
	if m, ok := s.Message().(*dharma.LocalizationStatus); ok {
		o.record.Beliefs = append(o.record.Beliefs, Belief{
			At: at, State: m.State, Source: m.Source, Message: m.Message, Pose: geom.Pose2{X: m.Pose.X, Y: m.Pose.Y, Theta: m.Pose.Theta},
		})
	}
}

// contacts turns the simulator's counters into contacts. The robot moving into a
// person counts; a person who walks into a standing robot does not.
func (o *Observer) contacts(at time.Duration, s *bus.Sample) {
	m, ok := s.Message().(*dharma.SimStatus)
	if !ok {
		return
	}
	if m.Collisions > o.collisions {
		o.record.Contacts = append(o.record.Contacts, Contact{At: at, With: m.CollisionWith})
	}
	if m.PersonContacts > o.persons {
		o.record.Contacts = append(o.record.Contacts, Contact{At: at, With: m.PersonContactWith, Person: true})
	}
	o.collisions, o.persons = m.Collisions, m.PersonContacts
}
