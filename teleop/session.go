package teleop

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/netip"
	"time"
)

// leastFPS is the lowest camera rate a client may ask for [frames/s].
const leastFPS = 0.1

// A Session is the robot's side of a protocol. It has at most one client at a time, its driver:
//
//	        hello                     hello from its address: welcome
//	┌─────┐ ───────────────────► ┌────────┐ joy, cmd, streams, ping
//	│ idle│                      │ driven │ hello from another IP: busy
//	└─────┘ ◄─────────────────── └────────┘ hello from another port of its IP: end, then a new session
//	        bye, silence, Close,
//	        new token
//
// Whatever begins or ends a session, zero velocity that disarms is its first effect.
type Session struct {
	dialect *Dialect
	cfg     Config
	welcome []byte
	secured bool
	token   [sha256.Size]byte
	stats   Stats

	time   timeline
	doc    document
	arena  []byte
	sends  []Datagram
	acts   []Effect
	denied deniedLimiter

	// the present client
	client     driver
	lastID     uint64
	velocity   Velocity
	velocityAt time.Duration
	streams    Streams
	commands   ledger
	detached   ledger
	out        [streamCount]outgoing
	nextState  time.Duration
	nextBurst  time.Duration
	nextCamera time.Duration

	// of the robot
	state   State
	siteRev uint32
	kept    [streamCount][]byte
}

// A driver is the client of a session; id 0 is none.
type driver struct {
	id   uint64
	addr netip.AddrPort
	name string
	seen time.Duration
}

func (d *driver) live() bool { return d.id != 0 }

// NewSession returns a session without a client.
func NewSession(d *Dialect, cfg Config) (*Session, error) {
	if err := cfg.Validate(d); err != nil {
		return nil, err
	}
	s := &Session{dialect: d, cfg: cfg, commands: ledger{most: mostCommands}, detached: ledger{most: mostDetached}}
	s.welcome = d.appendWelcome(nil, &cfg)
	s.setToken(cfg.Token)
	return s, nil
}

func (s *Session) setToken(token string) {
	s.secured, s.token = token != "", sha256.Sum256([]byte(token))
}

// Client returns the present client.
func (s *Session) Client() Client { return Client{s.client.id, s.client.addr, s.client.name} }

// Stats returns the counters.
func (s *Session) Stats() Stats { return s.stats }

// SetState takes what the robot reports. The session sends it at the telemetry rate and sets Seq, MapRev, Site.Rev, and Tags to null
// while the client has neither camera nor video on.
func (s *Session) SetState(st State) {
	st.Seq, st.MapRev = s.state.Seq, s.state.MapRev
	s.state = st
}

// SetToken replaces the token. The present session ends: its client proves itself anew.
func (s *Session) SetToken(now time.Time, token string) Output {
	s.begin(now)
	s.drop("the token was changed")
	s.setToken(token)
	return s.end()
}

// Close says bye to the client and ends its session.
func (s *Session) Close(now time.Time) Output {
	s.begin(now)
	if s.client.live() {
		s.reply(s.client.addr, `{"t":"bye"}`)
		s.drop("the robot shuts down")
	}
	return s.end()
}

// Tick does what is due: time-outs, state, chunks.
func (s *Session) Tick(now time.Time) Output {
	s.begin(now)
	return s.end()
}

// Deadline is when Tick is due next; ok is false while there is no client.
func (s *Session) Deadline() (at time.Time, ok bool) {
	if !s.client.live() {
		return time.Time{}, false
	}
	next := min(s.client.seen+s.cfg.ClientTimeout, s.nextState)
	if !s.velocity.IsZero() {
		next = min(next, s.velocityAt+s.cfg.JoyTimeout)
	}
	if s.streaming() {
		next = min(next, s.nextBurst)
	}
	return s.time.at(next), true
}

func (s *Session) now() time.Duration { return s.time.elapsed }

