package rosrobot

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"sarathi/driver"
	"sarathi/internal/clock"
	"sarathi/internal/idl"
	"sarathi/rosbridge"
)

// Codes of the faults that the driver itself reports.
const (
	codeLost    = "ros_link_lost"
	codeBack    = "ros_link_back"
	codeEStop   = "ros_estop_unheard"
	codeStale   = "ros_stale_"   // + stream
	codeHeard   = "ros_heard_"   // + stream
	codeStrange = "ros_strange_" // + stream
)

// errNoLink refuses what needs a link.
var errNoLink = errors.New("there is no link to the robot")

// Driver is the driver of a robot with ROS: a driver.Runner and a driver.Connector. All methods may be called from any goroutine.
type Driver struct {
	cfg   Config
	body  Body
	caps  driver.Capabilities
	deps  Deps
	tell  chan struct{} // of one: the robot's e-stop is to be told
	going sync.WaitGroup

	mu      sync.Mutex
	client  *rosbridge.Client // between Connect and Close
	publish func(now time.Time, v driver.Velocity) error
	sink    driver.Sink
	guard   driver.Guard
	streams []*stream
	stamps  stamps
	first   chan struct{} // closed at the first odometry since Connect

	up      bool // there is a link
	links   uint64
	neutral bool // a velocity may be passed on: the link is the first one, or zero was asked for since it was made

	sent   driver.Velocity
	sentAt time.Time
	speak  time.Time // until when zero is repeated after motion

	mine    bool // the user engaged the latch and has not released it
	told    bool // what the robot's own e-stop was last told, and has done
	closing bool
	skills  map[*asked]bool // that run
}

// Deps is what a driver needs from outside.
type Deps struct {
	Clock clock.Clock // nil: the system's
	Log   *slog.Logger
	// Client changes how the robot is reached, nil for not at all: a pipe in tests.
	Client func(*rosbridge.ClientConfig)
}

var (
	_ driver.Runner    = (*Driver)(nil)
	_ driver.Connector = (*Driver)(nil)
	_ driver.Canceler  = (*Driver)(nil)
)

// New returns a driver that has not made contact yet.
func New(cfg Config, body Body, deps Deps) (*Driver, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if deps.Clock == nil {
		deps.Clock = clock.Real{}
	}
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	d := &Driver{
		cfg: cfg, body: body, caps: cfg.capabilities(body), deps: deps, tell: make(chan struct{}, 1), sink: nobody{},
		skills: map[*asked]bool{},
	}
	if err := d.caps.Validate(); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Driver) now() time.Time { return d.deps.Clock.Now() }

// Capabilities implements driver.Driver.
func (d *Driver) Capabilities() driver.Capabilities { return d.caps }

// Start implements driver.Driver.
func (d *Driver) Start(now time.Time, out driver.Sink) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failSkillsLocked("its host was replaced")
	d.sink = out
	d.guard.Stop()
	d.sendLocked(now)
	if d.guard.State().Engaged {
		out.EStop(d.guard.State())
	}
	return nil
}

// Command implements driver.Driver.
func (d *Driver) Command(now time.Time, v driver.Velocity) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.guard.Command(now, v)
	if err == nil {
		err = d.mayMoveLocked(now, d.caps.Limits.Clamp(v))
	}
	if err != nil {
		d.guard.Stop()
	}
	d.sendLocked(now)
	return err
}

// mayMoveLocked says why a velocity is not passed on.
func (d *Driver) mayMoveLocked(now time.Time, v driver.Velocity) error {
	switch zero := v == (driver.Velocity{}); {
	case !d.up:
		return fmt.Errorf("%w: %w", driver.ErrNotReady, errNoLink)
	case zero:
		d.neutral = true
	case !d.neutral:
		return fmt.Errorf("%w: the link to the robot was lost and is new: stop first, then move", driver.ErrNotReady)
	case d.streams[0].stale(now):
		return fmt.Errorf("%w: the robot's odometry is stale", driver.ErrNotReady)
	}
	return nil
}

// velocityLocked is what the robot may do now.
func (d *Driver) velocityLocked(now time.Time) driver.Velocity {
	return d.caps.Limits.Clamp(d.guard.Velocity(now))
}

// sendLocked sends the present velocity.
func (d *Driver) sendLocked(now time.Time) {
	if !d.up || d.publish == nil {
		return
	}
	v := d.velocityLocked(now)
	if v != (driver.Velocity{}) || d.sent != (driver.Velocity{}) {
		d.speak = now.Add(zeroFor)
	}
	d.sent, d.sentAt = v, now
	if err := d.publish(now, v); err != nil {
		d.deps.Log.Debug("velocity not sent", "err", err) // the link is being lost: OnLink follows
	}
}

// zeroFor is how long zero is repeated after motion. Then the driver is silent until the next command, so that others may drive the robot.
const zeroFor = time.Second

// EStop implements driver.EStopper.
func (d *Driver) EStop(now time.Time, reason string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.eStopLocked(now, reason)
}

func (d *Driver) eStopLocked(now time.Time, reason string) {
	changed := d.guard.EStop(reason)
	d.mine = true
	d.sendLocked(now)
	d.tellRobot()
	if changed {
		d.failSkillsLocked("e-stop: " + d.guard.State().Reason)
		d.sink.EStop(d.guard.State())
	}
}

// Release implements driver.EStopper.
func (d *Driver) Release(now time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	changed, err := d.guard.Release()
	if err != nil {
		return err
	}
	d.mine = false
	d.sendLocked(now)
	d.tellRobot()
	if changed {
		d.sink.EStop(d.guard.State())
	}
	return nil
}

// heldLocked takes what the robot says of its own e-stop.
func (d *Driver) heldLocked(now time.Time, held bool) {
	if !d.guard.Hold(held, "the robot's own e-stop is engaged") {
		return
	}
	d.sendLocked(now)
	if held {
		d.failSkillsLocked("e-stop: " + d.guard.State().Reason)
	}
	d.sink.EStop(d.guard.State())
}

// tellRobot has the robot's own e-stop told of the latch.
func (d *Driver) tellRobot() {
	select {
	case d.tell <- struct{}{}:
	default: // it is under way
	}
}

// nobody is the sink before Start.
type nobody struct{}

func (nobody) Publish(driver.Stream, idl.Message) {}
func (nobody) SkillResult(driver.SkillResult)     {}
func (nobody) Fault(driver.Fault)                 {}
func (nobody) EStop(driver.EStopState)            {}
func (nobody) Wanted(driver.Stream) bool          { return false }
