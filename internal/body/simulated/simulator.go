package simulated

import (
	"time"

	"sarathi/driver"
	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/sim"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/stdsrvs"
	"sarathi/msg/tf2"
)

// SimulatorName is the name of the simulator's node on the bus.
const SimulatorName = "simulator_node"

const (
	truthPeriod  = 20 * time.Millisecond
	statusPeriod = 100 * time.Millisecond
	touching     = 200 * time.Millisecond // how long after it began, at least, a contact is shown
	contactGap   = 0.005                  // m, within which the body still touches
)

// Simulator is simulator_node. It tells what the world knows, and stands in for FAST-LIO2.
type Simulator struct {
	plant *Plant

	ctx    *node.Context
	truth  *bus.Publisher[nav.Odometry]
	status *bus.Publisher[dharma.SimStatus]
	lidar  *bus.Publisher[nav.Odometry]
	tf     *bus.Publisher[tf2.TFMessage]

	seen     contacts
	lidarDue time.Duration // simulated
	room     room
}

// room is what lies around the body. Looking costs milliseconds in a large map, so it is done once a second, and with every status
// only while the body touches something.
type room struct {
	clearance float64
	nearest   sim.Thing
	due       time.Duration // simulated
}

// contacts is what is known of the contacts of the body so far.
type contacts struct {
	last         uint64 // number of the last one
	things       uint32 // times the body ran into a thing
	persons      uint32 // times the body moved into a person
	thing        string // touched last
	person       string // touched last
	at, personAt time.Duration
}

var _ node.Node = (*Simulator)(nil)

// NewSimulator returns the node that tells of a plant.
func NewSimulator(p *Plant) *Simulator { return &Simulator{plant: p} }

// Setup implements node.Node.
func (s *Simulator) Setup(c *node.Context) error {
	s.ctx = c
	s.truth = bus.NewPublisher(c, topics.GroundTruth)
	s.status = bus.NewPublisher(c, topics.SimStatus)
	bus.Serve(c, topics.SimHardwareEStop, s.onHardwareEStop)
	if s.plant.cfg.LidarOdometry.Rate > 0 {
		s.lidar = bus.NewPublisher(c, topics.LidarOdometry)
		s.tf = bus.NewPublisher(c, topics.TF)
		c.Every(Period, s.publishLidarOdometry)
	}
	c.Every(truthPeriod, s.publishTruth)
	c.Every(statusPeriod, s.publishStatus)
	return nil
}

func (s *Simulator) onHardwareEStop(r stdsrvs.SetBoolRequest) (stdsrvs.SetBoolResponse, error) {
	s.plant.Press(r.Data)
	if r.Data {
		return stdsrvs.SetBoolResponse{Success: true, Message: "the button is pressed"}, nil
	}
	return stdsrvs.SetBoolResponse{Success: true, Message: "the button is out; release the e-stop with /control/estop/release"}, nil
}

// publishTruth publishes where the body is.
func (s *Simulator) publishTruth(now time.Time) {
	p := s.plant
	p.mu.Lock()
	p.advance(now)
	t := p.robot.Truth()
	p.mu.Unlock()
	f := p.body.Frames
	s.truth.Publish(rosconv.Odometry(now, f.Map, f.Base, t.Pose.Transform(), t.Velocity))
}

// publishStatus publishes what the body touches.
func (s *Simulator) publishStatus(now time.Time) {
	p := s.plant
	p.mu.Lock()
	p.advance(now)
	t := p.robot.Truth()
	for _, c := range p.world.Contacts(s.seen.last) {
		s.seen.add(c, p.body.Kind)
		s.room.due = 0
	}
	s.room.look(p, t.At)
	docked := p.robot.Docked()
	p.mu.Unlock()
	touches := s.room.touches()
	person := s.room.nearest.Kind == sim.KindPerson
	s.status.Publish(dharma.SimStatus{
		Header: rosconv.Header(now, p.body.Frames.Map),
		Pose:   geometry.Pose2D{X: t.Pose.X, Y: t.Pose.Y, Theta: t.Pose.Theta}, Velocity: rosconv.Twist(t.Velocity),
		Clearance: float32(s.room.clearance),
		Collision: touches && !person || s.seen.recent(s.seen.things, t.At, s.seen.at), CollisionWith: s.seen.thing, Collisions: s.seen.things,
		PersonContact:     touches && person || s.seen.recent(s.seen.persons, t.At, s.seen.personAt),
		PersonContactWith: s.seen.person, PersonContacts: s.seen.persons,
		OnCharger: docked,
	})
}

// look looks around when it is time to. The plant is locked.
func (r *room) look(p *Plant, now time.Duration) {
	if now < r.due {
		return
	}
	r.clearance, r.nearest = p.robot.Clearance()
	r.due = now + time.Second
	if r.touches() {
		r.due = now
	}
}

func (r *room) touches() bool { return r.clearance <= contactGap }

// add takes a contact of the named robot.
func (c *contacts) add(n sim.Contact, robot string) {
	c.last = n.Seq
	if n.Robot != robot {
		return
	}
	if n.Thing.Kind == sim.KindPerson {
		c.person = n.Thing.Name
		if n.ByRobot {
			c.persons++
			c.personAt = n.At
		}
		return
	}
	c.thing, c.at = n.Thing.String(), n.At
	c.things++
}

// recent reports whether a contact, if there was one, began so shortly ago that it must be shown.
func (c *contacts) recent(count uint32, now, at time.Duration) bool {
	return count > 0 && now-at < touching
}

// publishLidarOdometry is FAST-LIO2's part: it works as long as the lidar does.
func (s *Simulator) publishLidarOdometry(now time.Time) {
	p := s.plant
	p.mu.Lock()
	p.advance(now)
	o, ok := p.robot.LidarOdometry()
	ok = ok && !p.quiet(driver.StreamPoints) && p.elapsed >= s.lidarDue
	if ok {
		s.lidarDue = p.elapsed + time.Duration(float64(time.Second)/p.cfg.LidarOdometry.Rate)
	}
	p.mu.Unlock()
	if !ok {
		return
	}
	f := p.body.Frames
	m := rosconv.Odometry(now, f.CameraInit, f.Body, o.Pose.Transform(), o.Velocity)
	const position, heading = 0.02, 0.01 // m and rad: what FAST-LIO2 is good for over a short way
	m.Pose.Covariance = rosconv.Covariance(rosconv.Planar{{position * position}, {0, position * position}, {0, 0, heading * heading}})
	s.lidar.Publish(m)
	if o.Pose.IsFinite() {
		s.tf.Publish(tf2.TFMessage{Transforms: []geometry.TransformStamped{
			rosconv.TransformStamped(now, f.CameraInit, f.Body, o.Pose.Transform()),
		}})
	}
}