// begin starts a call: time passes before anything else happens, so that nothing late is accepted.
func (s *Session) begin(now time.Time) {
	s.arena, s.sends, s.acts = s.arena[:0], s.sends[:0], s.acts[:0]
	if s.time.advance(now) {
		s.halt()
	}
	switch {
	case !s.client.live():
	case s.now()-s.client.seen >= s.cfg.ClientTimeout:
		s.drop("silence")
	case !s.velocity.IsZero() && s.now()-s.velocityAt >= s.cfg.JoyTimeout:
		s.halt()
	}
}

// end finishes a call: it adds what is due to the client.
func (s *Session) end() Output {
	if s.client.live() && s.now() >= s.nextState {
		s.sendState()
	}
	s.pump()
	return Output{s.sends, s.acts}
}

// halt zeroes the velocity, if there is one.
func (s *Session) halt() {
	if !s.velocity.IsZero() {
		s.disarm()
	}
}

// disarm zeroes the velocity in the robot's own name. The operator's zeros arm the control mux; these must not.
func (s *Session) disarm() {
	s.velocity = Velocity{}
	s.acts = append(s.acts, Effect{Kind: EffectVelocity, Disarm: true})
}

// start makes addr the driver.
func (s *Session) start(addr netip.AddrPort, name string) {
	s.lastID++
	s.client = driver{s.lastID, addr, name, s.now()}
	s.nextState, s.nextBurst, s.nextCamera = s.now(), s.now(), s.now()
	s.disarm() // the stick that is in the mux is somebody else's
	s.acts = append(s.acts, Effect{Kind: EffectStarted, Client: s.Client()})
}

// drop ends the session. The velocity is zeroed even if it is zero: the robot's side may know another.
func (s *Session) drop(reason string) {
	if !s.client.live() {
		return
	}
	s.disarm()
	s.setStreams(Streams{})
	s.acts = append(s.acts, Effect{Kind: EffectEnded, Client: s.Client(), Reason: reason})
	s.client = driver{}
	s.commands.reset()
	for i := range s.out {
		s.out[i].stop()
	}
}

func (s *Session) setStreams(want Streams) {
	if want != s.streams {
		s.streams = want
		s.acts = append(s.acts, Effect{Kind: EffectStreams, Streams: want})
	}
	if !want.Camera {
		s.out[StreamCamera].waiting = false
	}
	if !want.Lidar {
		s.out[StreamLidar].waiting = false
	}
}

// authorized compares in constant time; hashing hides the length of the token too.
func (s *Session) authorized(k value) bool {
	if !s.secured {
		return true
	}
	if k.kind() != kindString {
		return false
	}
	raw := k.raw()
	if k.node().escaped {
		raw = []byte(k.text())
	}
	given := sha256.Sum256(raw)
	return subtle.ConstantTimeCompare(given[:], s.token[:]) == 1
}

// send makes a datagram of what was appended to the arena since start.
func (s *Session) send(to netip.AddrPort, start int) {
	s.sends = append(s.sends, Datagram{to, s.arena[start:len(s.arena):len(s.arena)]})
}

func (s *Session) reply(to netip.AddrPort, text string) {
	start := len(s.arena)
	s.arena = append(s.arena, text...)
	s.send(to, start)
}

func (s *Session) sendState() {
	// From the time at which it was due, unless that is long ago.
	period := time.Duration(float64(time.Second) / s.cfg.TelemetryHz)
	if s.nextState += period; s.nextState <= s.now() {
		s.nextState = s.now() + period
	}
	s.state.Seq++
	s.stats.States++
	tags := s.state.Tags
	if !s.streams.Camera && !s.streams.Video {
		s.state.Tags = nil
	}
	s.state.Site.V.Rev = s.siteRev
	start := len(s.arena)
	s.arena = s.dialect.AppendState(s.arena, &s.state)
	s.state.Tags = tags
	s.send(s.client.addr, start)
}
