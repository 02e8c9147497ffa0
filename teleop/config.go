package teleop

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Config is what a robot tells its handhelds about itself, and the limits of a [Session].
type Config struct {
	Name  string // of the robot
	Token string // every client message must carry it; empty: anyone on the network can drive

	ClientTimeout time.Duration // of silence, after which the client is dropped
	// JoyTimeout is the age at which a velocity expires although its client still speaks. The mux has a time-out of its own.
	JoyTimeout  time.Duration
	TelemetryHz float64  // state messages a second
	CameraFPS   float64  // most camera frames a second, whatever the client asks for
	Limits      Velocity // maxima of the joystick

	// Commands are the names from the dialect's table that this robot carries out.
	Commands []string
	// RobotCommands are the robot driver's own, in the profile's order.
	RobotCommands []string
	Gestures      []string
	Features      []string // any of mapping, planner, guide, speech, greeter, conversation, docking
	Video         Video

	// Burst chunks leave together, and BurstPeriod later the next ones: a large map does not starve the joystick.
	Burst       int
	BurstPeriod time.Duration
}

// Video is where WebRTC video is to be had: welcome.video. The zero value means nowhere.
type Video struct {
	Port int
	Path string
}

// DefaultConfig returns the public robots' numbers, and no commands.
func DefaultConfig() Config {
	return Config{
		Name: "robot", ClientTimeout: 2 * time.Second, JoyTimeout: 300 * time.Millisecond, TelemetryHz: 10, CameraFPS: 8,
		Limits: Velocity{VX: 1, VY: 0.5, WZ: 1.5}, Burst: 16, BurstPeriod: 3 * time.Millisecond,
	}
}

// Validate reports every fault. Texts begin with the key as a profile spells it.
func (c Config) Validate(d *Dialect) error {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	check(c.ClientTimeout >= 100*time.Millisecond && c.ClientTimeout <= time.Minute, "client_timeout: %v is not 100ms to 1m", c.ClientTimeout)
	check(c.JoyTimeout >= 50*time.Millisecond && c.JoyTimeout <= c.ClientTimeout, "joy_timeout: %v is not 50ms to client_timeout", c.JoyTimeout)
	check(c.TelemetryHz >= 0.1 && c.TelemetryHz <= 100, "telemetry_hz: %g is not 0.1 to 100", c.TelemetryHz)
	check(c.CameraFPS >= leastFPS && c.CameraFPS <= 60, "camera_fps: %g is not %g to 60", c.CameraFPS, leastFPS)
	check(c.Limits.IsFinite() && c.Limits.VX >= 0 && c.Limits.VY >= 0 && c.Limits.WZ >= 0, "limits: %v are not three numbers from 0", c.Limits)
	check(c.Burst >= 1 && c.Burst <= 1024, "burst: %d is not 1 to 1024", c.Burst)
	check(c.BurstPeriod >= 100*time.Microsecond && c.BurstPeriod <= time.Second, "burst_period: %v is not 100µs to 1s", c.BurstPeriod)
	for _, command := range c.Commands {
		check(d.Command(command) != nil, "commands: %s has no command %q", d.Name, command)
	}
	for i, command := range c.RobotCommands {
		check(isWord(command, MaxName), "robot_commands: %q is not made of a-z, 0-9 and _", command)
		check(d.Command(command) == nil, "robot_commands: %q is a command of the protocol", command)
		check(!slices.Contains(c.RobotCommands[:i], command), "robot_commands: %q stands there twice", command)
	}
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("teleop %s: %w", d.Name, err)
	}
	return nil
}
