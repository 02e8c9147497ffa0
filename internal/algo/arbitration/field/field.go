package field

import (
	"fmt"
	"math"
	"time"

	"sarathi/internal/geom"
)

// State says what the field does, in the words of the specification (ControlStatus.field).
type State uint8

// The states of the field.
const (
	Off     State = iota // configured off
	Clear                // nothing in the direction of travel
	Limited              // slowed down to what can still be stopped
	Stop                 // something is too near in the direction of travel, or was less than ReleaseAfter ago
	Stale                // no scan for ScanTimeout
	Blind                // the direction of travel is not covered by the scan
)

// String is the word the specification uses.
func (s State) String() string {
	if names := [...]string{"off", "clear", "limited", "stop", "stale", "blind"}; int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("field.State(%d)", uint8(s))
}

// Report is what an observer may know about the last decision.
type Report struct {
	State    State
	Distance float64 // free way in the direction of travel [m]; +Inf: nothing near; NaN: not moving or not observed
	Waiting  bool    // the way is clear again, but not yet for ReleaseAfter
}

// Decision is the answer of [Field.Limit].
type Decision struct {
	// Halt asks for zero at once, past every ramp.
	Halt bool
	// Velocity is what may be aimed at: the wanted velocity, scaled. Zero when Halt is set.
	Velocity geom.Velocity
}

// Field decides. Use New. It is not safe for concurrent use; all calls get the time from the same clock, which does not run backwards.
type Field struct {
	cfg     Config
	model   model
	outline *outline
	grown   float64 // reach of the outline with clearance [m]
	spacing float64 // of samples [m]

	motion motion

	// owned by Observe
	haveScan bool
	stamp    time.Time
	sectors  *sectors
	world    world      // in the frame of the scan
	memory   memory     // of the scans before
	since    geom.Pose2 // pose of base_link now, in that frame

	// owned by Limit: the world moved into the present frame
	obstacles []geom.Vec2
	unknown   []geom.Vec2

	hold   hold
	report Report
}

// New returns a field that has seen no scan yet, so it is Stale (or Off).
func New(cfg Config, body Body) (*Field, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("protective field: %w", err)
	}
	if err := body.Validate(); err != nil {
		return nil, fmt.Errorf("protective field: %w", err)
	}
	f := &Field{cfg: cfg, outline: newOutline(body.Footprint, cfg.Clearance)}
	f.model = newModel(cfg, body, f.outline.reach)
	f.grown = f.outline.reach + cfg.Clearance
	f.spacing = 2 * cfg.Clearance
	f.motion = newMotion(&f.model)
	f.report = Report{State: Stale, Distance: math.NaN()}
	if !cfg.Enabled {
		f.report.State = Off
	}
	return f, nil
}

// Observe takes a scan. A malformed one, one from the future and one no newer than the last is refused with an error that wraps
// [ErrScan]; it refreshes nothing, so a source that sends only such scans goes stale. Allocates only when the layout of the sectors
// changes or more points are seen than ever before.
func (f *Field) Observe(now time.Time, s Scan) error {
	if err := s.validate(); err != nil {
		return err
	}
	if s.Stamp.After(now) {
		return fmt.Errorf("%w: stamped %s in the future: check the clock of its source", ErrScan, s.Stamp.Sub(now))
	}
	if f.haveScan && f.stamp.After(now) {
		f.haveScan = false // the clock was set back: what was heard before proves nothing
	}
	if f.haveScan && !s.Stamp.After(f.stamp) {
		return fmt.Errorf("%w: no newer than the last one", ErrScan)
	}
	if !f.sectors.fits(&s) {
		f.sectors = newSectors(&s, f.outline, f.spacing)
	}
	if f.haveScan {
		f.memory.keep(f.stamp, &f.world, f.outline.reach+rememberWithin, now)
	}
	f.world.read(&s, f.sectors, f.spacing, f.model.lookahead)
	f.haveScan, f.stamp = true, s.Stamp
	return nil
}

// Sent tells the field what was really sent to the body at the time of the last Limit.
func (f *Field) Sent(v geom.Velocity) { f.motion.command(v) }

// Forget drops the scan and the past, after a jump of the clock to now. The field is Stale until the next scan.
func (f *Field) Forget(now time.Time) {
	f.haveScan = false
	f.memory.expire(now.Add(2 * rememberFor)) // all of it: how far the body went since is not known
	f.motion.forget(now)
}

