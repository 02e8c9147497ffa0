package follower

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"sarathi/internal/algo/pursuit"
	"sarathi/internal/algo/route"
	"sarathi/internal/geom"
)

var epoch = time.Unix(1_700_000_000, 0)

// world is a robot with slip, its follower, and what it is told.
type world struct {
	t      *testing.T
	f      *Follower
	in     Input
	pose   geom.Pose2
	slip   float64
	silent bool // no pose comes
	quiet  bool // no advice comes
	events []Event
	out    Output
	sent   []geom.Velocity
}

func newWorld(t *testing.T, points []route.Point, change func(*Config, *Path)) *world {
	t.Helper()
	cfg, path := Default(), Path{Name: "r.csv", Stamp: epoch, Points: points}
	if change != nil {
		change(&cfg, &path)
	}
	f, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if points != nil {
		if err := f.SetPath(path); err != nil {
			t.Fatal(err)
		}
	}
	return &world{t: t, f: f, slip: 0.03, in: Input{Now: epoch, Localized: true, SpeedScale: 1, Advice: Advice{Scale: 1}}}
}

// step is 50 ms.
func (w *world) step() {
	w.in.Now = w.in.Now.Add(50 * time.Millisecond)
	if !w.silent {
		w.in.Pose, w.in.PoseStamp = w.pose, w.in.Now
	}
	if !w.quiet {
		w.in.Advice.Stamp = w.in.Now
	}
	w.out = w.f.Step(w.in)
	w.events = append(w.events, w.out.Events...)
	if w.out.Send {
		w.sent = append(w.sent, w.out.Velocity)
	}
	if !w.out.Send && w.out.Velocity != (geom.Velocity{}) {
		w.t.Fatalf("velocity %v that is not sent", w.out.Velocity)
	}
	w.pose = w.pose.Mul(w.out.Velocity.Scale(1 - w.slip).Integrate(0.05))
}

// until steps until a state, for at most a time.
func (w *world) until(s State, limit time.Duration) {
	w.t.Helper()
	for end := w.in.Now.Add(limit); w.in.Now.Before(end); {
		if w.step(); w.f.Status().State == s {
			return
		}
	}
	w.t.Fatalf("not %s within %s but %+v, at %v", s, limit, w.f.Status(), w.pose)
}

// run steps for a time.
func (w *world) run(d time.Duration) {
	for end := w.in.Now.Add(d); w.in.Now.Before(end); {
		w.step()
	}
}

func (w *world) start() {
	w.t.Helper()
	if err := w.f.Start(true); err != nil {
		w.t.Fatal(err)
	}
}

// line is a route along x with points every 0.1 m.
func line(length float64, stops ...float64) []route.Point {
	var out []route.Point
	for i := range int(math.Round(length*10)) + 1 {
		p := route.Point{X: float64(i) / 10}
		for _, s := range stops {
			if math.Abs(s-p.X) < 0.05 {
				p.Dwell, p.Yaw = 2, math.Pi/2
			}
		}
		out = append(out, p)
	}
	return out
}

// ring is a loop of 4 × 3 m.
func ring(stops ...int) []route.Point {
	corners := []geom.Vec2{{}, {X: 4}, {X: 4, Y: 3}, {Y: 3}, {Y: 0.3}}
	var out []route.Point
	for i := 1; i < len(corners); i++ {
		a, b := corners[i-1], corners[i]
		n := int(a.Distance(b) * 10)
		for k := range n {
			p := a.Lerp(b, float64(k)/float64(n))
			out = append(out, route.Point{X: p.X, Y: p.Y, Yaw: b.Sub(a).Angle()})
		}
	}
	for _, s := range stops {
		out[s].Dwell = 1
	}
	prepared, err := route.Prepare(out, route.Default())
	if err != nil {
		panic(err)
	}
	return prepared.Points
}

func (w *world) kinds() string {
	var out []string
	for _, e := range w.events {
		out = append(out, fmt.Sprintf("%s %d", e.Kind, e.Stop))
	}
	return strings.Join(out, ", ")
}

