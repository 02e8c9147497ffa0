package slam

import (
	"errors"
	"fmt"
	"math"

	"sarathi/internal/algo/scanmatch"
)

const degree = math.Pi / 180

// Config is how the engine works. One default serves all robots and logs.
type Config struct {
	Resolution float64 // [m] cells of the maps that scans are matched to
	Reach      float64 // [m] of their distance fields
	Limits     scanmatch.Limits
	Tuning     scanmatch.Tuning

	Insert   Step // a scan goes into the front end's map after so much motion
	Keyframe Step // a scan becomes a node of the graph after so much motion

	Batch int // keyframes in a piece of back-end work
	Delay int // scans after which its result is taken over

	Odometry Noise // of the motion between two scans by odometry
	Scan     Noise // of the motion between two keyframes by scan matching, besides what the matcher says
	Closure  Sigma // least standard deviation of a match to a place that was seen before

	ClusterHalf, Polish, Visits int
	Near                        float64 // [m] keyframes within this distance may see the same walls
	GapDistance                 float64 // [m] travelled between two keyframes before they are matched as another visit
	Local                       float64 // [m] with a position uncertain by less, another visit is matched directly; with more it is searched for
	Window                      float64 // [m] largest half side of the window of a search
}

// Step is a motion: either part of it is enough.
type Step struct{ Translation, Rotation float64 } // [m], [rad]

// Sigma is a pair of standard deviations.
type Sigma struct{ Translation, Rotation float64 } // [m], [rad]

// Noise is how the standard deviation of a motion grows with it.
type Noise struct {
	Floor              Sigma
	PerMetre           Sigma   // [m/m], [rad/m]
	RotationPerRadian  float64 // [rad/rad]
	TranslationPerTurn float64 // [m/rad]
}

// of is the standard deviation after a motion of d metres and a radians.
func (n *Noise) of(d, a float64) Sigma {
	return Sigma{
		n.Floor.Translation + n.PerMetre.Translation*d + n.TranslationPerTurn*a,
		n.Floor.Rotation + n.PerMetre.Rotation*d + n.RotationPerRadian*a,
	}
}

// DefaultConfig is the one configuration for all logs and robots.
func DefaultConfig() Config {
	return Config{
		Resolution: 0.05,
		Reach:      0.5,
		Limits:     scanmatch.Limits{Near: 0.05, Far: 30, Clear: 10, NoEcho: 49.5},
		Tuning:     scanmatch.DefaultTuning(),

		Insert:   Step{0.03, 2 * degree},
		Keyframe: Step{0.15, 8 * degree},
		Batch:    20,
		Delay:    10,

		Odometry: Noise{
			Floor: Sigma{0.02, 0.01}, PerMetre: Sigma{0.07, 0.04}, RotationPerRadian: 0.1, TranslationPerTurn: 0.03,
		},
		Scan: Noise{
			Floor: Sigma{0.002, 0.0005}, PerMetre: Sigma{0.01, 0.003}, RotationPerRadian: 0.01, TranslationPerTurn: 0.005,
		},
		Closure: Sigma{0.015, 0.2 * degree},

		Near:        3,
		GapDistance: 6,
		Local:       0.15,
		Window:      6,
	}
}

// Validate reports all faults; each begins with the key that is wrong.
func (c *Config) Validate() error {
	var faults []error
	positive := func(key string, v float64) {
		if !(v > 0) || math.IsInf(v, 0) {
			faults = append(faults, fmt.Errorf("%s: must be above 0, is %g", key, v))
		}
	}
	positive("resolution", c.Resolution)
	positive("reach", c.Reach)
	positive("insert.translation", c.Insert.Translation)
	positive("insert.rotation", c.Insert.Rotation)
	positive("keyframe.translation", c.Keyframe.Translation)
	positive("keyframe.rotation", c.Keyframe.Rotation)
	positive("near", c.Near)
	positive("gap_distance", c.GapDistance)
	positive("local", c.Local)
	positive("window", c.Window)
	positive("limits.far", c.Limits.Far)
	positive("limits.clear", c.Limits.Clear)
	if c.Batch < 1 {
		faults = append(faults, fmt.Errorf("batch: must be at least 1, is %d", c.Batch))
	}
	if c.Delay < 0 {
		faults = append(faults, fmt.Errorf("delay: must not be negative, is %d", c.Delay))
	}
	return errors.Join(faults...)
}
