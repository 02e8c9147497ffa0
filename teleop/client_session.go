package teleop

import (
	"errors"
	"slices"
	"time"

	"sarathi/internal/wire"
)

// A ClientSession is the handheld's side of a protocol: it says hello until the robot welcomes it, keeps the session alive, sends the
// joystick, repeats commands until they are answered, puts streams together, and asks again for a map or site that got lost.
//
//	hello each second               welcome
//	┌───────────┐ ───────────────────────────► ┌───────────┐
//	│  seeking  │                              │ connected │ hello, ping each second; joy while there is input
//	└───────────┘ ◄─────────────────────────── └───────────┘
//	               silence, bye, the robot restarted: commands that wait fail, the stick must be centred first
//
// It takes datagrams of its robot only; whoever owns the socket compares the address.
type ClientSession struct {
	dialect *Dialect
	cfg     ClientConfig
	time    timeline
	doc     document
	sends   [][]byte
	events  []Event

	connected bool
	refused   string
	welcome   *Welcome
	heard     time.Duration
	nextHello time.Duration
	nextPing  time.Duration
	pings     [8]sentPing
	link      Link

	stick    stick
	nextID   int64
	commands []waiting

	state   *State
	stateAt time.Duration
	streams [streamCount]Reassembler
	resyncs [streamCount]resync
	points  []LidarPoint
}

type sentPing struct {
	stamp int64
	at    time.Duration
}

// streamLimits bound a frame of each stream [bytes].
func streamLimits() [streamCount]int {
	const mb = 1 << 20
	return [streamCount]int{StreamCamera: 4 * mb, StreamLidar: mb, StreamRoute: 4 * mb, StreamMap: 32 * mb, StreamSite: 8 * mb}
}

// NewClientSession returns a session that seeks its robot from its first Tick on.
func NewClientSession(d *Dialect, cfg ClientConfig) *ClientSession {
	c := &ClientSession{dialect: d, cfg: cfg, nextID: cfg.FirstID}
	for i, limit := range streamLimits() {
		c.streams[i].Limit = limit
	}
	return c
}

// Connected reports whether the robot has welcomed the client and still speaks.
func (c *ClientSession) Connected() bool { return c.connected }

// Welcome is the robot's last welcome, or nil.
func (c *ClientSession) Welcome() *Welcome { return c.welcome }

// State is the robot's last state in this session, or nil.
func (c *ClientSession) State() *State { return c.state }

// Link returns the quality of the connection.
func (c *ClientSession) Link() Link {
	l := c.link
	var done, lost uint64
	for i := range c.streams {
		done, lost = done+c.streams[i].Stats.Frames, lost+c.streams[i].Stats.Incomplete
	}
	if done+lost > 0 {
		l.StreamLoss = float64(lost) / float64(done+lost)
	}
	return l
}

// Tick does what is due.
func (c *ClientSession) Tick(now time.Time) ClientOutput {
	c.begin(now)
	return c.end()
}

// Deadline is when Tick is due next.
func (c *ClientSession) Deadline() time.Time {
	next := c.nextHello
	if c.connected {
		next = min(next, c.nextPing, c.heard+c.cfg.LostAfter)
		if c.stick.active() {
			next = min(next, c.stick.next)
		}
	}
	for i := range c.commands {
		next = min(next, c.commands[i].next, c.commands[i].expires)
	}
	return c.time.at(next)
}

// SetStreams changes what the robot shall send.
func (c *ClientSession) SetStreams(now time.Time, want Streams) ClientOutput {
	c.begin(now)
	c.cfg.Streams = want
	if c.connected {
		c.send(appendStreams(c.head("streams"), want, ','))
	}
	return c.end()
}

// Close stops the robot and leaves.
func (c *ClientSession) Close(now time.Time) ClientOutput {
	c.begin(now)
	if c.connected {
		for range zerosAfterInput {
			c.sendJoy(Velocity{})
		}
		c.stick = stick{}
		c.send(append(c.head("bye"), '}'))
		c.lose("the client left")
	}
	return ClientOutput{c.sends, c.events}
}

func (c *ClientSession) now() time.Duration { return c.time.elapsed }

func (c *ClientSession) begin(now time.Time) {
	c.sends, c.events = c.sends[:0], c.events[:0]
	c.time.advance(now)
	if c.connected && c.now()-c.heard >= c.cfg.LostAfter {
		c.lose("the robot is silent")
	}
}

func (c *ClientSession) end() ClientOutput {
	if c.now() >= c.nextHello {
		c.nextHello = c.now() + c.cfg.HelloPeriod
		dst := appendMember(c.head("hello"), "name", wire.JSONString, c.cfg.Name)
		dst = append(appendStreams(append(dst, `,"streams":`...), c.cfg.Streams, '{'), '}')
		c.send(dst)
	}
	if c.connected && c.now() >= c.nextPing {
		c.ping()
	}
	c.steer()
	c.resync()
	c.retry()
	return ClientOutput{c.sends, c.events}
}

// head begins a message.
func (c *ClientSession) head(t string) []byte {
	dst := append(append(append(make([]byte, 0, 160), `{"t":"`...), t...), '"')
	if c.cfg.Token != "" {
		dst = appendMember(dst, "k", wire.JSONString, c.cfg.Token)
	}
	return dst
}

// appendStreams appends the members of a stream wish after a comma or a brace, and a closing brace.
func appendStreams(dst []byte, s Streams, before byte) []byte {
	dst = wire.JSONBool(append(append(dst, before), `"camera":`...), s.Camera)
	dst = appendMember(dst, "lidar", wire.JSONBool, s.Lidar)
	dst = appendMember(dst, "video", wire.JSONBool, s.Video)
	if s.CameraFPS > 0 {
		dst = appendMember(dst, "camera_fps", wire.JSONFloat64, s.CameraFPS)
	}
	return append(dst, '}')
}