func TestWalksWithStops(t *testing.T) {
	w := newWorld(t, line(6, 2, 4), nil)
	w.pose = geom.Pose2{X: -0.2, Y: 0.5, Theta: 0.3}
	w.step()
	if s := w.f.Status(); s.State != Inactive || w.out.Send || s.Total != 61 || s.Index != -1 || s.NextStop != 20 || math.Abs(s.Remaining-6) > 1e-9 {
		t.Errorf("before the start: %+v", s)
	}
	w.start()
	w.until(Joining, time.Second)
	w.until(Following, 10*time.Second)
	w.until(Approaching, 20*time.Second)
	w.until(Dwelling, 20*time.Second)
	if d, a := pursuit.Errors(w.pose, geom.Pose2{X: 2, Theta: math.Pi / 2}); d > 0.05 || math.Abs(a) > 0.053 {
		t.Errorf("the stop is reached within %.3f m and %.3f rad", d, a)
	}
	at := w.pose
	w.until(Following, 2100*time.Millisecond)
	if w.pose.Position().Distance(at.Position()) > 1e-9 {
		t.Error("it moved while it dwelt")
	}
	w.until(GoalReached, 60*time.Second)
	if got, want := w.kinds(), "arrived 0, departed 0, arrived 1, departed 1"; got != want {
		t.Errorf("events %s, want %s", got, want)
	}
	if d, a := pursuit.Errors(w.pose, geom.Pose2{X: 6}); d > 0.05 || math.Abs(a) > 0.053 {
		t.Errorf("the end is reached within %.3f m and %.3f rad", d, a)
	}
	w.run(time.Second)
	if last := w.sent[len(w.sent)-1]; last != (geom.Velocity{}) || w.out.Send || w.f.Status().Remaining > 1e-9 {
		t.Errorf("after arrival: last velocity %v, still sent %t, remaining %g", last, w.out.Send, w.f.Status().Remaining)
	}
}

func TestArrivesExactly(t *testing.T) {
	for _, holonomic := range []bool{false, true} {
		for seed := range uint64(50) {
			r := rand.New(rand.NewPCG(8, seed))
			points := line(3)
			points[30].Yaw = 6.28 * r.Float64()
			w := newWorld(t, points, func(c *Config, _ *Path) { c.Pursuit.Holonomic = holonomic })
			w.pose = geom.Pose2{X: 0.4 * r.Float64(), Y: r.Float64() - 0.5, Theta: 6.28 * r.Float64()}
			w.start()
			w.until(GoalReached, 60*time.Second)
			if d, a := pursuit.Errors(w.pose, points[30].Pose()); d > 0.05 || math.Abs(a) > 3*math.Pi/180 || strings.Contains(w.f.Status().Message, "not reached") {
				t.Errorf("seed %d: %.3f m, %.3f rad: %s", seed, d, a, w.f.Status().Message)
			}
		}
	}
}

func TestLapsAndLowBattery(t *testing.T) {
	w := newWorld(t, ring(40), func(_ *Config, p *Path) { p.Loop = true })
	w.start()
	for w.f.Status().Lap < 2 {
		before := w.f.Status()
		w.step()
		if s := w.f.Status(); s.Lap == before.Lap && s.Index < before.Index {
			t.Fatalf("progress went back from %d to %d", before.Index, s.Index)
		}
		if w.in.Now.Sub(epoch) > 5*time.Minute {
			t.Fatalf("%+v", w.f.Status())
		}
	}
	if got := strings.Count(w.kinds(), "arrived 0"); got != 2 {
		t.Errorf("events %s", w.kinds())
	}
	w.f.SetBatteryLow(true)
	w.until(GoalReached, 2*time.Minute)
	if s := w.f.Status(); s.Lap != 2 || w.pose.Position().Distance(geom.Vec2{Y: 0.4}) > 0.2 {
		t.Errorf("with a low battery it ended at %v: %+v", w.pose, s)
	}
}

