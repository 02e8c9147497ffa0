package teleop

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"
)

// A channel is a bad network between handhelds and a robot, in virtual time.
type channel struct {
	rng        *rand.Rand
	loss, copy float64 // probability
	delay      time.Duration
	jitter     time.Duration // added at random: it reorders
	flying     []packet
	sent       int
}

type packet struct {
	at   time.Time
	n    int // order of sending
	to   netip.AddrPort
	from netip.AddrPort
	data []byte
}

func (c *channel) send(now time.Time, from, to netip.AddrPort, data []byte) {
	copies := 1
	if c.rng.Float64() < c.copy {
		copies = 2
	}
	for range copies {
		if c.rng.Float64() < c.loss {
			continue
		}
		at := now.Add(c.delay)
		if c.jitter > 0 {
			at = at.Add(time.Duration(c.rng.Int64N(int64(c.jitter))))
		}
		c.sent++
		c.flying = append(c.flying, packet{at, c.sent, to, from, slices.Clone(data)})
	}
	slices.SortFunc(c.flying, func(a, b packet) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.n, b.n)) })
}

var robotAddr = netip.MustParseAddrPort("10.0.0.1:9880")

// A world is one robot and one handheld with a channel between them.
type world struct {
	t      *testing.T
	now    time.Time
	link   channel
	robot  *Session
	client *ClientSession
	addr   netip.AddrPort // of the client, as the robot sees it

	answerAfter time.Duration // of commands
	running     []running
	runs        map[string]int // commands carried out
	velocity    Velocity       // at the robot
	moved       time.Time      // last non-zero velocity
	events      []Event
	refused     int // answers of the robot to others
}

type running struct {
	at  time.Time
	ref Ref
}

func newWorld(t *testing.T, link channel, change ...func(*Config)) *world {
	t.Helper()
	w := &world{t: t, now: epoch, link: link, addr: phone, runs: map[string]int{}}
	w.link.rng = rand.New(rand.NewPCG(3, 4))
	w.boot(change...)
	cfg := DefaultClientConfig()
	cfg.Name, cfg.FirstID = "phone", 1000
	w.client = NewClientSession(Molly(), cfg)
	return w
}

// boot starts the robot anew.
func (w *world) boot(change ...func(*Config)) {
	cfg := everyCommand(Molly())
	for _, f := range change {
		f(&cfg)
	}
	var err error
	if w.robot, err = NewSession(Molly(), cfg); err != nil {
		w.t.Fatal(err)
	}
	w.velocity, w.running = Velocity{}, nil
}

func (w *world) fromRobot(o Output) {
	for _, e := range o.Effects {
		switch e.Kind {
		case EffectVelocity:
			w.velocity = e.Velocity
		case EffectCommand:
			w.runs[e.Command.Name()]++
			w.running = append(w.running, running{w.now.Add(w.answerAfter), e.Command.Ref})
		default:
		}
	}
	for _, d := range o.Datagrams {
		w.link.send(w.now, robotAddr, d.To, d.Data)
	}
}

func (w *world) fromClient(o ClientOutput) {
	w.events = append(w.events, o.Events...)
	for _, data := range o.Datagrams {
		w.link.send(w.now, w.addr, robotAddr, data)
	}
}

// run lets time pass, from one thing that is due to the next.
func (w *world) run(d time.Duration) {
	end := w.now.Add(d)
	for steps := 0; ; steps++ {
		if steps > 1_000_000 {
			w.t.Fatal("time does not pass")
		}
		next := end
		consider := func(at time.Time) {
			if at.Before(next) {
				next = at
			}
		}
		if len(w.link.flying) > 0 {
			consider(w.link.flying[0].at)
		}
		if at, ok := w.robot.Deadline(); ok {
			consider(at)
		}
		consider(w.client.Deadline())
		for _, r := range w.running {
			consider(r.at)
		}
		if next.After(w.now) {
			w.now = next
		}
		w.step()
		if !w.now.Before(end) {
			return
		}
	}
}

