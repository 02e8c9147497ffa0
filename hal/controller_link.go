package hal

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/coder/websocket"

	"sarathi/driver"
	"sarathi/internal/geom"
	"sarathi/internal/idl"
)

// uplink is a controller's link with what is known of the robot's state since it was made. All but the socket is guarded by the
// controller's lock.
type uplink struct {
	*link
	first Telemetry

	began       time.Time
	heard       time.Time // last frame of any kind
	telemetryAt time.Time // last telemetry
	stale       bool      // telemetry is older than its limit
	neutral     bool      // a velocity may be passed on: the link is the first one, or zero was asked for since it was made
	rtt         time.Duration

	// An e-stop or a release changes what telemetry says of the latch only in telemetry that was made after it arrived. A ping is sent
	// behind it, and what telemetry says of the latch counts when its pong is here: links keep their order.
	fence   float64   // t of that ping, 0 when nothing is awaited
	fenceAt time.Time // when it was sent
	settled bool      // telemetry since then says of the latch what this end believes

	renewed bool      // it follows one that was lost
	jumped  bool      // odometry was given a new origin: its next step is no motion
	last    fix       // of odometry
	battery float64   // as it was published last
	charged time.Time // when that was
}

// fix is where a robot was at a time of its own clock. SI.
type fix struct {
	pose geom.Pose2
	v    geom.Velocity
	at   time.Duration // since 1970; 0: there is none
}

// fenceLimit is how long a pong is awaited before telemetry is believed anyway: HAL demands no pong before it goes on.
const fenceLimit = time.Second

// ping sends a ping whose t is its own time in ms, so that it needs no memory.
func (l *uplink) pingLocked(now time.Time) float64 {
	t := float64(now.Sub(l.began).Microseconds())/1e3 + 1
	l.out.put(Ping{T: t})
	return t
}

func (l *uplink) fenceLocked(now time.Time) {
	l.fence, l.fenceAt, l.settled = l.pingLocked(now), now, false
}

// permanent marks errors that trying again does not mend.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// reach makes a link, trying again until ctx ends. anew takes whatever robot is there; else it must be the one that was.
func (c *Controller) reach(ctx context.Context, anew bool) (*uplink, error) {
	wait := c.cfg.Backoff
	for {
		l, err := c.dial(ctx, anew)
		if err == nil {
			return l, nil
		}
		if _, final := errors.AsType[permanent](err); final || ctx.Err() != nil {
			return nil, fmt.Errorf("hal agent at %s: %w", c.url, err)
		}
		c.log.DebugContext(ctx, "no link to the robot", "url", c.url, "err", err)
		pause := time.NewTimer(wait)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return nil, fmt.Errorf("hal agent at %s: %w", c.url, err)
		}
		wait = min(2*wait, c.cfg.MaxBackoff)
	}
}

// dial makes one attempt: connect, hello, welcome, first telemetry.
func (c *Controller) dial(ctx context.Context, anew bool) (*uplink, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.DialTimeout)
	defer cancel()
	o := &websocket.DialOptions{HTTPClient: c.cfg.HTTP, HTTPHeader: http.Header{}}
	if c.cfg.Token != "" {
		o.HTTPHeader.Set("Authorization", "Bearer "+c.cfg.Token)
	}
	var raw net.Conn
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { raw = i.Conn }})
	conn, resp, err := websocket.Dial(traced, c.url, o) //nolint:bodyclose // Dial says that nobody needs to
	if err != nil {
		if resp != nil && resp.StatusCode == http.StatusUnauthorized {
			return nil, permanent{errors.New("the agent wants another token")}
		}
		return nil, err
	}
	now := c.now()
	l := &uplink{link: newLink(conn, raw), began: now, heard: now, renewed: !anew, neutral: anew}
	late := context.AfterFunc(ctx, l.abort)
	err = c.greet(ctx, l)
	if !late() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		l.end(&closing{statusNormal, err.Error()})
		return nil, err
	}
	return l, nil
}

