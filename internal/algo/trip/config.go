package trip

import (
	"errors"
	"fmt"
	"time"
)

// Config is what an operator can choose about the trip meter.
type Config struct {
	Step       float64       `unit:"m" doc:"shorter motion than this is noise; the way is measured in such steps"`
	Window     time.Duration `doc:"speed is the mean of this time"`
	MinSpeed   float64       `unit:"m/s" doc:"slower is standing"`
	MaxSpeed   float64       `unit:"m/s" doc:"faster is a jump of the odometry, not motion"`
	StaleAfter time.Duration `doc:"odometry that is silent for this long is not ok"`
}

// DefaultConfig suits lidar odometry at 10 Hz with a few millimetres of noise, and a robot of up to 2 m/s.
func DefaultConfig() Config {
	return Config{Step: 0.06, Window: 800 * time.Millisecond, MinSpeed: 0.03, MaxSpeed: 5, StaleAfter: time.Second}
}

// Validate reports every value that the meter cannot work with, in texts that begin with the key.
func (c Config) Validate() error {
	var errs []error
	number := func(key string, v, lo, hi float64, unit string) {
		if !(v >= lo && v <= hi) {
			errs = append(errs, fmt.Errorf("%s: %g %s is out of range %g..%g %s: write a value between them", key, v, unit, lo, hi, unit))
		}
	}
	duration := func(key string, v, lo, hi time.Duration) {
		if v < lo || v > hi {
			errs = append(errs, fmt.Errorf("%s: %s is out of range %s..%s: write a duration between them", key, v, lo, hi))
		}
	}
	number("step", c.Step, 0.005, 1, "m")
	number("min_speed", c.MinSpeed, 0, 0.5, "m/s")
	number("max_speed", c.MaxSpeed, 0.5, 50, "m/s")
	duration("window", c.Window, 100*time.Millisecond, 5*time.Second)
	duration("stale_after", c.StaleAfter, 100*time.Millisecond, 10*time.Second)
	return errors.Join(errs...)
}
