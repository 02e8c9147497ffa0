package localization

import (
	"fmt"
	"math"
	"time"
)

// Config is what an operator can choose about localization.
type Config struct {
	Slip     float64 `unit:"m" doc:"deviation of odometry after one metre; it grows with the root of the way"`
	Turn     float64 `unit:"rad" doc:"deviation of the heading after a turn by one radian"`
	Drift    float64 `unit:"rad" doc:"deviation of the heading after one metre"`
	MaxJump  float64 `unit:"m" doc:"a correction by more is refused, unless localizing anew"`
	MaxTurn  float64 `unit:"deg" doc:"a correction of the heading by more is refused, unless localizing anew"`
	Outlier  float64 `doc:"a correction that is less likely than this many deviations is refused"`
	MaxTilt  float64 `unit:"deg" doc:"a tag that would have the robot stand more slanted is not believed"`
	TagPlace float64 `unit:"m" doc:"deviation of the recorded place of a tag"`
	TagAngle float64 `unit:"deg" doc:"deviation of the recorded orientation of a tag"`

	Votes     int           `doc:"images that must agree before a tag localizes the robot"`
	Certainty float64       `doc:"how much better the right pose must explain an image than the flipped one, as the logarithm of the ratio of their errors, twice"`
	LostAfter time.Duration `doc:"the estimate is given up when corrections are refused for so long and nothing agrees with it"`
}

// DefaultConfig suits a quadruped with lidar odometry, and wheels that slip by 3 %.
func DefaultConfig() Config {
	return Config{
		Slip: 0.03, Turn: 0.03, Drift: 0.01, MaxJump: 0.5, MaxTurn: 15, Outlier: 4.5, MaxTilt: 10, TagPlace: 0.01, TagAngle: 0.5,
		Votes: 6, Certainty: 1.5, LostAfter: 3 * time.Second,
	}
}

// Validate reports every value that the filter cannot work with. The text of an error begins with the key.
func (c Config) Validate() error {
	for _, v := range []struct {
		key         string
		value       float64
		least, most float64
	}{
		{"slip", c.Slip, 1e-4, 1},
		{"turn", c.Turn, 1e-4, 1},
		{"drift", c.Drift, 1e-5, 1},
		{"max_jump", c.MaxJump, 0.05, 5},
		{"max_turn", c.MaxTurn, 1, 90},
		{"outlier", c.Outlier, 2, 20},
		{"max_tilt", c.MaxTilt, 1, 45},
		{"tag_place", c.TagPlace, 1e-4, 0.5},
		{"tag_angle", c.TagAngle, 0.01, 20},
		{"votes", float64(c.Votes), 1, 50},
		{"certainty", c.Certainty, 0, 20},
		{"lost_after", c.LostAfter.Seconds(), 0.5, 60},
	} {
		if !(v.value >= v.least && v.value <= v.most) {
			return fmt.Errorf("%s: %g is out of range %g..%g: write a value between them", v.key, v.value, v.least, v.most)
		}
	}
	return nil
}

func (c Config) maxTurn() float64  { return c.MaxTurn * math.Pi / 180 }
func (c Config) maxTilt() float64  { return c.MaxTilt * math.Pi / 180 }
func (c Config) tagAngle() float64 { return c.TagAngle * math.Pi / 180 }
