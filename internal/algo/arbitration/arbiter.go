package arbitration

import (
	"errors"
	"fmt"
	"time"

	"sarathi/internal/algo/arbitration/field"
	"sarathi/internal/geom"
)

// Output is what the owner must do after a call.
type Output struct {
	// Velocity is to be sent to the body when Publish is set. It is finite and within the limits of the body, always.
	Velocity geom.Velocity
	Publish  bool

	PauseNavigation  bool // navigation must be paused now
	ResumeNavigation bool // navigation may be resumed: selecting remote had paused it, and remote is over
	StatusChanged    bool // Status says something new
}

// Arbiter is the control mux without its messages. Use New. It is not safe for concurrent use.
//
// Every method that takes the time may be called in any order and at any rate; Tick must be called at least Config.Rate times a second.
type Arbiter struct {
	cfg    Config
	limits geom.Velocity
	field  *field.Field

	inputs [sourceCount]input
	mode   Mode
	remote Source // selected for remote mode
	arming arming
	estop  estop
	scale  float64
	scaled time.Time // when the health monitor last spoke, zero before it has

	refusal string // why the body obeys no command, in its own words

	navStarted bool // navigation was started or resumed, and nothing has paused it since
	pauseDue   bool // navigation has not been told yet that a jump of the clock has ended it
	navPaused  bool // it was running when remote was selected, so it goes on when remote is over

	started bool
	last    time.Time // of the last call
	decided time.Time // of the last decision

	// of the last decision
	active    Source
	requested geom.Velocity
	sent      geom.Velocity
	shown     essence
}

// New returns an Arbiter in mode auto, with navigation not started, nothing armed and no scan seen.
func New(cfg Config, body Body) (*Arbiter, error) {
	if err := errors.Join(cfg.Validate(), cfg.Ramp.Validate()); err != nil {
		return nil, fmt.Errorf("control mux: %w", err)
	}
	f, err := field.New(cfg.Field, field.Body{Footprint: body.Footprint, Limits: body.Limits, Period: cfg.period()})
	if err != nil {
		return nil, fmt.Errorf("control mux: %w", err)
	}
	a := &Arbiter{cfg: cfg, limits: body.Limits, field: f, remote: Handheld, scale: 1}
	remote := input{limits: velocity(cfg.RemoteLimits).Clamp(body.Limits), timeout: cfg.RemoteTimeout - cfg.period()}
	a.inputs[Navigation] = input{
		limits: velocity(cfg.NavigationLimits).Clamp(body.Limits), timeout: cfg.NavigationTimeout - cfg.period(),
	}
	a.inputs[Handheld], a.inputs[Dashboard] = remote, remote
	a.shown = a.essence()
	return a, nil
}

// Command takes what a source asks for. A command of the selected source is answered at once; others change nothing. One that is not
// finite counts as silence: zero, the watchdog is not refreshed, and a remote source must arm again.
func (a *Arbiter) Command(now time.Time, from Source, v geom.Velocity) Output {
	jumped := a.advance(now)
	if from == None || from >= sourceCount {
		return a.quiet(jumped, now)
	}
	in := &a.inputs[from]
	a.expire(now)
	switch {
	case !v.IsFinite():
		in.drop()
	case from != Navigation && neutral(v): // a stick that is at rest, but for its noise
		in.take(now, geom.Velocity{})
	default:
		in.take(now, v)
	}
	if from != a.selected() {
		return a.quiet(jumped, now)
	}
	if a.mode == Remote && !a.estop.engaged {
		if v.IsFinite() {
			a.arming.see(v)
		} else {
			a.arming.disarm()
		}
	}
	return a.decide(now)
}

// Tick repeats the decision.
func (a *Arbiter) Tick(now time.Time) Output {
	a.advance(now)
	return a.decide(now)
}

// SetMode chooses who drives: "auto", or "remote" with "handheld" or "dashboard". The answer is a zero, also when nothing changes. In
// auto the source is ignored. A name that is not known is refused and changes nothing.
func (a *Arbiter) SetMode(now time.Time, mode, source string) (Output, error) {
	jumped := a.advance(now)
	m, err := ParseMode(mode)
	if err != nil {
		return a.quiet(jumped, now), fmt.Errorf("set mode: %w", err)
	}
	if m == Remote {
		s, err := ParseRemoteSource(source)
		if err != nil {
			return a.quiet(jumped, now), fmt.Errorf("set mode: %w", err)
		}
		a.remote = s
	}
	a.mode = m
	a.arming.disarm()
	for i := range a.inputs {
		a.inputs[i].drop()
	}
	var effects Output
	if m == Remote {
		effects.PauseNavigation = true
		a.navPaused = a.navPaused || a.navStarted
		a.navStarted = false
	} else {
		effects.ResumeNavigation = a.navPaused && !a.estop.engaged
		a.navPaused = false
	}
	return with(effects, a.decide(now)), nil
}

