package rosbridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Client is a user of any rosbridge v2 server. It keeps one link to the server, makes it again whenever it is lost, and then restores
// what its user has set up: advertisements with their latched messages, subscriptions, services and actions.
//
//	c, err := rosbridge.Dial(ctx, rosbridge.ClientConfig{URL: "ws://10.0.0.7:9090"})
//	defer c.Close()
//	scan, err := rosbridge.SubscribeAs(c, "/scan", rosbridge.SubscribeOptions{}, func(m *sensor.LaserScan) { … })
//	resp, err := rosbridge.CallAs[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse](ctx, c, "/dock", stdsrvs.TriggerRequest{})
//
// Messages, requests and responses are JSON text where no Go type is named. Names reach the server as they are written. Everything that
// waits is bounded, and no method but [Client.Close], [Client.WaitConnected] and those with a context waits for anything. All methods
// may be called from any goroutine.
type Client struct {
	cfg     ClientConfig
	url     string
	log     *slog.Logger
	types   *typeTable
	cancel  context.CancelFunc
	running sync.WaitGroup
	slots   chan struct{} // one for each handler that works on a request or goal

	number    atomic.Uint64 // of ids
	received  atomic.Uint64
	malformed atomic.Uint64
	statusAt  atomic.Int64 // when the server's status was last logged, ns

	mu         sync.Mutex
	closed     bool
	link       *clientLink   // nil while there is none
	changed    chan struct{} // closed and made again whenever the state of the link changes
	attempts   int           // to connect, that failed since the last link
	reason     error         // why there is no link
	links      uint64
	topics     map[string]*clientTopic // subscribed ones, by name as written
	publishers []*Publisher
	services   map[string]*ServiceServer
	actions    map[string]*ActionServer
	calls      map[string]*openCall // that wait for the server, by id
	goals      map[string]*Goal     // the same
}

// NewClient returns a client that connects as soon as it can. It must be closed.
func NewClient(cfg ClientConfig) (*Client, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("rosbridge client: %w", err)
	}
	cfg = cfg.filled()
	url, err := cfg.address()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &Client{
		cfg: cfg, url: url, log: cfg.Log, types: newTypeTable(), cancel: cancel, slots: make(chan struct{}, cfg.MaxHandlers),
		changed: make(chan struct{}), topics: map[string]*clientTopic{}, services: map[string]*ServiceServer{},
		actions: map[string]*ActionServer{}, calls: map[string]*openCall{}, goals: map[string]*Goal{},
	}
	c.running.Go(func() { c.run(ctx) })
	return c, nil
}

// Dial returns a client that is connected, or says why its first attempt to connect failed.
func Dial(ctx context.Context, cfg ClientConfig) (*Client, error) {
	c, err := NewClient(cfg)
	if err != nil {
		return nil, err
	}
	if err := c.wait(ctx, true); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// WaitConnected waits until there is a link. When ctx ends before, the error tells why there is none.
func (c *Client) WaitConnected(ctx context.Context) error { return c.wait(ctx, false) }

// wait waits for a link; with once until the first attempt has failed at the latest.
func (c *Client) wait(ctx context.Context, once bool) error {
	for {
		c.mu.Lock()
		link, failed, reason, changed, closed := c.link, c.attempts > 0, c.reason, c.changed, c.closed
		c.mu.Unlock()
		switch {
		case closed:
			return ErrClientClosed
		case link != nil:
			return nil
		case once && failed:
			return reason
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("connect to %s: %w", c.url, ctx.Err()), reason)
		}
	}
}

// Close sends what waits to be sent, ends the link and all handlers, and returns when everything has stopped. A handler must not call it.
// It may be called again.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	c.signalLocked()
	for _, t := range c.topics {
		for _, s := range t.subs {
			s.pump.end()
		}
	}
	c.mu.Unlock()
	c.cancel()
	c.running.Wait()
}

// LinkStats tells how a client and its link do.
type LinkStats struct {
	Connected bool
	Reason    error         // why it is not connected
	RTT       time.Duration // of the last ping, 0 before the first
	Links     uint64        // that were made so far
	Received  uint64        // frames
	Malformed uint64        // frames that could not be understood
	Open      int           // calls and goals that wait for the server
}