func (w *world) step() {
	w.fromRobot(w.robot.Tick(w.now))
	w.fromClient(w.client.Tick(w.now))
	for i := 0; i < len(w.running); {
		if r := w.running[i]; !r.at.After(w.now) {
			w.running = slices.Delete(w.running, i, i+1)
			w.fromRobot(w.robot.Finish(w.now, r.ref, Result{OK: true, Msg: "done"}))
			continue
		}
		i++
	}
	for len(w.link.flying) > 0 && !w.link.flying[0].at.After(w.now) {
		p := w.link.flying[0]
		w.link.flying = w.link.flying[1:]
		switch p.to {
		case robotAddr:
			w.fromRobot(w.robot.HandleDatagram(w.now, p.from, p.data))
		case w.addr:
			w.fromClient(w.client.HandleDatagram(w.now, p.data))
		default:
			w.refused++
		}
	}
	if !w.velocity.IsZero() {
		w.moved = w.now
	}
}

// drive holds the stick for a while.
func (w *world) drive(v Velocity, d time.Duration) {
	for end := w.now.Add(d); w.now.Before(end); {
		w.fromClient(w.client.Drive(w.now, v))
		w.run(20 * time.Millisecond)
	}
}

func (w *world) command(name string, args Args) int64 {
	w.t.Helper()
	id, out, err := w.client.Command(w.now, name, args)
	if err != nil {
		w.t.Fatal(err)
	}
	w.fromClient(out)
	return id
}

// result returns the result of a command, if there is one.
func (w *world) result(id int64) (e Event, ok bool) {
	n := 0
	for i := range w.events {
		if w.events[i].Kind == EventResult && w.events[i].Ack.ID == id {
			e, ok = w.events[i], true
			n++
		}
	}
	if n > 1 {
		w.t.Errorf("command %d has %d results", id, n)
	}
	return e, ok
}

func (w *world) count(kind EventKind) int {
	n := 0
	for i := range w.events {
		if w.events[i].Kind == kind {
			n++
		}
	}
	return n
}

var badLinks = map[string]channel{
	"good":        {delay: time.Millisecond},
	"loss":        {delay: 5 * time.Millisecond, loss: 0.3},
	"duplication": {delay: 5 * time.Millisecond, copy: 1},
	"reordering":  {delay: 5 * time.Millisecond, jitter: 100 * time.Millisecond},
	"delay":       {delay: 300 * time.Millisecond},
	"everything":  {delay: 100 * time.Millisecond, jitter: 200 * time.Millisecond, loss: 0.3, copy: 0.3},
}

func TestDrivingAndCommandsSurviveBadLinks(t *testing.T) {
	for name, link := range badLinks {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, link)
			w.answerAfter = 50 * time.Millisecond
			w.run(5 * time.Second)
			if !w.client.Connected() || w.client.State() == nil {
				t.Fatal("not connected")
			}
			var ids []int64
			for range 20 {
				ids = append(ids, w.command("map_save", nil))
				w.drive(Velocity{VX: 0.5}, 500*time.Millisecond)
			}
			w.run(3 * time.Second)
			for _, id := range ids {
				if e, ok := w.result(id); !ok || e.Err != nil || !e.Ack.OK {
					t.Errorf("command %d: %+v", id, e)
				}
			}
			want(t, "runs", w.runs["map_save"], len(ids))
			want(t, "velocity after release", w.velocity, Velocity{})
			want(t, "moved at all", w.moved.IsZero(), false)
			want(t, "sessions lost", w.count(EventLost), 0)
		})
	}
}

func TestLinkIsMeasured(t *testing.T) {
	w := newWorld(t, channel{delay: 50 * time.Millisecond})
	w.run(5 * time.Second)
	want(t, "RTT", w.client.Link().RTT, 100*time.Millisecond)
	want(t, "loss", w.client.Link().StateLoss, 0)
	w = newWorld(t, channel{loss: 0.3})
	w.run(60 * time.Second)
	if loss := w.client.Link().StateLoss; loss < 0.15 || loss > 0.45 {
		t.Errorf("a loss of 30 %% is measured as %.0f %%", loss*100)
	}
}

