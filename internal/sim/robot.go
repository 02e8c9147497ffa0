package sim

import (
	"errors"
	"fmt"
	"math"
	"time"

	"sarathi/internal/geom"
)

// Robot is a body in a world.
type Robot struct {
	spec     RobotSpec
	world    *World
	drive    drive
	pose     geom.Pose2
	outline  geom.Polygon // the footprint at pose
	reach    float64      // radius of the footprint about base_link
	open     float64      // travel that certainly meets no static wall; see World.advance
	velocity geom.Velocity
	accel    geom.Vec2 // of base_link in body axes, with the centripetal part
	distance float64
	touch    touch
	faults   [sensors]Fault

	lidar         *lidar
	cloud         *cloud
	camera        *camera
	imu           *imu
	odometry      *drift
	lidarOdometry *drift
	battery       *battery
}

// State is the truth about a robot.
type State struct {
	At           time.Duration // since the first Step
	Pose         geom.Pose2    // of base_link in the map frame
	Velocity     geom.Velocity // of base_link, in its own axes
	Acceleration geom.Vec2     // of base_link, in its own axes [m/s²]
	Distance     float64       // travelled by base_link since it was added [m]
}

// AddRobot puts a robot into the world: at the place its spec names, else at the scene's start, else at the most open free place
// of the map, else at the origin. It refuses a place where the footprint touches something.
func (w *World) AddRobot(spec RobotSpec) (*Robot, error) {
	if err := spec.Validate(); err != nil {
		return nil, fmt.Errorf("robot %q: %w", spec.Name, err)
	}
	if w.Robot(spec.Name) != nil {
		return nil, fmt.Errorf("there is a robot %q already", spec.Name)
	}
	r := &Robot{spec: spec, world: w, drive: newDrive(spec), reach: spec.Footprint.Circumradius()}
	start := w.startFor(spec)
	if err := r.Teleport(start); err != nil {
		return nil, err
	}
	r.addSensors()
	w.robots = append(w.robots, r)
	return r, nil
}

func (w *World) startFor(spec RobotSpec) geom.Pose2 {
	switch {
	case spec.Start != nil:
		return *spec.Start
	case w.start != nil:
		return *w.start
	case w.grid != nil:
		return openPlace(w.grid)
	}
	return geom.Pose2{}
}

func (r *Robot) addSensors() {
	s, seed := r.spec, r.world.seed
	source := func(sensor string) *noise { return newNoise(seed, r.spec.Name+"/"+sensor) }
	if s.Lidar != nil {
		r.lidar = newLidar(*s.Lidar, source("lidar"))
	}
	if s.Cloud != nil {
		r.cloud = newCloud(*s.Cloud, source("cloud"))
	}
	if s.Camera != nil {
		r.camera = newCamera(*s.Camera, source("camera"))
	}
	if s.IMU != nil {
		r.imu = newIMU(*s.IMU, source("imu"))
	}
	if s.Odometry != nil {
		r.odometry = &drift{spec: *s.Odometry, noise: source("odometry")}
	}
	if s.LidarOdometry != nil {
		r.lidarOdometry = &drift{spec: *s.LidarOdometry, noise: source("lidar_odometry")}
	}
	if s.Battery != nil {
		r.battery = newBattery(*s.Battery)
	}
}

// Spec is what the robot was made of.
func (r *Robot) Spec() RobotSpec { return r.spec }

// Command asks for a velocity, from now plus the latency of the body on, until the next command: a body without a driver that
// watches over it goes on for ever. What the body cannot do is left out; what is not finite means standing still.
func (r *Robot) Command(v geom.Velocity) { r.drive.command(r.world.Elapsed(), v) }

// Truth is where the robot is and how it moves.
func (r *Robot) Truth() State {
	return State{r.world.Elapsed(), r.pose, r.velocity, r.accel, r.distance}
}