// Stats returns how the client does.
func (c *Client) Stats() LinkStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := LinkStats{
		Connected: c.link != nil, Reason: c.reason, Links: c.links, Received: c.received.Load(), Malformed: c.malformed.Load(),
		Open: len(c.calls) + len(c.goals),
	}
	if c.link != nil {
		s.RTT = time.Duration(c.link.rtt.Load())
	}
	return s
}

func (c *Client) signalLocked() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// run makes links until ctx ends.
func (c *Client) run(ctx context.Context) {
	wait := c.cfg.Backoff
	for ctx.Err() == nil {
		began := time.Now()
		conn, err := c.dial(ctx)
		if err == nil {
			c.serve(ctx, conn)
			if time.Since(began) > c.cfg.MaxBackoff {
				wait = c.cfg.Backoff
			}
		} else {
			c.unreachable(err)
		}
		pause := time.NewTimer(wait)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
		}
		wait = min(2*wait, c.cfg.MaxBackoff)
	}
}

// unreachable books an attempt that failed.
func (c *Client) unreachable(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempts++
	c.reason = err
	if c.attempts == 1 {
		c.log.Info("no link to the rosbridge server", "url", c.url, "err", err)
	}
	c.signalLocked()
}

// begin takes a link into use and restores what the user has set up.
func (c *Client) begin(l *clientLink) {
	c.mu.Lock()
	l.out.restore(c.restoreLocked())
	c.link, c.reason, c.attempts = l, nil, 0
	c.links++
	c.signalLocked()
	c.mu.Unlock()
	c.log.Info("link to the rosbridge server made", "url", c.url)
	c.cfg.OnLink(true, nil)
}

// restoreLocked returns the frames with which a link begins.
func (c *Client) restoreLocked() []Frame {
	var out []Frame
	if c.cfg.Name != "" {
		out = append(out, Frame{Op: OpHello, Node: c.cfg.Name})
	}
	for _, p := range c.publishers {
		out = append(out, p.frame())
		if p.latched != nil {
			out = append(out, Frame{Op: OpPublish, Topic: p.topic, Body: p.latched})
		}
	}
	for _, name := range sortedKeys(c.services) {
		out = append(out, c.services[name].frame())
	}
	for _, name := range sortedKeys(c.actions) {
		out = append(out, c.actions[name].frame())
	}
	for _, name := range sortedKeys(c.topics) {
		out = append(out, c.topics[name].frame())
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// over gives a link up. Whatever waited for the server on it is answered.
func (c *Client) over(l *clientLink, cause error) {
	lost := ErrLinkLost
	c.mu.Lock()
	if c.closed {
		lost = ErrClientClosed
	}
	c.link, c.reason = nil, cause
	calls, goals := c.calls, c.goals
	c.calls, c.goals = map[string]*openCall{}, map[string]*Goal{}
	c.signalLocked()
	c.mu.Unlock()
	for _, k := range calls {
		k.finish(nil, fmt.Errorf("call %s: %w", k.service, lost))
	}
	for _, g := range goals {
		g.finish(GoalResult{}, fmt.Errorf("goal of %s: %w", g.action, lost))
	}
	l.endGoals(lost)
	c.log.Warn("link to the rosbridge server lost", "url", c.url, "err", cause)
	c.cfg.OnLink(false, cause)
}

// id returns an id that this client has not used.
func (c *Client) id(op, name string) string {
	return op + ":" + name + ":" + strconv.FormatUint(c.number.Add(1), 10)
}

// sendLocked queues a frame when there is a link. Without one, restoring will send what matters.
func (c *Client) sendLocked(f Frame) error {
	if c.link == nil {
		return nil
	}
	return c.link.out.put(&f)
}

// checkName says what is wrong with the name of a topic, service, action or type.
func checkName(what, name string) error {
	if resolve(name) == "" {
		return fmt.Errorf("%s %q is no name: it is empty, too long, or has spaces in it", what, name)
	}
	return nil
}