func TestRobotStopsWhenTheHandheldVanishes(t *testing.T) {
	w := newWorld(t, channel{delay: 5 * time.Millisecond})
	w.run(time.Second)
	w.drive(Velocity{VX: 0.5}, time.Second)
	gone := w.now
	w.link.loss = 1
	w.run(3 * time.Second)
	if late := w.moved.Sub(gone); late > DefaultConfig().JoyTimeout+10*time.Millisecond {
		t.Errorf("the robot moved for another %v", late)
	}
	want(t, "robot's session", w.robot.Client(), Client{})
	want(t, "client knows", w.client.Connected(), false)
}

func TestReleasedStickSendsZerosThenNothing(t *testing.T) {
	w := newWorld(t, channel{})
	w.run(time.Second)
	w.drive(Velocity{VX: 0.5}, 200*time.Millisecond)
	before := w.robot.Stats().Joy
	w.fromClient(w.client.Release(w.now))
	w.run(0)
	want(t, "stopped at once", w.velocity, Velocity{})
	w.run(time.Second)
	want(t, "messages after the release", w.robot.Stats().Joy-before, zerosAfterInput)
}

func TestStaleInputCountsAsReleased(t *testing.T) {
	w := newWorld(t, channel{}, func(c *Config) { c.JoyTimeout = 2 * time.Second })
	w.run(time.Second)
	w.fromClient(w.client.Drive(w.now, Velocity{VX: 0.5}))
	start := w.now
	w.run(2 * time.Second)
	if d := w.moved.Sub(start); d < 500*time.Millisecond || d > 650*time.Millisecond {
		t.Errorf("the robot moved for %v", d)
	}
}

func TestInputThatIsNoNumberStops(t *testing.T) {
	w := newWorld(t, channel{})
	w.run(time.Second)
	w.drive(Velocity{VX: 0.5}, 200*time.Millisecond)
	w.fromClient(w.client.Drive(w.now, Velocity{VX: math.NaN(), WZ: 1}))
	w.run(0)
	want(t, "velocity", w.velocity, Velocity{})
}

func TestStickMustBeCentredAfterALoss(t *testing.T) {
	w := newWorld(t, channel{delay: time.Millisecond})
	w.run(time.Second)
	w.drive(Velocity{VX: 0.5}, 200*time.Millisecond)
	w.link.loss = 1
	w.drive(Velocity{VX: 0.5}, 3*time.Second)
	w.link.loss, w.moved = 0, time.Time{}
	w.drive(Velocity{VX: 0.5}, 3*time.Second)
	want(t, "connected again", w.client.Connected(), true)
	want(t, "moved with the stick still held", w.moved.IsZero(), true)
	w.drive(Velocity{}, 100*time.Millisecond)
	w.drive(Velocity{VX: 0.5}, 100*time.Millisecond)
	want(t, "moves after centring", w.velocity, Velocity{VX: 0.5})
}

func TestRobotRestartsUnderAConnectedClient(t *testing.T) {
	for name, down := range map[string]time.Duration{"fast": 0, "slow": 5 * time.Second} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, channel{delay: 2 * time.Millisecond})
			w.answerAfter = time.Minute
			w.run(10 * time.Second)
			content := func() {
				w.robot.SetSite(w.now, testSite())
				w.robot.SetRoute(w.now, []RoutePoint{{1, 2, 3}})
				w.robot.SetState(State{Site: Some(SiteStatus{Name: "lobby"})})
			}
			content()
			pending := w.command("site_load", Args{}.With("site", Text("lobby")))
			w.drive(Velocity{VX: 0.5}, 300*time.Millisecond)
			w.link.loss = 1
			w.run(down)
			w.link.loss = 0
			w.boot()
			content()
			sites, routes := w.count(EventSite), w.count(EventRoute)
			w.run(5 * time.Second)
			e, ok := w.result(pending)
			want(t, "pending command fails", ok && errors.Is(e.Err, ErrSessionLost), true)
			want(t, "it ran", w.runs["site_load"], 1)
			want(t, "losses", w.count(EventLost), 1)
			want(t, "connected", w.client.Connected(), true)
			want(t, "site again", w.count(EventSite) > sites, true)
			want(t, "route again", w.count(EventRoute) > routes, true)
			want(t, "moves", w.velocity, Velocity{})
		})
	}
}

