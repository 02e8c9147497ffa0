package healthmonitor

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/sensor"
)

// Name is the node's name on the bus.
const Name = "health_monitor_node"

const (
	readCost    = 2 * time.Millisecond // of a probe's Read, in virtual time
	systemStale = 5                    // a probe that hangs for more checks than these tells nothing
)

// Deps is what the node needs from outside.
type Deps struct {
	Probe Probe // of the computer it runs on
}

// Node is health_monitor_node. Use [New].
type Node struct {
	probe    Probe
	assessor *Assessor

	// set in Setup
	ctx     *node.Context
	status  *bus.Publisher[dharma.HealthStatus]
	battery *bus.Reader[sensor.BatteryState]
	meters  [Sensors]bus.Meter
	names   [Sensors]string // of the topics

	// owned by the loop
	answered bool // the probe has answered once
	reading  bool // the probe is at work
	waited   int  // checks since it answered
	system   System
	trouble  string  // what the probe complained of last
	issues   []Issue // of the last check
}

var _ node.Node = (*Node)(nil)

// New returns the node, or what is wrong with the configuration.
func New(cfg Config, deps Deps) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("health monitor: %w", err)
	}
	if deps.Probe == nil {
		return nil, errors.New("health monitor: no probe of the computer was given")
	}
	return &Node{probe: deps.Probe, assessor: NewAssessor(cfg), system: Unknown()}, nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.ctx = c
	n.status = bus.NewPublisher(c, topics.HealthStatus)
	n.battery = bus.NewReader(c, topics.BodyBattery)
	watchTopic(n, Scan, topics.BodyScan)
	watchTopic(n, SafetyScan, topics.SafetyScan)
	watchTopic(n, Odometry, topics.BodyOdometry)
	watchTopic(n, IMU, topics.BodyIMU)
	watchTopic(n, Camera, topics.BodyImage)
	c.After(0, n.tick)
	c.Every(period, n.tick)
	return nil
}

func watchTopic[T any](n *Node, s Sensor, t *bus.Topic[T]) {
	n.meters[s] = bus.NewMeter(n.ctx, t)
	n.names[s] = n.ctx.Bus().Resolve(t.Info().Name)
}

func (n *Node) tick(now time.Time) {
	o := n.observe()
	r := n.assessor.Assess(now, o)
	// Silent until the probe has answered: a computer that is not known yet is no healthy one, and may be the one that was too hot
	// before this node was restarted.
	if n.answered || n.waited > systemStale {
		n.status.Publish(n.message(now, o.System, r))
		n.logChanges(r.Issues)
	}
	n.readSystem()
}

func (n *Node) observe() Observation {
	o := Observation{System: n.system, Battery: Battery{Percent: math.NaN()}}
	if n.waited++; n.waited > systemStale {
		o.System = Unknown()
	}
	for s := range n.meters {
		count, last := n.meters[s].Count()
		o.Sensors[s] = Traffic{Count: count, Age: math.NaN(), Wanted: n.meters[s].Wanted()}
		if !last.IsZero() {
			o.Sensors[s].Age = max(0, n.ctx.Bus().Now().Sub(last).Seconds())
		}
	}
	if b, _, ok := n.battery.Get(); ok && b.Present {
		o.Battery = Battery{
			Percent: 100 * float64(b.Percentage),
			Charging: b.PowerSupplyStatus == sensor.BatteryStatePowerSupplyStatusCharging ||
				b.PowerSupplyStatus == sensor.BatteryStatePowerSupplyStatusFull,
		}
	}
	return o
}

// readSystem asks the probe, unless it is still busy with the last question.
func (n *Node) readSystem() {
	if n.reading {
		return
	}
	n.reading = true
	node.Go(n.ctx, readCost, n.probe.Read, func(s System, err error) {
		n.reading, n.waited, n.system = false, 0, s
		trouble := ""
		if err != nil {
			trouble = err.Error()
		}
		if trouble != "" && trouble != n.trouble {
			n.ctx.Log().Warn("the computer's condition is not fully known", "error", err)
		}
		n.trouble, n.answered = trouble, true
	})
}

func (n *Node) message(now time.Time, s System, r Report) dharma.HealthStatus {
	m := dharma.HealthStatus{
		Header:     rosconv.Header(now, ""),
		Level:      level(r.Level),
		Issues:     make([]string, len(r.Issues)),
		Sensors:    make([]dharma.SensorHealth, Sensors),
		SpeedScale: float32(r.SpeedScale),
		CPU:        float32(s.CPU),
		GPU:        float32(s.GPU),
		RAM:        float32(s.RAM),
		RAMUsed:    float32(s.RAMUsed),
		RAMTotal:   float32(s.RAMTotal),
		Temp:       float32(s.Temp),
		DiskFree:   float32(s.DiskFree),
		Load:       float32(s.Load),
	}
	for i, issue := range r.Issues {
		m.Issues[i] = issue.Text
	}
	for i, s := range r.Sensors {
		m.Sensors[i] = dharma.SensorHealth{
			Name: Sensor(i).String(), Topic: n.names[i],
			Rate: float32(s.Rate), MinRate: float32(s.MinRate), Age: float32(s.Age), Ok: s.OK,
		}
	}
	return m
}

func level(l Level) uint8 {
	switch l {
	case OK:
		return dharma.HealthStatusLevelOk
	case Warn:
		return dharma.HealthStatusLevelWarn
	default:
		return dharma.HealthStatusLevelError
	}
}

// logChanges logs the issues that came and went, not those that last.
func (n *Node) logChanges(issues []Issue) {
	for _, i := range issues {
		if !contains(n.issues, i.Check) {
			n.ctx.Log().Warn("health issue", "check", i.Check, "issue", i.Text, "speed_scale", i.Scale)
		}
	}
	for _, i := range n.issues {
		if !contains(issues, i.Check) {
			n.ctx.Log().Info("health issue over", "check", i.Check)
		}
	}
	n.issues = issues
}

func contains(issues []Issue, check string) bool {
	return slices.ContainsFunc(issues, func(i Issue) bool { return i.Check == check })
}