func TestReasonsAreASet(t *testing.T) {
	w := newWorld(t, line(6), nil)
	w.start()
	w.run(3 * time.Second)
	w.f.Pause(ByOperator)
	w.f.Pause(ByRemote)
	w.f.Pause(ByOperator)
	w.step()
	if s := w.f.Status(); s.State != Paused || !slices.Equal(s.Reasons, []string{ByOperator, ByRemote}) || w.out.Velocity != (geom.Velocity{}) || !w.out.Send {
		t.Fatalf("paused: %+v, velocity %v", s, w.out.Velocity)
	}
	at, index := w.pose, w.f.Status().Index
	w.run(5 * time.Second)
	w.f.Resume(ByOperator)
	w.run(time.Second)
	if s := w.f.Status(); s.State != Paused || !slices.Equal(s.Reasons, []string{ByRemote}) || w.pose != at {
		t.Errorf("one reason is left: %+v", s)
	}
	w.f.Resume(ByRemote)
	w.step()
	if s := w.f.Status(); s.State != Following || s.Index < index { // fulanghua_navigation #63
		t.Errorf("no reason is left: %+v", s)
	}
	w.f.Pause(ByEStop)
	if err := w.f.Start(true); err != nil {
		t.Fatal(err)
	}
	if w.step(); w.f.Status().State != Paused {
		t.Error("a start clears the e-stop's reason")
	}
}

func TestOldPoseStops(t *testing.T) { // move_base_flex #231, navigation2 #6034, mowglinext #283
	w := newWorld(t, line(6), nil)
	w.start()
	w.run(3 * time.Second)
	w.silent = true
	w.run(500 * time.Millisecond)
	if w.f.Status().State != Following {
		t.Fatal("it stops within the limit")
	}
	w.step()
	if s := w.f.Status(); s.State != Paused || !slices.Equal(s.Reasons, []string{ByLocalization}) || w.out.Velocity != (geom.Velocity{}) {
		t.Errorf("the pose is 0.55 s old: %+v", s)
	}
	w.silent = false
	if w.step(); w.f.Status().State != Following {
		t.Errorf("the pose is back: %+v", w.f.Status())
	}
	w.in.Localized = false
	if w.step(); w.f.Status().State != Paused {
		t.Errorf("not localized: %+v", w.f.Status())
	}
	w.in.Localized = true
	w.quiet = true
	w.run(600 * time.Millisecond)
	if s := w.f.Status(); !slices.Equal(s.Reasons, []string{ByAvoidance}) {
		t.Errorf("avoidance is silent: %+v", s)
	}
	w.f.Stop()
	if w.step(); len(w.f.Status().Reasons) != 0 || w.f.Status().State != Inactive {
		t.Errorf("stopped: %+v", w.f.Status())
	}
	// A stamp a few milliseconds ahead of the step is no reason.
	w = newWorld(t, line(6), nil)
	w.start()
	w.in.Now = w.in.Now.Add(time.Second)
	w.in.Pose, w.in.PoseStamp, w.in.Advice.Stamp = w.pose, w.in.Now.Add(20*time.Millisecond), w.in.Now
	if w.f.Step(w.in); w.f.Status().State == Paused {
		t.Error("a pose that is 20 ms newer than the step stops the robot")
	}
}

func TestObstaclesHoldAndBlock(t *testing.T) {
	w := newWorld(t, line(6), nil)
	w.start()
	w.run(3 * time.Second)
	w.in.Advice.Emergency = true
	at := w.pose
	w.step()
	if w.out.Velocity != (geom.Velocity{}) || w.f.Status().State != Following {
		t.Errorf("emergency: velocity %v, %+v", w.out.Velocity, w.f.Status())
	}
	w.run(29500 * time.Millisecond)
	if w.f.Status().State != Following {
		t.Error("blocked too early")
	}
	w.until(Blocked, time.Second)
	w.run(10 * time.Minute)
	if w.f.Status().State != Blocked || w.pose != at {
		t.Errorf("%+v", w.f.Status())
	}
	w.in.Advice.Emergency = false
	w.in.Advice.Scale = 0.5
	w.run(3 * time.Second)
	if v := w.out.Velocity.VX; w.f.Status().State != Following || v > 0.21 || v < 0.15 {
		t.Errorf("half speed: %v", w.out.Velocity)
	}
	w.in.Advice.Scale = math.NaN()
	if w.step(); w.out.Velocity != (geom.Velocity{}) {
		t.Errorf("a scale that is no number: %v", w.out.Velocity)
	}
}

