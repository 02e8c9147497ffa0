package hal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"sarathi/driver"
)

// Codes of the faults that a controller reports of its link.
const (
	codeLost  = "hal_link_lost"
	codeStale = "hal_telemetry_stale"
	codeHeard = "hal_link_back"
)

// errNoLink refuses what needs a link.
var errNoLink = errors.New("there is no link to the robot")

// ControllerStats tells how a controller's link does.
type ControllerStats struct {
	Connected  bool
	RTT        time.Duration // of the last pong; 0 before the first
	Age        time.Duration // of the last telemetry; 0 before the first
	Links      uint64        // that were made so far
	Telemetry  uint64        // frames received
	Malformed  uint64        // frames that were dropped because they could not be understood
	Commands   uint64        // cmd frames queued
	Superseded uint64        // cmd frames that a slow link never carried, because a newer one came
}

// Controller is the driver of a robot at the other end of a HAL link: a driver.Runner and a driver.Connector. All methods may be called
// from any goroutine.
type Controller struct {
	cfg ControllerConfig
	url string
	log *slog.Logger

	mu    sync.Mutex
	wire  Capabilities // as hello says
	caps  driver.Capabilities
	scale scale
	id    string // of the robot, as its telemetry says
	sink  driver.Sink

	guard   driver.Guard // what the user and the robot latch; its watchdog is the robot's business
	mine    bool         // the user engaged the latch and has not released it
	opening time.Time    // when a release was sent that the robot has not confirmed; zero when none was
	link    *uplink      // nil while there is none
	next    *uplink      // made by Connect, for Run
	skills  map[string]*asked
	number  uint64 // of requests
	seq     int64

	faults map[string]time.Time // when a code was last reported
	reason string               // why the robot latched, as its last fault of that code says
	why    time.Time            // when it said so
	stats  ControllerStats
}

// asked is a skill that the robot was asked for.
type asked struct {
	reqID    string // of the user
	accepted bool
	progress float64
}

var (
	_ driver.Runner     = (*Controller)(nil)
	_ driver.Connector  = (*Controller)(nil)
	_ driver.PoseSetter = (*Controller)(nil)
)

// NewController returns a controller that has not made contact yet.
func NewController(cfg ControllerConfig) (*Controller, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("hal controller: %w", err)
	}
	cfg = cfg.filled()
	url, err := cfg.address()
	if err != nil {
		return nil, err
	}
	return &Controller{
		cfg: cfg, url: url, log: cfg.Log, skills: map[string]*asked{}, faults: map[string]time.Time{}, sink: nobody{},
	}, nil
}

func (c *Controller) now() time.Time { return c.cfg.Clock.Now() }

// Capabilities implements driver.Driver. They are known after Connect.
func (c *Controller) Capabilities() driver.Capabilities {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.caps
}

// Start implements driver.Driver.
func (c *Controller) Start(now time.Time, out driver.Sink) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.caps.Kind == "" {
		return errors.New("start before Connect")
	}
	c.failSkillsLocked("its host was replaced")
	c.sink = out
	c.guard.Stop()
	if c.next != nil && c.link == nil {
		c.beginLocked(now, c.next) // what is asked before Run waits in the outbox
	}
	c.sendVelocityLocked(driver.Velocity{})
	if c.guard.State().Engaged {
		out.EStop(c.guard.State())
	}
	return nil
}

// Command implements driver.Driver. HAL has no lateral motion: VY is ignored, and its limit is 0.
func (c *Controller) Command(now time.Time, v driver.Velocity) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.guard.Command(now, v)
	if errors.Is(err, driver.ErrNotFinite) {
		c.sendVelocityLocked(driver.Velocity{})
	}
	if err != nil {
		return err
	}
	v = c.caps.Limits.Clamp(v)
	if err := c.mayMoveLocked(v); err != nil {
		c.sendVelocityLocked(driver.Velocity{})
		return err
	}
	c.sendVelocityLocked(v)
	return nil
}

// mayMoveLocked says why a velocity is not passed on.
func (c *Controller) mayMoveLocked(v driver.Velocity) error {
	zero := v == driver.Velocity{}
	switch l := c.link; {
	case l == nil:
		return fmt.Errorf("%w: %w", driver.ErrNotReady, errNoLink)
	case zero:
		l.neutral = true
	case !l.neutral:
		return fmt.Errorf("%w: the link to the robot was lost and is new: stop first, then move", driver.ErrNotReady)
	case l.stale:
		return fmt.Errorf("%w: the robot's telemetry is older than %v", driver.ErrNotReady, c.telemetryLimitLocked())
	}
	return nil
}

// sendVelocityLocked sends a cmd in place of one that still waits.
func (c *Controller) sendVelocityLocked(v driver.Velocity) {
	if c.link == nil {
		return
	}
	c.seq++
	c.stats.Commands++
	c.link.out.replace(Cmd{ID: c.id, V: v.VX / c.scale.len, W: v.WZ / c.scale.ang, Seq: c.seq})
}

