package teleop

import (
	"fmt"
	"slices"
	"time"

	"sarathi/internal/wire"
)

// mostWaiting bounds the commands that wait for an answer.
const mostWaiting = 32

// A waiting is a command without a result.
type waiting struct {
	id       int64
	name     string
	data     []byte
	made     time.Duration
	next     time.Duration // when it is repeated
	expires  time.Duration // when it is given up
	pending  bool          // the robot said that it carries it out
	internal bool          // nobody asked for it: no events
}

// Command sends a command and repeats it until it is answered; an [EventResult] with its id follows. Nothing is kept for later: without
// a connection only an e-stop is sent, which needs none.
func (c *ClientSession) Command(now time.Time, name string, args Args) (id int64, out ClientOutput, err error) {
	c.begin(now)
	checked, err := c.dialect.Check(name, args)
	switch {
	case err != nil:
		return 0, c.end(), fmt.Errorf("command %s: %w", name, err)
	case !c.connected && name != CommandEStop:
		return 0, c.end(), fmt.Errorf("command %s: %w", name, ErrNotConnected)
	case len(c.commands) >= mostWaiting && name != CommandEStop:
		return 0, c.end(), fmt.Errorf("command %s: %w", name, ErrTooMany)
	}
	if name == CommandEStop {
		c.release()
	}
	id = c.command(name, checked, false)
	return id, c.end(), nil
}

func (c *ClientSession) command(name string, args Args, internal bool) int64 {
	id := c.nextID
	c.nextID++
	data := appendMember(c.head("cmd"), "id", wire.JSONInt[int64], id)
	data = appendMember(data, "name", wire.JSONString, name)
	data = append(args.AppendJSON(append(data, `,"args":`...)), '}')
	c.commands = append(c.commands, waiting{
		id: id, name: name, data: data, made: c.now(), next: c.now(), expires: c.now() + c.cfg.CommandTTL, internal: internal,
	})
	return id
}

// aliveFor is how long after a state message commands are repeated. A robot that has been silent for longer may have restarted, and
// would run a copy as a new command; its next state tells.
const aliveFor = 500 * time.Millisecond

// retry repeats what is due and gives up what is too old.
func (c *ClientSession) retry() {
	c.commands = slices.DeleteFunc(c.commands, func(w waiting) bool {
		if c.now() < w.expires {
			return false
		}
		c.fail(w, ErrNoAnswer)
		return true
	})
	silent := c.state != nil && c.now()-c.stateAt >= aliveFor
	for i := range c.commands {
		w := &c.commands[i]
		if c.now() < w.next {
			continue
		}
		first := w.next == w.made
		w.next = c.now() + c.cfg.Retry
		if w.pending {
			w.next = c.now() + c.cfg.PendingRetry
		}
		if first || !silent || w.name == CommandEStop {
			c.send(w.data)
		}
	}
}

func (c *ClientSession) fail(w waiting, err error) {
	if !w.internal {
		c.tell(Event{Kind: EventResult, Command: w.name, Ack: Ack{ID: w.id}, Err: fmt.Errorf("command %s: %w", w.name, err)})
	}
}

// failAll gives up everything but e-stops, which do not depend on a session.
func (c *ClientSession) failAll() {
	c.commands = slices.DeleteFunc(c.commands, func(w waiting) bool {
		if w.name == CommandEStop {
			return false
		}
		c.fail(w, ErrSessionLost)
		return true
	})
}

func (c *ClientSession) acked(root value) {
	a, err := ackOf(root)
	if err != nil {
		c.link.Malformed++
		return
	}
	i := slices.IndexFunc(c.commands, func(w waiting) bool { return w.id == a.ID })
	if i < 0 {
		return // a copy, or of an earlier program
	}
	if c.connected {
		c.heard = c.now()
	}
	w := c.commands[i]
	if !a.Pending {
		c.commands = slices.Delete(c.commands, i, i+1)
		if !w.internal {
			c.tell(Event{Kind: EventResult, Command: w.name, Ack: *a})
		} else if w.name == commandGetRoute && !a.OK {
			c.resyncs[StreamRoute].have = Some(uint32(0)) // there is none
		}
		return
	}
	if !w.pending {
		c.commands[i].pending = true
		c.commands[i].next = c.now() + c.cfg.PendingRetry
		c.commands[i].expires = c.now() + c.cfg.PendingTTL
		if !w.internal {
			c.tell(Event{Kind: EventPending, Command: w.name, Ack: *a})
		}
	}
}

const (
	resyncAfter = 500 * time.Millisecond // without a chunk
	resyncEvery = time.Second
)

// A resync is what the client has of a stream that is numbered in the state.
type resync struct {
	have  Opt[uint32]
	heard time.Duration // last chunk
	next  time.Duration // when it may be asked for
}

// resync asks for the map or the site when the state shows another than the last received, and none is arriving; and for the route if
// it did not come with the session.
func (c *ClientSession) resync() {
	if !c.connected || c.state == nil {
		return
	}
	c.resyncStream(StreamRoute, commandGetRoute, Some(uint32(0))) // not numbered: any will do
	c.resyncStream(StreamMap, commandGetMap, c.state.MapRev)
	c.resyncStream(StreamSite, commandGetSite, Opt[uint32]{c.state.Site.V.Rev, c.state.Site.OK && c.state.Site.V.Rev != 0})
}

func (c *ClientSession) resyncStream(stream Stream, name string, want Opt[uint32]) {
	r := &c.resyncs[stream]
	switch {
	case !want.OK || want == r.have || !slices.Contains(c.welcome.Commands, name):
		r.next = 0
	case r.next == 0:
		r.next = c.now() + resyncAfter
	case c.now() >= r.next && c.now()-r.heard >= resyncAfter && len(c.commands) < mostWaiting:
		r.next = c.now() + resyncEvery
		c.command(name, nil, true)
	}
}
