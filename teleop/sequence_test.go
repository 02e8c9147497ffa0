package teleop

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"testing"
	"time"
)

// A sequence plays random datagrams and times against a session and checks after each what must always hold.
type sequence struct {
	t        *testing.T
	s        *Session
	token    string
	now      time.Time
	velocity Velocity
	valid    time.Duration // since the last joystick message with a velocity that was obeyed
	heard    time.Duration // since the last datagram of the driver
	driver   Client
	refs     []Ref
	wants    Streams
}

var peers = []netip.AddrPort{phone, phoneTwo, tablet, netip.MustParseAddrPort("[2001:db8::5]:7000")}

// play reads a program: each step is an operation, an operand and a pause.
func (q *sequence) play(program []byte) {
	for len(program) >= 3 {
		op, arg, pause := program[0], program[1], program[2]
		program = program[3:]
		q.now = q.now.Add(time.Duration(pause) * 10 * time.Millisecond)
		q.valid += time.Duration(pause) * 10 * time.Millisecond
		q.heard += time.Duration(pause) * 10 * time.Millisecond
		q.step(op, arg, program)
		q.invariants()
	}
}

func (q *sequence) step(op, arg byte, rest []byte) {
	from := peers[int(arg)%len(peers)]
	k := q.token
	if arg >= 200 {
		k = "wrong"
	}
	say := func(format string, args ...any) {
		q.receive(from, fmt.Appendf(nil, `{"k":"%s",%s}`, k, fmt.Sprintf(format, args...)), k == q.token || q.token == "")
	}
	switch op % 14 {
	case 0, 1:
		say(`"t":"hello","name":"p%d","streams":{"camera":%t,"lidar":%t}`, arg, arg&1 == 0, arg&2 == 0)
	case 2, 3, 4:
		say(`"t":"joy","vx":%d,"vy":0.%d,"wz":-%d`, arg, arg, arg)
	case 5:
		say(`"t":"joy","vx":%s`, []string{"NaN", `"x"`, "null", "1e999", "{}"}[arg%5])
	case 6:
		names := []string{"estop", "map_save", "ask", "fly", "set_mode", "get_map", "emergency_stop", "list_routes"}
		say(`"t":"cmd","id":%d,"name":"%s","args":{"question":"q%d","mode":"auto"}`, arg%5, names[arg%8], arg%3)
	case 7:
		say(`"t":"%s"`, []string{"bye", "ping", "streams", "what"}[arg%4])
	case 8:
		q.receive(from, rest[:min(len(rest), int(arg))], false)
	case 9:
		if len(q.refs) > 0 {
			q.take(q.s.Finish(q.now, q.refs[int(arg)%len(q.refs)], Result{OK: arg&1 == 0, Data: []byte(`[1]`)}))
		}
	case 10:
		q.take(q.s.Tick(q.now))
	case 11:
		q.take(q.s.SetMap(q.now, testMap(int(arg)*100)))
		q.take(q.s.Lidar(q.now, pattern(int(arg)*6)))
		q.take(q.s.Camera(q.now, pattern(int(arg))))
	case 12:
		if arg < 30 {
			q.token = fmt.Sprint("t", arg%3)
			q.take(q.s.SetToken(q.now, q.token))
		}
	case 13:
		if arg < 20 {
			q.take(q.s.Tick(q.now))
			q.now = q.now.Add(-time.Duration(arg) * time.Second)
			q.take(q.s.Tick(q.now))
		}
	}
}

func (q *sequence) receive(from netip.AddrPort, data []byte, authorized bool) {
	before := q.driver
	o := q.s.HandleDatagram(q.now, from, data)
	if authorized && from == before.Addr && q.s.Client().Session == before.Session {
		q.heard = 0
	}
	for _, e := range o.Effects {
		if e.Kind == EffectVelocity && !e.Velocity.IsZero() {
			q.valid = 0
			if from != before.Addr || !authorized {
				q.t.Fatalf("%s moves the robot that %s drives: %s", from, before.Addr, data)
			}
		}
	}
	q.take(o)
}

// take follows the effects and checks each.
func (q *sequence) take(o Output) {
	for _, e := range o.Effects {
		switch e.Kind {
		case EffectVelocity:
			q.velocity = e.Velocity
			if l := q.s.cfg.Limits; e.Velocity != e.Velocity.Clamp(l) || !e.Velocity.IsFinite() {
				q.t.Fatalf("a velocity of %v", e.Velocity)
			}
		case EffectStarted:
			if q.driver != (Client{}) {
				q.t.Fatalf("%v began before %v ended", e.Client, q.driver)
			}
			q.driver, q.heard = e.Client, 0
		case EffectEnded:
			if e.Client.Session != q.driver.Session || !q.velocity.IsZero() || q.wants != (Streams{}) {
				q.t.Fatalf("%v ended, %v was there, with %v and %v", e.Client, q.driver, q.velocity, q.wants)
			}
			q.driver = Client{}
		case EffectStreams:
			q.wants = e.Streams
		case EffectCommand:
			if q.refs = append(q.refs, e.Command.Ref); len(q.refs) > 50 {
				q.refs = q.refs[1:]
			}
		case EffectEStop:
			if !q.velocity.IsZero() {
				q.t.Fatal("an e-stop leaves a velocity")
			}
		}
	}
	q.driver.Name = q.s.Client().Name // a keep-alive may change it
	for _, d := range o.Datagrams {
		if len(d.Data) > MaxDatagram || d.Data[0] != '{' && len(d.Data) > MaxChunk+ChunkHeaderSize {
			q.t.Fatalf("a datagram of %d bytes", len(d.Data))
		}
	}
}