func TestRoamingInTheMiddleOfAPendingCommand(t *testing.T) {
	w := newWorld(t, channel{delay: 2 * time.Millisecond})
	w.answerAfter = 300 * time.Millisecond
	w.run(time.Second)
	id := w.command("go_to_poi", Args{}.With("id", Text("desk")))
	w.run(50 * time.Millisecond)
	w.addr = phoneTwo // the network gave it another port
	w.run(5 * time.Second)
	want(t, "robot follows", w.robot.Client().Addr, phoneTwo)
	want(t, "result of the old session went nowhere", w.refused > 0 || w.runs["go_to_poi"] == 2, true)
	if e, ok := w.result(id); !ok || !e.Ack.OK {
		t.Errorf("%+v", e)
	}
	want(t, "client noticed nothing", w.count(EventLost), 0)
}

func TestTokenRotationLocksTheClientOut(t *testing.T) {
	w := newWorld(t, channel{delay: time.Millisecond})
	w.run(time.Second)
	w.drive(Velocity{VX: 0.5}, 200*time.Millisecond)
	w.fromRobot(w.robot.SetToken(w.now, "new"))
	want(t, "stopped", w.velocity, Velocity{})
	w.drive(Velocity{VX: 0.5}, 4*time.Second)
	want(t, "still", w.velocity, Velocity{})
	want(t, "told once", w.count(EventRefused), 1)
	want(t, "connected", w.client.Connected(), false)
	w.client.cfg.Token = "new"
	w.run(2 * time.Second)
	want(t, "with the new token", w.client.Connected(), true)
}

func TestCommandsAreNotKeptForLater(t *testing.T) {
	w := newWorld(t, channel{loss: 1})
	if _, _, err := w.client.Command(w.now, "nav_start", nil); !errors.Is(err, ErrNotConnected) {
		t.Error(err)
	}
	if _, _, err := w.client.Command(w.now, "go_to", nil); err == nil {
		t.Error("bad arguments were sent")
	}
	id := w.command(CommandEStop, nil)
	w.run(time.Second)
	w.link.loss = 0
	w.run(time.Second)
	e, ok := w.result(id)
	want(t, "e-stop needs no session and is repeated", ok && e.Ack.OK, true)
	want(t, "e-stops", w.runs[CommandEStop], 1)
	w.link.loss = 1
	late := w.command("nav_start", nil)
	w.run(10 * time.Second)
	e, _ = w.result(late)
	want(t, "fails when the session is lost", errors.Is(e.Err, ErrSessionLost), true)
	w.link.loss = 0
	w.run(5 * time.Second)
	want(t, "runs", w.runs["nav_start"], 0)
}

func TestLostMapIsAskedForAgain(t *testing.T) {
	w := newWorld(t, channel{delay: 2 * time.Millisecond})
	w.run(time.Second)
	w.link.loss = 1
	w.fromRobot(w.robot.SetMap(w.now, testMap(5000)))
	w.fromRobot(w.robot.SetSite(w.now, testSite()))
	w.robot.SetState(State{Site: Some(SiteStatus{Name: "lobby"})})
	w.run(20 * time.Millisecond)
	w.link.loss = 0
	w.run(4 * time.Second)
	want(t, "maps", w.count(EventMap), 1)
	want(t, "sites", w.count(EventSite), 1)
	asked := w.robot.Stats().Commands + w.robot.Stats().Refused
	w.run(10 * time.Second)
	want(t, "asked once each", w.robot.Stats().Commands+w.robot.Stats().Refused, asked)
	want(t, "not told as results", w.count(EventResult), 0)
}

