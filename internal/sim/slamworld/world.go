package slamworld

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"sarathi/internal/geom"
	"sarathi/internal/sim"
	"sarathi/internal/sim/scenes"
)

// GyroBias is what the gyro adds to the rate about z at the beginning [rad/s].
const GyroBias = 0.02

// How often the sensors speak.
const (
	TruthPeriod    = 20 * time.Millisecond
	IMUPeriod      = 10 * time.Millisecond
	OdometryPeriod = 20 * time.Millisecond
	ScanPeriod     = 100 * time.Millisecond

	controlPeriod = 50 * time.Millisecond
	rest          = 2 * time.Second // before the robot drives
)

// Kind says what a sample is.
type Kind uint8

// Kinds of samples; of one moment they come in this order.
const (
	Truth Kind = iota
	IMU
	Odometry
	Scan
)

// Sample is what one sensor says at a moment, or the truth. Only the field of its kind is set.
type Sample struct {
	Kind     Kind
	At       time.Duration // since the beginning
	Truth    sim.State     // in the frame of the building
	IMU      sim.IMUReading
	Odometry sim.Odometry // from where the robot began
	Scan     sim.Scan     // the lidar stands above base_link and looks ahead
}

// Config says what is driven.
type Config struct {
	Building string // one of Names
	Seed     uint64
	Laps     int // rounds through the building; 0 means 2
}

// World is the robot on its way.
type World struct {
	building building
	sim      *sim.World
	robot    *sim.Robot
	route    []geom.Vec2
	next     int // of route
	left     int // points until the end
	speed    float64
	pending  []Sample
	at       int // of pending
	now      time.Duration
}

// New puts the robot at the beginning of its way.
func New(cfg Config) (*World, error) {
	b, ok := build(cfg.Building)
	if !ok {
		return nil, fmt.Errorf("no building is called %q: choose one of %s", cfg.Building, strings.Join(Names(), ", "))
	}
	if cfg.Laps == 0 {
		cfg.Laps = 2
	}
	if cfg.Laps < 0 {
		return nil, fmt.Errorf("%d laps: drive at least one", cfg.Laps)
	}
	s, err := sim.NewWorld(b.scene, cfg.Seed)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", cfg.Building, err)
	}
	r := rand.New(rand.NewPCG(cfg.Seed, 0x51a3))
	w := &World{building: b, sim: s, route: slices.Clone(b.route), speed: 0.5 + 0.2*r.Float64()}
	if r.IntN(2) == 1 {
		slices.Reverse(w.route)
	}
	start := w.route[0]
	spec := sim.Zelpi()
	spec.Start = &geom.Pose2{X: start.X, Y: start.Y, Theta: w.route[1].Sub(start).Angle()}
	spec.IMU.GyroBias = 0 // that is drawn; ours is given
	spec.Camera, spec.Battery = nil, nil
	if w.robot, err = s.AddRobot(spec); err != nil {
		return nil, fmt.Errorf("build %s: %w", cfg.Building, err)
	}
	w.next, w.left = 1, cfg.Laps*len(w.route)
	w.sim.Step(epoch())
	w.sample()
	return w, nil
}

// epoch is the beginning of simulated time, which no result depends on.
func epoch() time.Time { return time.Unix(0, 0) }

// Scene is the building.
func (w *World) Scene() scenes.Scene { return w.building.scene }

// Start is where the robot began, in the frame of the building.
func (w *World) Start() geom.Pose2 { return *w.robot.Spec().Start }

// GyroBias is the present bias of the gyro [rad/s].
func (w *World) GyroBias() float64 { return GyroBias + w.robot.GyroBias() }

// Contacts are the collisions so far: none, unless a building is too narrow.
func (w *World) Contacts() []sim.Contact { return w.sim.Contacts(0) }

// Next is the next sample in the order of time; false when the robot has arrived.
func (w *World) Next() (Sample, bool) {
	for w.at == len(w.pending) {
		if w.left <= 0 {
			return Sample{}, false
		}
		w.step()
	}
	s := w.pending[w.at]
	w.pending[w.at] = Sample{}
	w.at++
	return s, true
}

func (w *World) step() {
	if w.now >= rest && w.now%controlPeriod == 0 {
		w.steer()
	}
	w.now += sim.Tick
	w.sim.Step(epoch().Add(w.now))
	w.sample()
}

func (w *World) sample() {
	w.pending, w.at = w.pending[:0], 0
	due := func(period time.Duration) bool { return w.now%period == 0 }
	if due(TruthPeriod) {
		w.pending = append(w.pending, Sample{Kind: Truth, At: w.now, Truth: w.robot.Truth()})
	}
	if due(IMUPeriod) {
		if r, ok := w.robot.IMU(); ok {
			r.Rate.Z += GyroBias
			r.Orientation = geom.FromYaw(r.Orientation.Yaw() + GyroBias*w.now.Seconds())
			w.pending = append(w.pending, Sample{Kind: IMU, At: w.now, IMU: r})
		}
	}
	if due(OdometryPeriod) {
		if o, ok := w.robot.Odometry(); ok {
			w.pending = append(w.pending, Sample{Kind: Odometry, At: w.now, Odometry: o})
		}
	}
	if due(ScanPeriod) {
		if s, ok := w.robot.Scan(); ok {
			w.pending = append(w.pending, Sample{Kind: Scan, At: w.now, Scan: s})
		}
	}
}

const (
	arrived   = 0.2 // [m] from a point of the route
	turnGain  = 2.0 // [1/s]
	turnFirst = 0.5 // [rad] a direction further away is turned to on the spot
	maxTurn   = 1.2 // [rad/s]
)

// steer drives to the next point of the route: turn towards it, then go.
func (w *World) steer() {
	pose := w.robot.Truth().Pose
	to := w.route[w.next].Sub(pose.Position())
	if to.Norm() < arrived {
		w.next = (w.next + 1) % len(w.route)
		w.left--
		to = w.route[w.next].Sub(pose.Position())
	}
	off := geom.AngleDiff(to.Angle(), pose.Theta)
	v := geom.Velocity{WZ: min(max(turnGain*off, -maxTurn), maxTurn)}
	if math.Abs(off) < turnFirst {
		v.VX = w.speed * min(1, 0.3+to.Norm()) * math.Cos(off)
	}
	w.robot.Command(v)
}