// greet takes the robot's hello and answers it.
func (c *Controller) greet(ctx context.Context, l *uplink) error {
	hello, err := c.hello(ctx, l)
	if err != nil {
		return err
	}
	s, err := c.accepts(hello.Caps)
	if err != nil {
		no := Welcome{Controller: c.cfg.Name, Reason: err.Error()}
		_ = l.conn.Write(ctx, websocket.MessageText, Append(nil, no)) // it is told as a courtesy
		return permanent{err}
	}
	if err := l.conn.Write(ctx, websocket.MessageText, Append(nil, Welcome{Accept: true, Controller: c.cfg.Name})); err != nil {
		return err
	}
	for {
		data, err := l.read()
		if err != nil {
			return readable(err)
		}
		f, err := Decode(data)
		if t, ok := f.(Telemetry); ok && err == nil {
			l.first = t
			break
		}
	}
	return c.learn(hello.Caps, s, l)
}

// hello reads the robot's first frame.
func (c *Controller) hello(ctx context.Context, l *uplink) (Hello, error) {
	data, err := l.read()
	if err != nil {
		return Hello{}, readable(err)
	}
	f, err := Decode(data)
	if errors.Is(err, ErrVersion) {
		no := Welcome{Controller: c.cfg.Name, Reason: err.Error()}
		_ = l.conn.Write(ctx, websocket.MessageText, Append(nil, no)) // it is told as a courtesy
		return Hello{}, permanent{err}
	}
	if err != nil {
		return Hello{}, permanent{fmt.Errorf("the robot's first frame: %w", err)}
	}
	hello, ok := f.(Hello)
	if !ok {
		return Hello{}, permanent{fmt.Errorf("the robot's first frame is %s, not hello", f.Op())}
	}
	return hello, nil
}

// readable turns the close of the other end into its reason.
func readable(err error) error {
	if ce, ok := errors.AsType[websocket.CloseError](err); ok && ce.Reason != "" {
		return fmt.Errorf("the robot closed the link: %s", ce.Reason)
	}
	return err
}

// accepts says why this controller cannot drive such a robot.
func (c *Controller) accepts(caps Capabilities) (scale, error) {
	if caps.Protocol != Version {
		return scale{}, fmt.Errorf("%w: the robot speaks HAL %d, this controller %d", ErrVersion, caps.Protocol, Version)
	}
	return newScale(caps.Units)
}

// learn keeps what the robot says of itself, and refuses another robot than the one that was there before.
func (c *Controller) learn(wire Capabilities, s scale, l *uplink) error {
	caps := driverCapabilities(wire, s, c.cfg.Frame, l.first)
	if err := caps.Validate(); err != nil {
		return permanent{err}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !l.renewed {
		c.caps = caps
	}
	if was := c.caps; was.Kind != caps.Kind || was.Drive != caps.Drive || was.DOF != caps.DOF || was.Limits != caps.Limits {
		return permanent{fmt.Errorf("the robot is another: %s (%s, %d joints), it was %s (%s, %d joints)",
			caps.Kind, caps.Drive, caps.DOF, was.Kind, was.Drive, was.DOF)}
	}
	c.wire, c.scale, c.id = wire, s, l.first.ID
	return nil
}

// Run implements driver.Runner. It makes the link again whenever it is lost, for as long as ctx lasts; it ends before only when another
// robot is at the other end.
func (c *Controller) Run(ctx context.Context) error {
	for {
		c.mu.Lock()
		l := c.next
		c.next = nil
		c.mu.Unlock()
		if l == nil {
			var err error
			if l, err = c.reach(ctx, false); err != nil {
				if ctx.Err() != nil {
					return nil //nolint:nilerr // it was told to end
				}
				return err
			}
		}
		err := c.serve(ctx, l)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // it was told to end
		}
		c.log.WarnContext(ctx, "link to the robot lost", "url", c.url, "err", err)
	}
}