// Report describes the last decision.
func (f *Field) Report() Report { return f.report }

// Limit decides about the wanted velocity, which is finite. It must be called at least once a Period, also when nothing is wanted.
func (f *Field) Limit(now time.Time, want geom.Velocity) Decision {
	f.motion.advance(now)
	if !f.cfg.Enabled {
		f.report = Report{State: Off, Distance: math.NaN()}
		return Decision{Velocity: want}
	}
	if f.stale(now) {
		f.hold.begin(geom.Velocity{}, geom.Vec2{})
		f.report = Report{State: Stale, Distance: math.NaN()}
		return Decision{Halt: true}
	}
	f.moveWorld()
	if f.creepScale(f.motion.velocity) < 1-rounding {
		f.hold.moving = now
	}

	// The motion under way may spend half of the margin before the hard stop: a late tick is no reason for one.
	present := f.judge(f.motion.velocity, f.model.margin/2, 0)
	if present.scale < 1-rounding {
		if present.state == Limited { // slower would be fine, but it is too late to slow down gently
			present.state = Stop
		}
		return f.halt(f.motion.velocity, present)
	}
	wanted := f.judge(want, f.model.margin, f.model.period)
	if wanted.state == Stop || wanted.state == Blind {
		return f.halt(want, wanted)
	}
	if f.hold.active && !f.released(now, want) {
		return f.whileHeld(now, want, wanted)
	}
	f.report = Report{State: wanted.state, Distance: wanted.distance}
	if want.IsZero() {
		f.report.Distance = math.NaN()
	}
	return Decision{Velocity: want.Scale(wanted.scale)}
}

// Admit reports whether v, which a ramp made of the last Decision, may be sent for a tick. If not, the caller brakes along the
// present arc instead, which is always safe. To be called after Limit, at the same time.
func (f *Field) Admit(v geom.Velocity) bool {
	if !f.cfg.Enabled {
		return true
	}
	// A body that has to lose speed on one axis while it takes up another does something that nobody asked for.
	mixed := f.motion.mixed(v)
	ok := f.stoppable(v) && (mixed == v || mixed == f.motion.velocity || f.stoppable(mixed))
	if !ok && f.report.State == Clear {
		f.report.State = Limited
	}
	return ok
}

func (f *Field) stoppable(v geom.Velocity) bool {
	return f.judge(v, f.model.margin/2, f.model.period).scale >= 1-rounding && f.coasts(v, f.model.period)
}

// rounding is by how much a scale may miss 1 [relative].
const rounding = 1e-3

// stale reports whether the last scan is too old, or from the future because the clock was set back. It is so one period early, for
// the zero to be sent within the time-out.
func (f *Field) stale(now time.Time) bool {
	age := now.Sub(f.stamp).Seconds()
	return !f.haveScan || age < 0 || age > f.cfg.ScanTimeout.Seconds()-f.model.period
}

// moveWorld carries the scan into the present frame of base_link, by the way since its stamp and the latency before it.
func (f *Field) moveWorld() {
	latency := time.Duration(f.model.latency * float64(time.Second))
	f.since = f.motion.since(f.stamp.Add(-latency))
	f.obstacles = carry(f.obstacles[:0], f.world.obstacles, f.since)
	f.unknown = carry(f.unknown[:0], f.world.unknown, f.since)
	f.memory.expire(f.motion.at)
	for _, l := range f.memory.looks {
		f.obstacles = carry(f.obstacles, l.obstacles, f.motion.since(l.stamp.Add(-latency)))
	}
}

// carry appends points to dst, moved into the frame of a body that stands at pose in the frame of src.
func carry(dst, src []geom.Vec2, pose geom.Pose2) []geom.Vec2 {
	sin, cos := math.Sincos(pose.Theta)
	for _, p := range src {
		x, y := p.X-pose.X, p.Y-pose.Y
		dst = append(dst, geom.Vec2{X: cos*x + sin*y, Y: cos*y - sin*x})
	}
	return dst
}

func (f *Field) halt(u geom.Velocity, v verdict) Decision {
	f.hold.begin(u, v.blocker)
	f.report = Report{State: v.state, Distance: v.distance}
	return Decision{Halt: true}
}
