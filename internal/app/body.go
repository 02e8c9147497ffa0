package app

import (
	"errors"
	"fmt"
	"log/slog"
	"math"

	"sarathi/driver"
	"sarathi/hal"
	"sarathi/internal/body/rosrobot"
	"sarathi/internal/body/simulated"
	"sarathi/internal/config"
	"sarathi/internal/geom"
	"sarathi/internal/profile"
	"sarathi/internal/sim"
	"sarathi/internal/sim/scenes"
)

// hardware is the body that a robot drives.
type hardware struct {
	driver driver.Driver
	plant  *simulated.Plant // of a simulated body; nil when the body is elsewhere
}

// newHardware makes what drives the body that a profile names.
func newHardware(p *profile.Profile, log slog.Handler) (hardware, error) {
	if p.Body.Driver == profile.DriverHAL {
		c, err := hal.NewController(p.Controller())
		if err != nil {
			return hardware{}, invalid(fmt.Errorf("body.hal: %w", err))
		}
		return hardware{driver: c}, nil
	}
	if p.Body.Driver == profile.DriverROS {
		r := p.Robot
		d, err := rosrobot.New(p.Body.ROS, rosrobot.Body{
			Kind: r.Kind, Drive: driver.Drive(r.Drive), Limits: driver.Limits(r.MaxVelocity()),
			Odom: r.Frames.Names.Odom, Base: r.Frames.Names.BaseLink,
		}, rosrobot.Deps{Log: slog.New(log)})
		if err != nil {
			return hardware{}, invalid(fmt.Errorf("body.ros: %w", err))
		}
		return hardware{driver: d}, nil
	}
	plant, err := newPlant(p, nil)
	if err != nil {
		return hardware{}, err
	}
	return onPlant(plant), nil
}

// onPlant is the hardware of a simulated robot.
func onPlant(p *simulated.Plant) hardware { return hardware{driver: simulated.NewDriver(p), plant: p} }

// newPlant makes the hardware of a simulated robot from its profile. start, if given, is where it begins.
func newPlant(p *profile.Profile, start *geom.Pose2) (*simulated.Plant, error) {
	scene, err := scenes.Load(p.Simulated.World, func(path string, data []byte, into any) error {
		return config.Decode(path, data, into)
	})
	if err != nil {
		return nil, invalid(err)
	}
	body, err := simulatedBody(p.Robot)
	if err != nil {
		return nil, invalid(err)
	}
	body.Start = start
	plant, err := simulated.NewPlant(scene, p.Seed, body, p.Simulated)
	if err != nil {
		return nil, invalid(fmt.Errorf("simulated body: %w", err))
	}
	return plant, nil
}

// invalid marks an error as one that the user can mend.
func invalid(err error) error {
	if errors.Is(err, config.ErrInvalid) {
		return err
	}
	return fmt.Errorf("%w: %w", config.ErrInvalid, err)
}

// simulatedBody is what the simulator is told of a robot.
func simulatedBody(r profile.Robot) (simulated.Body, error) {
	b := simulated.Body{
		Kind: r.Kind, Drive: driver.Drive(r.Drive), Limits: driver.Limits(r.MaxVelocity()), Footprint: r.Outline(),
		Frames: simulated.Frames{
			Map: r.Frames.Names.Map, Odom: r.Frames.Names.Odom, CameraInit: r.Frames.Names.CameraInit,
			Body: r.Frames.Names.Body, Base: r.Frames.Names.BaseLink,
			Scan: r.Sensors.Scan, Points: r.Sensors.Points, IMU: r.Sensors.IMU, Optical: r.Sensors.Optical,
		},
	}
	var errs []error
	for _, m := range []struct {
		link string
		to   *sim.Mount
	}{
		{r.Sensors.Scan, &b.Mounts.Scan},
		{r.Sensors.Points, &b.Mounts.Points},
		{r.Sensors.Camera, &b.Mounts.Camera},
		{r.Frames.OdometryLink, &b.Mounts.LidarBody},
	} {
		var err error
		if *m.to, err = mount(r, m.link); err != nil {
			errs = append(errs, err)
		}
	}
	return b, errors.Join(errs...)
}

// mount returns where a sensor sits. The simulator has level sensors and sensors that hang upside down.
func mount(r profile.Robot, link string) (sim.Mount, error) {
	const level = 1e-6
	at, ok := r.Frames.InBase(link)
	if !ok {
		return sim.Mount{}, fmt.Errorf("robot.frames: there is no link %s", link)
	}
	roll, pitch, yaw := at.R.RPY()
	m := sim.Mount{X: at.T.X, Y: at.T.Y, Z: at.T.Z, Yaw: yaw, UpsideDown: math.Abs(roll) > math.Pi/2}
	if back := m.Transform().R.Inverse().Mul(at.R); math.Abs(pitch) > level || back.Angle() > level {
		return m, fmt.Errorf("robot.frames: link %s is tilted: the simulator knows level sensors, turned about z, and upside-down ones", link)
	}
	return m, nil
}