func (c *ClientSession) send(data []byte) { c.sends = append(c.sends, data) }

func (c *ClientSession) tell(e Event) { c.events = append(c.events, e) }

func (c *ClientSession) ping() {
	c.nextPing = c.now() + c.cfg.HelloPeriod
	stamp := c.now().Microseconds()
	copy(c.pings[1:], c.pings[:])
	c.pings[0] = sentPing{stamp, c.now()}
	c.send(append(appendMember(c.head("ping"), "ts", wire.JSONInt[int64], stamp), '}'))
}

// lose ends the session: what waits for an answer fails, and the stick must be centred before it counts again.
func (c *ClientSession) lose(reason string) {
	if !c.connected {
		return
	}
	c.connected, c.state, c.stick = false, nil, stick{locked: true}
	c.nextHello = c.now()
	for i := range c.streams {
		c.streams[i].Reset()
		c.resyncs[i] = resync{}
	}
	c.tell(Event{Kind: EventLost, Reason: reason})
	c.failAll()
}

// HandleDatagram takes a datagram from the robot. It keeps nothing of data.
func (c *ClientSession) HandleDatagram(now time.Time, data []byte) ClientOutput {
	c.begin(now)
	if len(data) > 0 && data[0] == c.dialect.Magic[0] {
		c.chunk(now, data)
	} else if root, err := c.doc.parse(data); err != nil {
		c.link.Malformed++
	} else {
		c.receive(root)
	}
	c.doc.src = nil
	return c.end()
}

func (c *ClientSession) receive(root value) {
	t := root.get("t")
	switch {
	case t.is("welcome"):
		c.heard, c.welcome, c.refused = c.now(), welcomeOf(root), ""
		if !c.connected {
			c.connected, c.nextPing = true, c.now()
			c.tell(Event{Kind: EventConnected, Welcome: c.welcome})
		}
	case t.is("ack"):
		c.acked(root)
	case t.is("busy"), t.is("denied"):
		if reason := root.get("msg").text(); reason != c.refused {
			c.refused = reason
			c.tell(Event{Kind: EventRefused, Reason: reason})
		}
		if t.is("busy") {
			c.lose("another device is driving")
		}
	case !c.connected:
		// What an earlier session left in the network.
	case t.is("state"):
		c.heard = c.now()
		c.takeState(root)
	case t.is("pong"):
		c.heard = c.now()
		c.pong(root.get("ts"))
	case t.is("bye"):
		c.lose("the robot shut down")
	default:
		c.link.Malformed++
	}
}

func (c *ClientSession) pong(ts value) {
	stamp, ok := ts.integer()
	i := slices.IndexFunc(c.pings[:], func(p sentPing) bool { return ok && p.stamp == stamp && p.at > 0 })
	if i >= 0 {
		c.link.RTT = c.now() - c.pings[i].at
		c.pings[i] = sentPing{}
	}
}

const (
	// lateStates is how far back a state may be that was overtaken on its way; one from farther back means that the robot restarted.
	lateStates = 32
	// lossWeight is the weight of one state message in the loss.
	lossWeight = 0.02
)

func (c *ClientSession) takeState(root value) {
	st := &State{}
	c.dialect.fields.parse(st, root)
	if c.state != nil && st.Seq <= c.state.Seq {
		if c.state.Seq-st.Seq < lateStates && c.now()-c.stateAt < restartAfter {
			return
		}
		c.lose("the robot restarted")
		return
	}
	if c.state != nil {
		for range min(st.Seq-c.state.Seq-1, 100) {
			c.link.StateLoss += lossWeight * (1 - c.link.StateLoss)
		}
	}
	c.link.StateLoss -= lossWeight * c.link.StateLoss
	c.state, c.stateAt = st, c.now()
	c.tell(Event{Kind: EventState, State: st})
}

func (c *ClientSession) chunk(now time.Time, data []byte) {
	h, payload, err := c.dialect.ParseChunk(data)
	if err != nil {
		c.link.Malformed++
		return
	}
	if !c.connected {
		return // it may belong to an earlier session; the robot sends everything again after its welcome
	}
	c.heard = c.now()
	c.resyncs[h.Stream].heard = c.now()
	frame, ok := c.streams[h.Stream].Add(now, h, payload)
	if !ok {
		return
	}
	if err := c.frame(h.Stream, frame); err != nil {
		c.link.Malformed++
	}
}

func (c *ClientSession) frame(stream Stream, frame []byte) error {
	var err error
	e := Event{}
	switch stream {
	case StreamCamera:
		e.Kind, e.JPEG = EventCamera, frame
	case StreamLidar:
		c.points, err = ParseLidar(c.points[:0], frame)
		e.Kind, e.Points = EventLidar, c.points
	case StreamRoute:
		e.Kind = EventRoute
		if e.Route, err = ParseRoute(frame); err == nil {
			c.resyncs[stream].have = Some(uint32(0))
		}
	case StreamMap:
		e.Kind = EventMap
		if e.Map, err = ParseMap(slices.Clone(frame)); err == nil {
			c.resyncs[stream].have = Some(e.Map.Rev)
		}
	case StreamSite:
		e.Kind = EventSite
		if e.Site, err = ParseSite(frame); err == nil {
			c.resyncs[stream].have = Some(e.Site.Rev)
		}
	default:
		err = errors.New("no such stream")
	}
	if err == nil {
		c.tell(e)
	}
	return err
}
