package hal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"sarathi/driver"
)

// AgentStats counts what an agent has seen since it was made.
type AgentStats struct {
	Controllers uint64 // that were served
	Rejected    uint64 // that came while another was served, or without the token
	Frames      uint64 // received
	Malformed   uint64 // frames that were dropped because they could not be understood
	Stale       uint64 // cmd frames that were ignored: repeated, or older than the last
	Refused     uint64 // cmd frames that the e-stop or the body did not let through
	Watchdog    uint64 // times the body was stopped because no control frame came
	Telemetry   uint64 // frames queued
	Replaced    uint64 // telemetry frames that a slow link never carried, because a newer one came
}

// Agent serves a driver.Driver to one controller at a time. Run (or Serve) runs it; ServeHTTP takes its WebSocket connections.
type Agent struct {
	cfg   AgentConfig
	log   *slog.Logger
	body  *body
	scale scale

	// Set by Run before it lets controllers in.
	caps  driver.Capabilities
	hello Hello
	id    string
	beat  driver.Stream // whose messages make telemetry
	beats bool          // there is one

	mu      sync.Mutex
	started bool
	running context.Context //nolint:containedctx // that of Run; it ends the sessions, whose requests outlive their handlers' contexts
	since   time.Time       // of the start
	guard   driver.Guard    // the connection handler's own latch and watchdog; the driver has another
	latched bool            // by a controller: only a controller's release opens it
	latch   driver.EStopState
	control bool // a control frame came that has not timed out
	report  report
	session *session // that has the robot
	skills  map[string]*running
	number  uint64 // of sessions
	stats   AgentStats

	sessions sync.WaitGroup
}

// running is a skill under way.
type running struct {
	session *session
	id      string // as the controller names the robot
	reqID   string
	joints  bool
}

// NewAgent returns an agent for a body that nobody else uses.
func NewAgent(d driver.Driver, cfg AgentConfig) (*Agent, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("hal agent: %w", err)
	}
	cfg = cfg.filled()
	b, err := newBody(d)
	if err != nil {
		return nil, fmt.Errorf("hal agent: %w", err)
	}
	s, err := newScale(cfg.Units)
	if err != nil {
		return nil, fmt.Errorf("hal agent: %w", err)
	}
	return &Agent{
		cfg: cfg, log: cfg.Log, body: b, scale: s, guard: driver.Guard{Timeout: cfg.Watchdog}, skills: map[string]*running{},
	}, nil
}

// watchPeriod is how often the agent looks at its watchdog.
const watchPeriod = 10 * time.Millisecond

// Run makes contact with the body and serves it until ctx ends, or the body is lost and the error says so. The body stands still when it
// returns, and no controller is left.
func (a *Agent) Run(ctx context.Context) error { return a.run(ctx, func() {}) }

// run is Run; it calls started when controllers are let in.
func (a *Agent) run(ctx context.Context, started func()) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if c := a.body.connector; c != nil {
		if err = c.Connect(ctx); err != nil {
			return fmt.Errorf("connect to the body: %w", err)
		}
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	if refused := a.start(ctx); refused != nil {
		return refused
	}
	started()
	lost := make(chan error, 1)
	go func() { lost <- a.body.run(ctx) }()
	defer func() {
		a.shut()
		cancel()
		if lost != nil {
			err = errors.Join(err, <-lost)
		}
	}()
	var steps, watch <-chan time.Time
	ticks := func(period time.Duration) (<-chan time.Time, func()) {
		t := time.NewTicker(period)
		return t.C, t.Stop
	}
	period := time.Duration(0)
	if a.body.stepper != nil {
		period = a.body.stepper.Period()
		c, stop := ticks(period)
		defer stop()
		steps = c
	}
	if period == 0 || period > watchPeriod { // a body that steps faster is watched at each step: a timer less to wake up for
		c, stop := ticks(watchPeriod)
		defer stop()
		watch = c
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-lost:
			lost = nil
			return err
		case <-steps:
			a.body.step(a.now())
			if watch == nil {
				a.watch(a.now())
			}
		case <-watch:
			a.watch(a.now())
		}
	}
}