// Held by something ahead, the robot is given a path that leads back: it turns there, and goes when the way ahead is free.
func TestTurnsAwayFromWhatHoldsIt(t *testing.T) {
	w := newWorld(t, line(6), nil)
	w.start()
	w.run(3 * time.Second)
	w.in.Advice.Emergency = true
	w.run(40 * time.Second)
	if w.f.Status().State != Blocked {
		t.Fatalf("%+v", w.f.Status())
	}
	at := w.pose
	if err := w.f.SetPath(Path{Name: "back", Stamp: w.in.Now, Points: []route.Point{{X: at.X}, {X: at.X, Y: 2}, {X: 0, Y: 2}}}); err != nil {
		t.Fatal(err)
	}
	fastest := 0.0
	for range 100 {
		w.step()
		fastest = max(fastest, math.Abs(w.out.Velocity.WZ))
		if w.out.Velocity.VX != 0 || w.out.Velocity.VY != 0 {
			t.Fatalf("it moves by %v towards what is too near", w.out.Velocity)
		}
	}
	aim, _ := w.f.Aim(w.pose)
	if math.Abs(aim) > 0.2 || w.out.Velocity != (geom.Velocity{}) || fastest > w.f.cfg.Pursuit.Approach.MaxTurn {
		t.Errorf("the path leads to %g, velocity %v, turned with up to %g", aim, w.out.Velocity, fastest)
	}
	w.in.SpeedScale, w.pose.Theta = 0, 0
	if w.step(); w.out.Velocity != (geom.Velocity{}) {
		t.Errorf("it turns by %v although it must not move", w.out.Velocity)
	}
	w.in.SpeedScale, w.in.Advice.Emergency = 1, false
	w.until(GoalReached, time.Minute)
}

func TestSteersAside(t *testing.T) {
	w := newWorld(t, line(6), nil)
	if _, ok := w.f.Aim(w.pose); ok {
		t.Error("an aim before the start")
	}
	w.start()
	w.run(3 * time.Second)
	if aim, ok := w.f.Aim(geom.Pose2{X: w.pose.X, Y: 1.2}); !ok || math.Abs(aim+math.Pi/4) > 0.05 {
		t.Errorf("aim %g, %t", aim, ok)
	}
	w.in.Advice.Aside = 0.4
	w.run(2 * time.Second)
	if w.pose.Y < 0.1 {
		t.Errorf("it does not steer aside: %v", w.pose)
	}
	w.in.Advice.Aside = 0
	w.until(GoalReached, time.Minute)
}

func TestOffPath(t *testing.T) {
	w := newWorld(t, line(6), nil)
	w.start()
	w.run(3 * time.Second)
	w.pose.Y = 1.6
	w.step()
	w.pose.Y = 0
	w.run(time.Second)
	if s := w.f.Status(); s.State != OffPath || w.out.Send || !strings.Contains(s.Message, "1.6 m from the path") {
		t.Errorf("%+v", s)
	}
	w.start()
	w.run(time.Second)
	if w.f.Status().State != Following {
		t.Errorf("started again: %+v", w.f.Status())
	}
	w.pose.Y = 0.8
	w.step()
	w.run(200 * time.Millisecond)
	if w.out.Velocity.VX > 0.4 {
		t.Errorf("0.8 m beside the path: %v", w.out.Velocity)
	}
}

func TestStopsThatWerePassedAreSkipped(t *testing.T) {
	w := newWorld(t, line(6, 3), nil)
	w.start()
	w.run(2 * time.Second)
	w.pose = geom.Pose2{X: 1.8}
	w.step()
	w.pose = geom.Pose2{X: 3.7} // led past by hand
	w.step()
	if got := w.kinds(); got != "skipped 0" {
		t.Errorf("events %s", got)
	}
	w.until(GoalReached, time.Minute)
}

func TestUnreachableStopIsTakenAsItIs(t *testing.T) {
	w := newWorld(t, line(6, 3), nil)
	w.start()
	w.until(Approaching, time.Minute)
	w.slip = 1
	w.until(Dwelling, 21*time.Second)
	if e := w.events[0]; e.Kind != Arrived || !strings.HasPrefix(e.Message, "not reached in 20s") {
		t.Errorf("event %+v", e)
	}
}

