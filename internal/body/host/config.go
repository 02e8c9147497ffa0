package host

import (
	"time"

	"sarathi/internal/config"
)

// Config is what an operator can choose about the node that hosts the body.
type Config struct {
	SkillTimeout time.Duration `doc:"a skill that runs longer is answered with: it still runs"`
	Silence      time.Duration `doc:"a body that reports nothing for this long counts as not connected"`
	FaultMemory  time.Duration `doc:"how long a fault stays in the status"`
}

// DefaultConfig returns values that suit every body.
func DefaultConfig() Config {
	return Config{SkillTimeout: 10 * time.Second, Silence: time.Second, FaultMemory: time.Minute}
}

// Validate reports what the node cannot work with.
func (c Config) Validate() error {
	var p config.Problems
	p.DurationInRange("skill_timeout", c.SkillTimeout, 100*time.Millisecond, 10*time.Minute)
	p.DurationInRange("silence", c.Silence, 200*time.Millisecond, time.Minute)
	p.DurationInRange("fault_memory", c.FaultMemory, time.Second, time.Hour)
	return p.Err()
}