func (a *Agent) now() time.Time { return a.cfg.Clock.Now() }

// start starts the body and lets controllers in.
func (a *Agent) start(ctx context.Context) error {
	caps := a.body.driver.Capabilities()
	if err := caps.Validate(); err != nil {
		return err
	}
	a.mu.Lock()
	a.caps, a.hello = caps, Hello{Caps: wireCapabilities(caps, a.cfg.Units, a.scale)}
	a.beat, a.beats = primary(caps)
	if a.id = a.cfg.ID; a.id == "" {
		a.id = caps.Kind
	}
	a.mu.Unlock()
	now := a.now()
	if err := a.body.start(now, (*agentSink)(a)); err != nil {
		return fmt.Errorf("start of body %s: %w", caps.Kind, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.started, a.running, a.since = true, ctx, now
	a.report.ready = false
	return nil
}

// shut lets nobody in any more, and brings the body to a stand.
func (a *Agent) shut() {
	a.mu.Lock()
	a.started = false
	s := a.session
	a.mu.Unlock()
	if s != nil {
		s.cancel(&closing{statusGoingAway, "the agent is shut down"})
	}
	a.sessions.Wait()
	a.halt(a.now(), "the agent is shut down")
}

// halt stops the body and gives up its skills.
func (a *Agent) halt(now time.Time, why string) {
	a.mu.Lock()
	a.guard.Stop()
	a.control = false
	a.mu.Unlock()
	if err := a.body.command(now, driver.Velocity{}); err != nil && !errors.Is(err, driver.ErrEStopped) {
		a.log.Warn("body refuses to stop", "err", err)
	}
	a.body.cancel(now, why)
}

// watch is the watchdog: without a valid cmd or setJoints the velocity is zero and the joints rest. Other skills go on: they move the body
// by its own plan.
func (a *Agent) watch(now time.Time) {
	a.mu.Lock()
	expired := a.control && !a.guard.Fresh(now)
	joints := false
	if expired {
		a.control = false
		a.stats.Watchdog++
		for _, r := range a.skills {
			joints = joints || r.joints
		}
	}
	beat := a.session != nil && !a.beats
	a.mu.Unlock()
	if expired {
		_ = a.body.command(now, driver.Velocity{}) // a latched body stands already
		if joints {
			a.body.cancel(now, fmt.Sprintf("watchdog: no control frame for %v", a.cfg.Watchdog))
		}
	}
	if beat {
		a.tell(now)
	}
}

// tell sends telemetry to the controller, if there is one.
func (a *Agent) tell(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tellLocked(now)
}

func (a *Agent) tellLocked(now time.Time) {
	s := a.session
	if s == nil || !s.welcomed || !a.report.complete(a.caps, now.Sub(a.since)) {
		return
	}
	if !a.beats { // the body has no beat of its own
		if now.Sub(s.told) < time.Duration(float64(time.Second)/a.caps.RateHz) {
			return
		}
		s.told = now
	}
	a.stats.Telemetry++
	s.link.out.replace(a.report.telemetry(now, a.id, a.caps.DOF, a.latchLocked(), a.scale))
}

// latchLocked is the latch as a controller sees it: that of the connection handler or that of the driver.
func (a *Agent) latchLocked() driver.EStopState {
	out := a.guard.State()
	out.Held = out.Held || a.latch.Held
	if !out.Engaged {
		out.Engaged, out.Reason = a.latch.Engaged, a.latch.Reason
	}
	return out
}

// EStopState returns the latch as a controller sees it.
func (a *Agent) EStopState() driver.EStopState {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.latchLocked()
}

// Stats returns what was counted so far.
func (a *Agent) Stats() AgentStats {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := a.stats
	if a.session != nil {
		out.Replaced += a.session.link.out.lost()
	}
	return out
}

// Controller returns the name of the controller that has the robot, "" when none has.
func (a *Agent) Controller() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.session == nil {
		return ""
	}
	return a.session.name
}