func TestStreamsArriveOverALossyLink(t *testing.T) {
	w := newWorld(t, channel{delay: 2 * time.Millisecond, loss: 0.1})
	w.fromClient(w.client.SetStreams(w.now, Streams{Camera: true, Lidar: true}))
	w.fromRobot(w.robot.SetRoute(w.now, []RoutePoint{{1, 2, 3}}))
	w.run(2 * time.Second)
	for range 200 {
		w.fromRobot(w.robot.Lidar(w.now, pattern(3000*LidarPointSize)))
		w.fromRobot(w.robot.Camera(w.now, pattern(8000)))
		w.run(50 * time.Millisecond)
	}
	if n := w.count(EventLidar); n < 20 {
		t.Errorf("%d lidar frames", n)
	}
	if n := w.count(EventCamera); n < 20 {
		t.Errorf("%d camera frames", n)
	}
	if loss := w.client.Link().StreamLoss; loss < 0.2 || loss > 0.95 {
		t.Errorf("a stream loss of %v", loss)
	}
}

func TestClosingStopsAndLeaves(t *testing.T) {
	w := newWorld(t, channel{delay: time.Millisecond})
	w.run(time.Second)
	w.drive(Velocity{VX: 0.5}, 200*time.Millisecond)
	w.fromClient(w.client.Close(w.now))
	for len(w.link.flying) > 0 {
		p := w.link.flying[0]
		w.link.flying = w.link.flying[1:]
		if p.to == robotAddr {
			w.fromRobot(w.robot.HandleDatagram(w.now, p.from, p.data))
		}
	}
	want(t, "robot's session", w.robot.Client(), Client{})
	want(t, "velocity", w.velocity, Velocity{})
}

func TestClientClockThatJumpsHarmsNobody(t *testing.T) {
	w := newWorld(t, channel{delay: time.Millisecond})
	w.run(2 * time.Second)
	for _, jump := range []time.Duration{-time.Hour, time.Hour, -time.Minute} {
		w.fromClient(w.client.Tick(w.now.Add(jump)))
		w.run(3 * time.Second)
		want(t, jump.String(), w.client.Connected(), true)
		if rtt := w.client.Link().RTT; rtt < 0 || rtt > time.Second {
			t.Errorf("%v: RTT %v", jump, rtt)
		}
	}
}

func FuzzClientSession(f *testing.F) {
	full := fullState()
	f.Add([]byte(`{"t":"welcome","commands":["get_map"]}`), Molly().AppendState(nil, &full), uint16(100))
	f.Add([]byte(`{"t":"ack","id":1,"ok":true}`), []byte(`{"t":"pong","ts":0}`), uint16(2000))
	f.Add([]byte(`{"t":"busy"}`), datagrams(Molly(), StreamMap, 1, AppendMap(nil, testMap(10)))[0], uint16(0))
	f.Fuzz(func(t *testing.T, one, two []byte, pause uint16) {
		c := NewClientSession(Molly(), DefaultClientConfig())
		now := epoch
		c.Tick(now)
		c.HandleDatagram(now, []byte(`{"t":"welcome","commands":["get_map","get_site"]}`))
		c.Command(now, "nav_start", nil)
		for i := range 20 {
			c.HandleDatagram(now, one)
			c.HandleDatagram(now, two)
			c.Drive(now, Velocity{VX: float64(i)})
			now = now.Add(time.Duration(pause) * time.Millisecond)
			if d := c.Deadline(); !d.After(now.Add(-time.Hour)) {
				t.Fatalf("due %v ago", now.Sub(d))
			}
			c.Tick(now)
			if c.Deadline().Before(now) {
				t.Fatalf("due %v ago after a tick", now.Sub(c.Deadline()))
			}
		}
		if len(c.commands) > mostWaiting {
			t.Fatalf("%d commands wait", len(c.commands))
		}
	})
}
