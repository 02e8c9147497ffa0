// Package config reads YAML strictly: robot profiles, scenes, scenarios. It is the one place that knows the YAML library.
//
// [Decode] lays a file over defaults, applies --set overrides, validates, and reports every problem at once, each with its place:
//
//	profiles/my.yaml:12: control.remote_timeout: 0s is out of range 100ms..1s: write a duration between them
//	profiles/my.yaml:14: control.feild: unknown key: did you mean field?
//	--set robot.limits[0]=fast: "fast" is not a number
//
// # How a component is configured
//
// A component owns a struct with its defaults and its rules; the profile only composes such structs.
//
//	// Config is what an operator can choose about the mux.
//	type Config struct {
//		RemoteTimeout time.Duration `doc:"a remote source that is silent for this long is dropped"`
//		MaxSpeed      float64       `unit:"m/s" doc:"fastest a remote source may drive"`
//		Source        string        `doc:"who may drive: handheld or dashboard"`
//		Limits        [3]float64    `doc:"largest |vx|, |vy| (m/s), |wz| (rad/s)"`
//	}
//
//	// DefaultConfig returns values that suit a robot of the size of a dog.
//	func DefaultConfig() Config {
//		return Config{RemoteTimeout: 300 * time.Millisecond, MaxSpeed: 1, Source: "handheld", Limits: [3]float64{1, 0.5, 1.5}}
//	}
//
//	// Validate reports every value that the mux cannot work with.
//	func (c Config) Validate() error {
//		var p config.Problems
//		p.DurationInRange("remote_timeout", c.RemoteTimeout, 50*time.Millisecond, 5*time.Second)
//		p.InRange("max_speed", c.MaxSpeed, 0, 3, "m/s")
//		p.OneOf("source", c.Source, "handheld", "dashboard")
//		for i, v := range c.Limits {
//			p.InRange(fmt.Sprintf("limits[%d]", i), v, 0, 5, "")
//		}
//		p.Require(c.MaxSpeed <= c.Limits[0], "max_speed", "is above limits[0]: lower it to %g", c.Limits[0])
//		return p.Err()
//	}
//
// A key is the field's name in snake_case (RemoteTimeout → remote_timeout); a tag `yaml:"name"` gives it another one, and `yaml:"-"`
// keeps a field out. Embedded structs add their keys to the struct around them. The tags doc and unit feed [Explain]; durations need
// no unit, and degrees appear only in keys that end in _deg.
//
// Decode calls Validate on every value that has it, at every depth, so a Validate looks at its own fields and at relations between
// them, and leaves its parts alone. Packages that may not import this one (algo, sim) return plain errors, several joined with
// [errors.Join], whose text begins with the key: "lookahead: -1 m is negative: write 0 or more".
//
// # What a field may be
//
// bool, string, integers, floats, [time.Duration], structs, arrays, slices, maps with string keys, pointers (nil is "not given"), types
// that implement [encoding.TextUnmarshaler], and [encoding/json.RawMessage] for data that somebody else will check. Lists replace
// their default; maps merge into it. Elements that need defaults of their own implement [Defaulter].
//
// Nothing is converted silently: 250 is no duration, "1.5" is no number, 3.0 is no whole number, NaN and infinities are refused
// everywhere. Anchors, aliases, merges and tags are not supported.
package config