// serve uses a link until it is lost.
func (c *Controller) serve(ctx context.Context, l *uplink) error {
	ctx, cancel := context.WithCancelCause(ctx)
	c.mu.Lock()
	if c.link != l {
		c.beginLocked(c.now(), l)
	}
	c.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { cancel(l.write(ctx)) })
	both.Go(func() { cancel(c.watch(ctx, l)) })
	both.Go(func() {
		<-ctx.Done()
		cause := context.Cause(ctx)
		if errors.Is(cause, context.Canceled) {
			cause = &closing{statusNormal, "the controller leaves"}
		}
		l.end(cause)
	})
	c.receive(l, l.first)
	cancel(c.read(l))
	c.over(context.Cause(ctx))
	both.Wait()
	return context.Cause(ctx)
}

// beginLocked takes a link into use. It seeds nothing, but an e-stop that the user holds is engaged again.
func (c *Controller) beginLocked(now time.Time, l *uplink) {
	c.stats.Links++
	c.link = l
	l.heard, l.telemetryAt = now, now
	c.opening = time.Time{}
	if c.mine {
		l.out.put(EStop{Reason: c.guard.State().Reason})
		l.fenceLocked(now)
	} else {
		l.pingLocked(now)
	}
	if l.renewed {
		c.reportLocked(driver.Fault{Code: codeHeard, Message: "the link to the robot is back: stop first, then move", Severity: driver.Info})
	}
}

// over gives a link up.
func (c *Controller) over(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Superseded += c.link.out.lost()
	c.link = nil
	c.guard.Stop()
	c.failSkillsLocked("the link to the robot was lost")
	c.reportLocked(driver.Fault{
		Code: codeLost, Message: fmt.Sprintf("the link to the robot is lost: %v", readable(cause)), Severity: driver.Critical,
	})
}

// watch pings, and finds out when the robot has fallen silent.
func (c *Controller) watch(ctx context.Context, l *uplink) error {
	tick := time.NewTicker(min(c.cfg.PingPeriod, 100*time.Millisecond))
	defer tick.Stop()
	pinged := c.now()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
		now := c.now()
		if now.Sub(pinged) >= c.cfg.PingPeriod {
			pinged = now
			c.mu.Lock()
			l.pingLocked(now)
			c.mu.Unlock()
		}
		if err := c.age(now, l); err != nil {
			return err
		}
	}
}

// age looks at how old things are. An error gives the link up.
func (c *Controller) age(now time.Time, l *uplink) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if silence := now.Sub(l.heard); silence >= c.cfg.LinkTimeout {
		return fmt.Errorf("the robot has sent nothing for %v", silence.Round(time.Millisecond))
	}
	if age, limit := now.Sub(l.telemetryAt), c.telemetryLimitLocked(); age >= limit && !l.stale {
		l.stale = true
		c.sendVelocityLocked(driver.Velocity{})
		c.reportLocked(driver.Fault{
			Code: codeStale, Message: fmt.Sprintf("the robot's telemetry is older than %v: it is not moved until it reports again", limit), Severity: driver.Error,
		})
	}
	if l.fence != 0 && now.Sub(l.fenceAt) >= fenceLimit {
		l.fence = 0
	}
	return nil
}

// telemetryLimitLocked is how old telemetry may be.
func (c *Controller) telemetryLimitLocked() time.Duration {
	return max(c.cfg.TelemetryLimit, time.Duration(3*float64(time.Second)/c.wire.RateHz))
}

// read takes frames until the link is lost.
func (c *Controller) read(l *uplink) error {
	for {
		data, err := l.read()
		if err != nil {
			return err
		}
		f, err := Decode(data)
		if err != nil {
			c.mu.Lock()
			c.stats.Malformed++
			c.mu.Unlock()
			continue
		}
		c.receive(l, f)
	}
}

// nobody is the sink before Start.
type nobody struct{}

func (nobody) Publish(driver.Stream, idl.Message) {}
func (nobody) SkillResult(driver.SkillResult)     {}
func (nobody) Fault(driver.Fault)                 {}
func (nobody) EStop(driver.EStopState)            {}
func (nobody) Wanted(driver.Stream) bool          { return false }