func TestStuck(t *testing.T) {
	w := newWorld(t, line(6), nil)
	w.start()
	w.run(3 * time.Second)
	w.slip = 1
	w.until(Failed, 61*time.Second)
	if w.step(); w.out.Send || !strings.Contains(w.f.Status().Message, "no progress") {
		t.Errorf("%+v", w.f.Status())
	}
}

func TestNewPathUnderWay(t *testing.T) { // navigation2 #1301, navigation #1265
	w := newWorld(t, line(6), nil)
	w.start()
	w.run(4 * time.Second)
	speed, index := w.out.Velocity.VX, w.f.Status().Index
	if err := w.f.SetPath(Path{Name: "r.csv", Stamp: epoch, Points: line(6)}); err != nil {
		t.Fatal(err)
	}
	if s := w.f.Status(); s.Index != index {
		t.Errorf("the same path again: index %d, was %d", s.Index, index)
	}
	replanned := []route.Point{}
	for i := range 40 {
		replanned = append(replanned, route.Point{X: w.pose.X + 0.1*float64(i), Y: 0.02 * float64(i)})
	}
	if err := w.f.SetPath(Path{Name: "r.csv", Stamp: epoch.Add(time.Second), Points: replanned}); err != nil {
		t.Fatal(err)
	}
	w.step()
	if w.out.Velocity.VX < speed-0.05 || w.f.Status().State != Following || w.f.Status().Total != 40 {
		t.Errorf("a new path that agrees: %v after %g m/s, %+v", w.out.Velocity, speed, w.f.Status())
	}
	w.until(GoalReached, time.Minute)
	w.f.ClearPath()
	if w.step(); w.f.Status().State != Inactive || w.f.Status().Total != 0 {
		t.Errorf("without a path: %+v", w.f.Status())
	}
}

func TestRefusals(t *testing.T) {
	w := newWorld(t, nil, nil)
	if err := w.f.Start(true); !errors.Is(err, ErrNoPath) {
		t.Errorf("start without a path: %v", err)
	}
	for _, bad := range [][]route.Point{nil, {{X: 1}}, {{X: 1}, {X: 1}}, {{X: 1}, {X: math.NaN()}}} {
		if err := w.f.SetPath(Path{Points: bad}); !errors.Is(err, ErrPath) {
			t.Errorf("path %v: %v", bad, err)
		}
	}
	if err := w.f.SetPath(Path{Points: line(3)}); err != nil {
		t.Fatal(err)
	}
	if err := w.f.Start(false); !errors.Is(err, ErrNotLocalized) || w.f.Active() {
		t.Errorf("start without localization: %v", err)
	}
	for _, v := range []float64{0, -1, 5, math.NaN()} {
		if err := w.f.SetSpeed(v); !errors.Is(err, ErrSpeed) {
			t.Errorf("speed %g: %v", v, err)
		}
	}
	w.start()
	if err := w.f.SetSpeed(0.2); err != nil || w.f.Status().Speed != 0.2 {
		t.Errorf("speed: %v", err)
	}
	if w.run(4 * time.Second); w.out.Velocity.VX > 0.2001 || w.out.Velocity.VX < 0.19 {
		t.Errorf("at 0.2 m/s: %v", w.out.Velocity)
	}
}

func TestTimeJumpsDoNotMatter(t *testing.T) {
	w := newWorld(t, line(6), nil)
	w.start()
	w.run(2 * time.Second)
	before := w.out.Velocity.VX
	w.in.Now = w.in.Now.Add(time.Hour)
	w.step()
	w.in.Now = w.in.Now.Add(-time.Hour)
	w.step()
	if math.Abs(w.out.Velocity.VX-before) > 0.1 {
		t.Errorf("velocity %v, was %g m/s", w.out.Velocity, before)
	}
}

func TestConfigIsChecked(t *testing.T) {
	for i, change := range []func(*Config){
		func(c *Config) { c.Period = 0 }, func(c *Config) { c.OffPathBeyond = 0.1 }, func(c *Config) { c.SpeedMax = 9 },
		func(c *Config) { c.Pursuit.Braking = math.NaN() }, func(c *Config) { c.Pursuit.Cruise = 0.05 },
	} {
		cfg := Default()
		change(&cfg)
		if _, err := New(cfg); err == nil {
			t.Errorf("%d is accepted", i)
		}
	}
}