// SetPose implements driver.PoseSetter (HAL: pose). A robot whose odometry cannot be given a new origin answers with a fault.
func (c *Controller) SetPose(_ time.Time, x, y, theta float64) error {
	if !finite(x, y, theta) {
		return fmt.Errorf("set odometry to %v, %v, %v: %w", x, y, theta, driver.ErrNotFinite)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == nil {
		return fmt.Errorf("%w: %w", driver.ErrNotReady, errNoLink)
	}
	c.link.out.put(Pose{ID: c.id, X: x / c.scale.len, Y: y / c.scale.len, Theta: theta / c.scale.ang})
	c.link.jumped = true
	return nil
}

// EStop implements driver.EStopper. Without a link it is remembered, and engaged in the robot when the link is back.
func (c *Controller) EStop(now time.Time, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.eStopLocked(now, reason)
}

func (c *Controller) eStopLocked(now time.Time, reason string) {
	changed := c.guard.EStop(reason)
	c.mine, c.opening = true, time.Time{}
	if l := c.link; l != nil {
		l.out.drop()
		l.out.put(EStop{Reason: reason})
		l.fenceLocked(now)
	}
	if changed {
		c.failSkillsLocked("e-stop: " + reason)
		c.sink.EStop(c.guard.State())
	}
}

// Release implements driver.EStopper. The latch is reported as released when the robot says so.
func (c *Controller) Release(now time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	state := c.guard.State()
	switch {
	case state.Held:
		return fmt.Errorf("%w: the robot holds its e-stop", driver.ErrHeld)
	case c.link == nil:
		return fmt.Errorf("%w: %w", driver.ErrNotReady, errNoLink)
	}
	c.mine = false
	c.link.out.put(Release{})
	c.link.fenceLocked(now)
	if state.Engaged {
		c.opening = now
	}
	return nil
}

// Confirmed reports whether the robot has confirmed the last EStop or Release: its telemetry says of the latch what this end believes.
func (c *Controller) Confirmed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.link != nil && c.link.settled
}

// maxAsked bounds the skills that have not ended.
const maxAsked = 64

// Skill implements driver.Driver. What the robot refuses is reported as accepted and failed: its answer comes later.
func (c *Controller) Skill(now time.Time, req driver.SkillRequest) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.checkSkillLocked(req); err != nil {
		return err
	}
	if req.Name == driver.SkillEmergencyStop {
		c.eStopLocked(now, "emergency_stop was called")
	}
	c.number++
	reqID := fmt.Sprintf("%s#%d", req.Name, c.number)
	c.skills[reqID] = &asked{reqID: req.ReqID}
	c.link.out.put(Skill{ID: c.id, Skill: req.Name, ReqID: reqID, Args: Args{
		Joints: angles(req.Args.Joints, 1/c.scale.ang), Gripper: req.Args.Gripper, Values: req.Args.Values,
	}})
	return nil
}

// checkSkillLocked says why a skill is refused before the robot is asked.
func (c *Controller) checkSkillLocked(req driver.SkillRequest) error {
	state := c.guard.State()
	switch {
	case !slices.Contains(c.caps.Skills, req.Name):
		return fmt.Errorf("%w: %q", driver.ErrUnknownSkill, req.Name)
	case state.Engaged && req.Name != driver.SkillEmergencyStop:
		return fmt.Errorf("%w: %s", driver.ErrEStopped, state.Reason)
	}
	values := make([]float64, 0, len(req.Args.Joints)+1)
	values = append(values, req.Args.Joints...)
	if req.Args.Gripper != nil {
		values = append(values, *req.Args.Gripper)
	}
	for _, v := range req.Args.Values {
		values = append(values, v)
	}
	switch {
	case req.Name == driver.SkillSetJoints && len(req.Args.Joints) != c.caps.DOF:
		return fmt.Errorf("%w: %d joints, want %d", driver.ErrBadArgs, len(req.Args.Joints), c.caps.DOF)
	case !finite(values...):
		return fmt.Errorf("%w: they must be finite", driver.ErrBadArgs)
	case c.link == nil:
		return fmt.Errorf("%w: %w", driver.ErrNotReady, errNoLink)
	case len(c.skills) >= maxAsked:
		return fmt.Errorf("%w: %d of them", driver.ErrBusy, len(c.skills))
	}
	return nil
}

// failSkillsLocked ends all skills that were asked for.
func (c *Controller) failSkillsLocked(why string) {
	for _, id := range sortedKeys(c.skills) {
		c.finishLocked(id, SkillResult{Status: driver.SkillFailed, Err: why})
	}
}

// finishLocked reports what the robot says of a skill, in the order that a driver owes: accepted first, progress never back, one end.
func (c *Controller) finishLocked(id string, f SkillResult) {
	s := c.skills[id]
	if s == nil {
		return
	}
	if f.Progress != nil {
		s.progress = max(s.progress, *f.Progress)
	}
	if !s.accepted {
		s.accepted = true
		c.sink.SkillResult(driver.SkillResult{ReqID: s.reqID, Status: driver.SkillAccepted})
	}
	r := driver.SkillResult{ReqID: s.reqID, Status: f.Status, Progress: s.progress}
	switch f.Status {
	case driver.SkillAccepted:
		return
	case driver.SkillDone:
		r.Progress = 1
	case driver.SkillFailed:
		if r.Err = f.Err; r.Err == "" {
			r.Err = "the robot gives no reason"
		}
	case driver.SkillRunning:
	}
	if f.Status.Final() {
		delete(c.skills, id)
	}
	c.sink.SkillResult(r)
}

// Stats returns how the link does.
func (c *Controller) Stats() ControllerStats {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.stats
	if l := c.link; l != nil {
		out.Connected = true
		out.RTT = l.rtt
		out.Superseded += l.out.lost()
		if !l.telemetryAt.IsZero() {
			out.Age = now.Sub(l.telemetryAt)
		}
	}
	return out
}

// Connect implements driver.Connector. It tries again until it succeeds or ctx ends; a robot that cannot be understood is refused at once.
func (c *Controller) Connect(ctx context.Context) error {
	l, err := c.reach(ctx, true)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = l
	return nil
}

// Close implements driver.Connector.
func (c *Controller) Close() error {
	c.mu.Lock()
	l := c.next
	c.next, c.link = nil, nil
	c.mu.Unlock()
	if l != nil { // Run never came
		l.end(&closing{statusNormal, "the controller is closed"})
	}
	return nil
}