// EngageEStop engages the software e-stop, for anyone, at any time. The answer is a zero.
func (a *Arbiter) EngageEStop(now time.Time, reason string) Output {
	a.advance(now)
	a.estop.request(reason)
	return a.stopped(now)
}

// Hold engages the e-stop for as long as c lasts, and until it is released after that. The answer is a zero.
func (a *Arbiter) Hold(now time.Time, c Cause) Output {
	jumped := a.advance(now)
	if c >= causeCount {
		c = MuxFault
	}
	if a.estop.held[c] {
		return a.quiet(jumped, now) // the latch is engaged; ticks repeat the zero
	}
	a.estop.hold(c)
	return a.stopped(now)
}

// Drop says that c has ended. The e-stop stays engaged.
func (a *Arbiter) Drop(now time.Time, c Cause) Output {
	jumped := a.advance(now)
	if c < causeCount {
		a.estop.drop(c)
	}
	return a.quiet(jumped, now)
}

// ReleaseEStop opens the latch. It is refused with a [*ReleaseError] while a cause is held. It never moves the robot: afterwards remote
// sources are disarmed and navigation is not started. When the e-stop is not engaged nothing happens.
func (a *Arbiter) ReleaseEStop(now time.Time) (Output, error) {
	jumped := a.advance(now)
	if !a.estop.engaged {
		return a.quiet(jumped, now), nil
	}
	if err := a.estop.release(); err != nil {
		return a.quiet(jumped, now), err
	}
	a.disable()
	return a.decide(now), nil
}

// NavigationStarted says that a person or a behaviour started or resumed navigation. In mode remote and while the e-stop is engaged it
// does not count, and navigation is asked to pause.
func (a *Arbiter) NavigationStarted(now time.Time) Output {
	jumped := a.advance(now)
	if a.mode != Auto || a.estop.engaged {
		return with(Output{PauseNavigation: true}, a.quiet(jumped, now))
	}
	if !a.navStarted {
		a.inputs[Navigation].drop() // what it said before does not count
		a.navStarted = true
	}
	return a.quiet(jumped, now)
}

// NavigationPaused says that navigation was paused, by whomever. If it had the robot the answer is a zero.
func (a *Arbiter) NavigationPaused(now time.Time) Output {
	jumped := a.advance(now)
	if !a.navStarted {
		return a.quiet(jumped, now)
	}
	a.navStarted = false
	a.inputs[Navigation].drop()
	return a.decide(now)
}

// NavigationStopped says that navigation has ended, arrived or failed: as NavigationPaused, and there is nothing left to resume.
func (a *Arbiter) NavigationStopped(now time.Time) Output {
	a.navPaused = false
	return a.NavigationPaused(now)
}

// SetSpeedScale takes the factor of the health monitor, 0..1; anything that is no number is 0. Zero is answered at once.
func (a *Arbiter) SetSpeedScale(now time.Time, scale float64) Output {
	jumped := a.advance(now)
	a.scale, a.scaled = finiteScale(scale), now
	if a.scale == 0 {
		return a.decide(now)
	}
	return a.quiet(jumped, now)
}

// BodyLost says that contact with the body was lost, or that its driver was started anew: nothing that was asked before counts, a
// remote source must arm again and navigation must be started anew.
func (a *Arbiter) BodyLost(now time.Time) Output {
	a.advance(now)
	return a.stopped(now)
}

// SetRefusal takes the body's own word for why it obeys no command, "" when it does. A stick that is held while the body refuses must not
// move it the moment it obeys again, so a remote source must arm anew.
func (a *Arbiter) SetRefusal(now time.Time, why string) Output {
	jumped := a.advance(now)
	if why == "" {
		a.refusal = ""
		return a.quiet(jumped, now)
	}
	a.refusal = clean(why)
	if a.mode == Remote && a.arming.armed() {
		a.arming.disarm()
		return a.decide(now)
	}
	return a.quiet(jumped, now)
}

// ObserveScan takes a safety scan; the next decision looks at it. A scan that is refused (see [field.Field.Observe]) refreshes nothing.
func (a *Arbiter) ObserveScan(now time.Time, s field.Scan) (Output, error) {
	jumped := a.advance(now)
	err := a.field.Observe(now, s)
	return a.quiet(jumped, now), err
}

// selected is the source that the mode gives the robot to.
func (a *Arbiter) selected() Source {
	if a.mode == Auto {
		return Navigation
	}
	return a.remote
}

// mayMove reports whether commands of the selected source may move the robot, e-stop and field aside.
func (a *Arbiter) mayMove() bool {
	if a.mode == Auto {
		return a.navStarted
	}
	return a.arming.armed()
}