func (q *sequence) invariants() {
	q.take(q.s.Tick(q.now))
	if q.s.Client() != q.driver {
		q.t.Fatalf("the driver is %v, effects say %v", q.s.Client(), q.driver)
	}
	if !q.velocity.IsZero() && (q.valid >= q.s.cfg.JoyTimeout || q.heard >= q.s.cfg.ClientTimeout || q.driver == (Client{})) {
		q.t.Fatalf("%v survives: joystick %v ago, driver %v ago, driver %v", q.velocity, q.valid, q.heard, q.driver)
	}
	if q.driver != (Client{}) && q.heard >= q.s.cfg.ClientTimeout {
		q.t.Fatalf("%v survives a silence of %v", q.driver, q.heard)
	}
	if at, ok := q.s.Deadline(); ok && at.Before(q.now) {
		q.t.Fatalf("due %v ago after a tick", q.now.Sub(at))
	}
	for _, l := range []*ledger{&q.s.commands, &q.s.detached} {
		pending := 0
		for _, e := range l.entries {
			if e.ack == nil {
				pending++
			}
		}
		if len(l.entries) > l.most || len(l.order) != len(l.entries) || pending != l.pending || pending > mostPending {
			q.t.Fatalf("%d commands, %d in order, %d pending, %d counted", len(l.entries), len(l.order), pending, l.pending)
		}
	}
	if len(q.s.denied.told) > mostDenied || len(q.s.denied.order) != len(q.s.denied.told) {
		q.t.Fatalf("%d addresses remembered", len(q.s.denied.told))
	}
}

func newSequence(t *testing.T, d *Dialect) *sequence {
	t.Helper()
	s, err := NewSession(d, everyCommand(d))
	if err != nil {
		t.Fatal(err)
	}
	return &sequence{t: t, s: s, now: epoch}
}

// FuzzSession plays sequences of valid and invalid datagrams, results, ticks, new tokens and clock steps.
func FuzzSession(f *testing.F) {
	f.Add([]byte{0, 0, 1, 2, 0, 1, 10, 0, 29, 10, 0, 30, 10, 0, 200})
	f.Add([]byte{0, 0, 1, 2, 0, 1, 0, 1, 1, 2, 1, 1, 0, 2, 1, 6, 2, 1, 6, 8, 0})
	f.Add([]byte{0, 0, 0, 6, 1, 0, 9, 0, 0, 6, 1, 0, 12, 1, 0, 0, 0, 0, 13, 5, 0, 11, 200, 0})
	f.Fuzz(func(t *testing.T, program []byte) {
		for _, d := range Dialects() {
			newSequence(t, d).play(program)
		}
	})
}

func TestRandomSequences(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 9))
		program := make([]byte, 3000)
		for i := range program {
			program[i] = byte(rng.UintN(256))
			if i%3 == 2 {
				program[i] = byte(rng.UintN(40)) >> rng.UintN(6) // short pauses mostly
			}
		}
		q := newSequence(t, Dialects()[seed%2])
		q.play(program)
		if q.s.Stats().Joy == 0 || q.s.lastID == 0 {
			t.Fatalf("seed %d: nothing happened: %+v", seed, q.s.Stats())
		}
	}
}

// TestMemoryStaysFlat is ten minutes of 1,000 joystick messages a second, with state and a stranger a second besides, in virtual time.
func TestMemoryStaysFlat(t *testing.T) {
	s, err := NewSession(Molly(), everyCommand(Molly()))
	if err != nil {
		t.Fatal(err)
	}
	now := epoch
	s.HandleDatagram(now, phone, []byte(`{"t":"hello","name":"x"}`))
	joy, foreign := []byte(joyMessage), []byte(`{"t":"hello","name":"y"}`)
	drive := func(n int) {
		for i := range n {
			now = now.Add(time.Millisecond)
			s.HandleDatagram(now, phone, joy)
			if i%1000 == 0 {
				s.HandleDatagram(now, tablet, foreign)
			}
		}
	}
	var before, after runtime.MemStats
	drive(10_000)
	runtime.GC()
	runtime.ReadMemStats(&before)
	drive(600_000)
	runtime.ReadMemStats(&after)
	if n := after.Mallocs - before.Mallocs; n > 100 {
		t.Errorf("%d allocations", n)
	}
	want(t, "states", s.Stats().States > 1000, true)
}