// Outline is the footprint in the map frame.
func (r *Robot) Outline() geom.Polygon { return append(geom.Polygon(nil), r.outline...) }

// Teleport puts the robot somewhere else, standing still; odometry does not notice. It refuses a place where the footprint
// touches something.
func (r *Robot) Teleport(to geom.Pose2) error {
	if !to.IsFinite() {
		return fmt.Errorf("robot %q cannot stand at %v", r.spec.Name, to)
	}
	o, hit := r.world.touches(r, to, false)
	if !hit {
		var inside bool
		if o.thing, inside = r.world.buried(to.Position()); inside {
			hit = true
		}
	}
	if hit {
		return &BlockedError{Robot: r.spec.Name, Pose: to, Thing: o.thing}
	}
	r.place(to)
	r.open, r.velocity, r.accel = 0, geom.Velocity{}, geom.Vec2{}
	return nil
}

// ErrBlocked is what a [BlockedError] matches.
var ErrBlocked = errors.New("the place is not free")

// BlockedError says that a robot cannot stand somewhere.
type BlockedError struct {
	Robot string
	Pose  geom.Pose2
	Thing Thing // what is there
}

// Error names the place and what is there.
func (e *BlockedError) Error() string {
	return fmt.Sprintf("robot %q cannot stand at (%.3f, %.3f, %.1f°): %v is there; choose another start pose",
		e.Robot, e.Pose.X, e.Pose.Y, e.Pose.Theta*180/math.Pi, e.Thing)
}

// Is makes it match ErrBlocked.
func (e *BlockedError) Is(target error) bool { return target == ErrBlocked }

// place sets pose and outline.
func (r *Robot) place(p geom.Pose2) {
	r.pose = p
	r.outline = r.spec.Footprint.AppendTransform(r.outline[:0], p)
}

// step is one tick of the body and of the sensors that accumulate.
func (r *Robot) step() {
	before, from := r.velocity, r.pose
	v := r.drive.step(r.world.Elapsed(), before)
	if r.battery != nil && r.battery.empty() {
		v = geom.Velocity{}
	}
	r.velocity = v
	if !v.IsZero() {
		if o, hit := r.world.advance(r, v, tickSeconds); hit {
			r.collide(o, v)
		}
	}
	moved := from.Between(r.pose)
	r.distance += moved.Position().Norm()
	r.accel = geom.Vec2{
		X: (r.velocity.VX-before.VX)/tickSeconds - r.velocity.WZ*r.velocity.VY,
		Y: (r.velocity.VY-before.VY)/tickSeconds + r.velocity.WZ*r.velocity.VX,
	}
	if r.imu != nil {
		r.imu.step(r.velocity.WZ)
	}
	if r.odometry != nil {
		r.odometry.step(r.velocity)
	}
	if r.lidarOdometry != nil {
		r.lidarOdometry.step(r.velocity)
	}
	if r.battery != nil {
		r.battery.step(r.velocity, r.Docked())
	}
}

// collide stops the body and reports the contact, once while it lasts.
func (r *Robot) collide(o obstacle, v geom.Velocity) {
	r.velocity = geom.Velocity{}
	if r.touch.fresh(o.thing, r.world.Elapsed()) {
		r.world.log.add(Contact{
			At: r.world.Elapsed(), Robot: r.spec.Name, Thing: o.thing, Point: o.point, Speed: v.Speed(), ByRobot: true,
		})
	}
}

// How exactly a robot must stand to be charged.
const (
	dockDistance = 0.10 // [m]
	dockAngle    = 0.20 // [rad]
)

// Docked reports whether the robot stands on the charger of the scene, within 10 cm and 0.2 rad.
func (r *Robot) Docked() bool {
	c := r.world.charger
	return c != nil && r.pose.Position().Distance(c.Position()) <= dockDistance &&
		math.Abs(geom.AngleDiff(r.pose.Theta, c.Theta)) <= dockAngle
}
