package localization

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"sarathi/internal/algo/tagpose"
	"sarathi/internal/geom"
)

const (
	size  = 0.16
	pixel = 0.12 // how wrong corners are [px]
	tick  = 50 * time.Millisecond
)

func epoch() time.Time { return time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC) }

// camera looks ahead from 0.38 m before the middle of the robot.
var (
	lens   = tagpose.Camera{FX: 468, FY: 468, CX: 320, CY: 240}
	optics = geom.Transform{T: geom.Vec3{X: 0.38, Z: 0.1}, R: geom.FromRPY(-math.Pi/2, 0, -math.Pi/2)}
)

// facing returns a tag at a place that faces along yaw: x right, y down, z into the tag for who looks at it.
func facing(x, y, z, yaw float64) geom.Transform {
	return geom.Transform{T: geom.Vec3{X: x, Y: y, Z: z}, R: geom.FromYaw(yaw).Mul(geom.Quat{X: -0.5, Y: -0.5, Z: 0.5, W: 0.5})}
}

// walk is a robot that walks through a place with tags; odometry slips.
type walk struct {
	t    testing.TB
	rng  *rand.Rand
	f    *Filter
	now  time.Time
	pose geom.Pose2 // truth
	odom geom.Pose2
	hung map[string]geom.Transform // where tags are
	book map[string]geom.Transform // where they are recorded
	slip float64
	last map[string]error
	dots []float64 // squared normalized errors
}

func newWalk(t testing.TB, seed uint64, start geom.Pose2, tags map[string]geom.Transform) *walk {
	t.Helper()
	f, err := New(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	w := &walk{
		t: t, rng: rand.New(rand.NewPCG(seed, 1)), f: f, now: epoch(), pose: start, odom: geom.Pose2{X: 3, Y: -2, Theta: 1}, hung: tags,
		book: maps.Clone(tags), slip: 0.03, last: map[string]error{},
	}
	f.Odometry(w.now, w.odom)
	return w
}

// step moves the robot for a tick and shows every tag that the camera sees, in the order of their names.
func (w *walk) step(v geom.Velocity) {
	dt := tick.Seconds()
	delta := geom.Pose2{X: v.VX * dt, Y: v.VY * dt, Theta: v.WZ * dt}
	w.pose = w.pose.Mul(delta)
	d := delta.Position().Norm()
	noise := func(variance float64) float64 { return math.Sqrt(variance) * w.rng.NormFloat64() }
	w.odom = w.odom.Mul(geom.Pose2{
		X: delta.X*(1+w.slip) + noise(1e-4*d), Y: delta.Y + noise(1e-4*d), Theta: delta.Theta*(1+w.slip/2) + noise(1e-5*d),
	})
	w.now = w.now.Add(tick)
	w.f.Odometry(w.now, w.odom)
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		if at, ok := w.hung[name]; ok && w.now.UnixMilli()%100 == 0 {
			if s, ok := w.see(name, at); ok {
				w.last[name] = w.f.Tag(s, "tag:"+name)
			}
		}
	}
}

// see returns what the camera makes of a tag; false when it does not show it.
func (w *walk) see(name string, at geom.Transform) (Sighting, bool) {
	cameraTtag := w.pose.Transform().Mul(optics).Inverse().Mul(at)
	into := cameraTtag.R.Rotate(geom.Vec3{Z: 1})
	if cameraTtag.T.Z < 0.3 || cameraTtag.T.Z > 4 || into.Dot(cameraTtag.T) < 0.35*cameraTtag.T.Norm() {
		return Sighting{}, false
	}
	var corners tagpose.Corners
	for i, c := range [4]geom.Vec2{{X: -1, Y: 1}, {X: 1, Y: 1}, {X: 1, Y: -1}, {X: -1, Y: -1}} {
		p := lens.Project(cameraTtag.Apply(geom.Vec3{X: c.X * size / 2, Y: c.Y * size / 2}))
		if p.X < 0 || p.Y < 0 || p.X > 640 || p.Y > 480 {
			return Sighting{}, false
		}
		corners[i] = p.Add(geom.Vec2{X: pixel * w.rng.NormFloat64(), Y: pixel * w.rng.NormFloat64()})
	}
	poses, err := tagpose.Solve(lens, corners, size)
	if err != nil {
		return Sighting{}, false
	}
	s := Sighting{Stamp: w.now, Frame: name, MapTtag: w.book[name], BaseTcamera: optics, Ambiguity: poses[0].Error / poses[1].Error}
	for i, p := range poses {
		s.Views[i].CameraTtag = p.Pose
		for a := range p.Covariance {
			for b := range p.Covariance[a] {
				s.Views[i].Covariance[a][b] = pixel * pixel * p.Covariance[a][b]
			}
		}
	}
	return s, true
}

// off is how wrong the estimate is.
func (w *walk) off() (m, rad float64) {
	d := w.f.Status().Pose
	return d.Position().Distance(w.pose.Position()), math.Abs(geom.AngleDiff(d.Theta, w.pose.Theta))
}

// stand lets time pass.
func (w *walk) stand(d time.Duration) {
	for range int(d / tick) {
		w.step(geom.Velocity{})
	}
}

// room is a hall of twelve by eight metres with tags on its walls.
func room() map[string]geom.Transform {
	return map[string]geom.Transform{
		"a": facing(6, 0, 0.2, math.Pi), "b": facing(-6, 1, 0.2, 0), "c": facing(0, 4, 0.2, -math.Pi/2), "d": facing(1, -4, 0.2, math.Pi/2),
		"e": facing(5, 4, 0.2, -math.Pi/2), "f": facing(-4, -4, 0.2, math.Pi/2),
	}
}

// aside looks at tag a from 1.6 m, 40° from its normal.
func aside() geom.Pose2 {
	at := geom.Vec2{X: 6 - 2*math.Cos(0.7), Y: 2 * math.Sin(0.7)}
	return geom.Pose2{X: at.X, Y: at.Y, Theta: -0.7}
}

func TestATagLocalizes(t *testing.T) {
	for seed := range uint64(10) {
		w := newWalk(t, seed, aside(), room())
		if _, ok := w.f.MapToOdom(); ok || w.f.Status().Localized {
			t.Fatal("localized by nothing")
		}
		w.stand(time.Second)
		m, rad := w.off()
		s := w.f.Status()
		if !s.Localized || s.Source != "tag:a" || s.Corrections == 0 || m > 0.03 || rad > 0.02 {
			t.Errorf("seed %d: %g m and %g rad off; %+v, %v", seed, m, rad, s, w.last["a"])
		}
		if at, ok := w.f.MapToOdom(); !ok || at.Mul(w.odom).Position().Distance(s.Pose.Position()) > 1e-9 {
			t.Errorf("seed %d: map to odom is %v", seed, at)
		}
	}
}

// Seen from afar and nearly from ahead a tag has two places from which it looks the same. The robot waits until it has moved, and is never
// localized in the wrong one; rather, once in a while, not at all.
func TestAFlippedPoseLocalizesNobody(t *testing.T) {
	const cases = 24
	waited, never := 0, 0
	for seed := range uint64(cases) {
		at := geom.Pose2{X: 6 - 3.6*math.Cos(0.2), Y: 3.6 * math.Sin(0.2), Theta: -0.2}
		w := newWalk(t, seed, at, map[string]geom.Transform{"a": room()["a"]})
		for i := range 300 {
			v := geom.Velocity{VX: 0.2}
			if i < 20 {
				v = geom.Velocity{} // stands at first
			}
			if w.pose.X > 4.2 {
				v = geom.Velocity{VY: -0.2, WZ: 0.1}
			}
			w.step(v)
			if s := w.f.Status(); s.Localized {
				if m, rad := w.off(); m > 0.3 || rad > 0.2 {
					t.Errorf("seed %d: localized %g m and %g rad off after %d steps", seed, m, rad, i)
				}
				if i > 20 {
					waited++
				}
				break
			}
		}
		if !w.f.Status().Localized {
			never++
		}
	}
	if waited == 0 || never > cases/10 {
		t.Errorf("of %d robots %d waited and %d were never localized", cases, waited, never)
	}
}

// patrol walks around the hall for a distance, and returns the root mean square errors.
func (w *walk) patrol(metres float64, each func()) (m, rad float64) {
	corners := []geom.Vec2{{X: 4, Y: 2.4}, {X: -4, Y: 2.4}, {X: -4, Y: -2.4}, {X: 4, Y: -2.4}}
	next, n := 0, 0.0
	for done := 0.0; done < metres; {
		to := corners[next].Sub(w.pose.Position())
		if to.Norm() < 0.3 {
			next = (next + 1) % len(corners)
			continue
		}
		turn := geom.AngleDiff(to.Angle(), w.pose.Theta)
		v := geom.Velocity{WZ: max(-1, min(1, 2*turn))}
		if math.Abs(turn) < 0.5 {
			v.VX = 0.6
		}
		w.step(v)
		done += v.VX * tick.Seconds()
		if each != nil {
			each()
		}
		dm, dr := w.off()
		m, rad, n = m+dm*dm, rad+dr*dr, n+1
		e := w.f.Status()
		if weight, ok := inverse(e.Covariance); ok {
			w.dots = append(w.dots, quadratic(weight, [3]float64{
				w.pose.X - e.Pose.X, w.pose.Y - e.Pose.Y, geom.AngleDiff(w.pose.Theta, e.Pose.Theta),
			}))
		}
	}
	return math.Sqrt(m / n), math.Sqrt(rad / n)
}

func TestALongWalk(t *testing.T) {
	w := newWalk(t, 1, aside(), room())
	w.stand(time.Second)
	m, rad := w.patrol(120, nil)
	s := w.f.Status()
	t.Logf("%.1f cm and %.2f° over 120 m; %d corrections, %d refused", 100*m, rad*180/math.Pi, s.Corrections, s.Rejected)
	// Six tags in a hall of twelve by eight metres; between them odometry slips by up to 20 cm, which only matches of the scan can tell.
	if !s.Localized || m > 0.07 || rad > 0.5*math.Pi/180 {
		t.Errorf("%.1f cm and %.2f°: %+v", 100*m, rad*180/math.Pi, s)
	}
	var mean float64
	for _, d := range w.dots {
		mean += d / float64(len(w.dots))
	}
	// Three degrees of freedom; the covariance may be too large by a little, for slip is counted as noise, and never too small.
	if mean > 3.5 || mean < 0.3 {
		t.Errorf("the mean normalized error is %.2f, want about 3", mean)
	}
}

func TestAWrongTagMovesNothing(t *testing.T) {
	for name, spoil := range map[string]func(w *walk){
		"copied":        func(w *walk) { w.book["c"] = facing(-3, 4, 0.2, -math.Pi/2) },
		"moved a bit":   func(w *walk) { w.book["c"] = facing(0.35, 4, 0.2, -math.Pi/2) },
		"turned":        func(w *walk) { w.book["c"] = facing(0, 4, 0.2, -math.Pi/2+0.3) },
		"on its side":   func(w *walk) { w.book["c"] = w.book["c"].Mul(geom.Transform{R: geom.FromRPY(0, 0, math.Pi/2)}) },
		"another place": func(w *walk) { w.book["e"] = w.book["f"] },
	} {
		w := newWalk(t, 3, aside(), room())
		w.stand(time.Second)
		spoil(w)
		worst := 0.0
		w.patrol(30, func() {
			w.f.Support(w.now, true) // the scan fits the map
			m, _ := w.off()
			worst = max(worst, m)
		})
		s := w.f.Status()
		if !s.Localized || worst > 0.3 || s.Rejected == 0 {
			t.Errorf("%s: %g m off at worst, %d refused: %+v", name, worst, s.Rejected, s)
		}
	}
}

// Somebody puts the robot down elsewhere: within five seconds of seeing a tag it says that it is lost, and stays so until it is started anew.
func TestAKidnappedRobotSaysSo(t *testing.T) {
	w := newWalk(t, 4, aside(), room())
	w.stand(time.Second)
	w.pose = geom.Pose2{X: -4, Y: 2, Theta: math.Pi + 0.3} // before tag b; odometry knows nothing of it
	w.stand(5 * time.Second)
	s := w.f.Status()
	if s.Localized || !strings.HasPrefix(s.Message, "localization lost: tag:b puts the robot ") {
		t.Fatalf("%+v", s)
	}
	w.stand(5 * time.Second)
	if s := w.f.Status(); s.Localized {
		t.Errorf("localized anew, although nobody asked for it: %+v", s)
	}
	w.f.Start()
	w.stand(2 * time.Second)
	if m, _ := w.off(); !w.f.Status().Localized || m > 0.1 {
		t.Errorf("%g m off: %+v", m, w.f.Status())
	}
}

// While the scan fits the map, a tag that does not is a wrong tag and no reason to give up.
func TestTheScanKeepsTheEstimate(t *testing.T) {
	w := newWalk(t, 5, aside(), map[string]geom.Transform{"a": room()["a"]})
	w.stand(time.Second)
	w.book["a"] = facing(2, 3, 0.2, 1)
	for range 200 {
		w.step(geom.Velocity{})
		w.f.Support(w.now, true)
	}
	if s := w.f.Status(); !s.Localized || s.Rejected == 0 {
		t.Errorf("%+v", s)
	}
	for range 100 {
		w.step(geom.Velocity{})
		w.f.Support(w.now, false)
	}
	if s := w.f.Status(); s.Localized {
		t.Errorf("still localized: %+v", s)
	}
}

func TestPosesThatPeopleGive(t *testing.T) {
	w := newWalk(t, 6, geom.Pose2{}, nil)
	if err := w.f.Set(w.now, geom.Pose2{X: math.NaN()}, Covariance{}, "pose_estimate"); !errors.Is(err, ErrNotFinite) {
		t.Errorf("error %v", err)
	}
	if err := w.f.Set(w.now.Add(-time.Minute), geom.Pose2{}, Covariance{}, "pose_estimate"); !errors.Is(err, ErrNoOdometry) {
		t.Errorf("error %v", err)
	}
	if err := w.f.Correct(w.now, geom.Pose2{}, diagonal(0.1, 0.1), "scan_match"); !errors.Is(err, ErrRefused) {
		t.Errorf("a match before anything is known: %v", err)
	}
	given := w.now
	for range 10 {
		w.step(geom.Velocity{VX: 1})
	}
	// It was meant for where the robot was half a second ago.
	if err := w.f.Set(given, geom.Pose2{X: 5, Y: 5, Theta: math.Pi / 2}, Covariance{}, "pose_estimate"); err != nil {
		t.Fatal(err)
	}
	s := w.f.Status()
	if !s.Localized || s.Source != "pose_estimate" || s.Pose.Position().Distance(geom.Vec2{X: 5, Y: 5.5}) > 0.1 || !(s.Covariance[0][0] > 0.2) {
		t.Errorf("%+v", s)
	}
	// A good match moves it and makes it surer; one that is far away does not.
	if err := w.f.Correct(w.now, geom.Pose2{X: 5.2, Y: 5.5, Theta: math.Pi / 2}, diagonal(0.02, 0.01), "scan_match"); err != nil {
		t.Error(err)
	}
	s = w.f.Status()
	if s.Source != "scan_match" || math.Abs(s.Pose.X-5.2) > 0.02 || s.Covariance[0][0] > 0.001 {
		t.Errorf("%+v", s)
	}
	if err := w.f.Correct(w.now, geom.Pose2{X: 6, Y: 5.5, Theta: math.Pi / 2}, diagonal(1, 1), "scan_match"); !errors.Is(err, ErrRefused) {
		t.Errorf("a jump by 0.8 m: %v", err)
	}
	w.f.Reset()
	if s := w.f.Status(); s != (Status{}) {
		t.Errorf("after a reset: %+v", s)
	}
}

func TestOdometryThatBeginsAnew(t *testing.T) {
	w := newWalk(t, 7, aside(), room())
	w.stand(time.Second)
	before := w.f.Status()
	if !w.f.Odometry(w.now.Add(tick), geom.Pose2{X: -50, Y: 20, Theta: 2}) {
		t.Error("the jump was not noticed")
	}
	after := w.f.Status()
	if after.Pose != before.Pose || !(after.Covariance[0][0] > 0.1) {
		t.Errorf("%+v", after)
	}
	w.now, w.odom = w.now.Add(tick), geom.Pose2{X: -50, Y: 20, Theta: 2}
	w.stand(time.Second)
	if m, _ := w.off(); !w.f.Status().Localized || m > 0.05 {
		t.Errorf("%g m off", m)
	}
	if w.f.Odometry(w.now, geom.Pose2{X: math.Inf(1)}) || w.f.Odometry(w.now.Add(-time.Millisecond), geom.Pose2{}) {
		t.Error("what is no odometry was taken")
	}
}

func TestConfig(t *testing.T) {
	for key, spoil := range map[string]func(*Config){
		"slip": func(c *Config) { c.Slip = math.NaN() }, "max_jump": func(c *Config) { c.MaxJump = 0 },
		"votes": func(c *Config) { c.Votes = 0 }, "lost_after": func(c *Config) { c.LostAfter = 0 },
	} {
		cfg := DefaultConfig()
		spoil(&cfg)
		if _, err := New(cfg); err == nil || !strings.HasPrefix(err.Error(), key+": ") {
			t.Errorf("%s: error %v", key, err)
		}
	}
}

func BenchmarkTag(b *testing.B) {
	w := newWalk(b, 1, aside(), room())
	w.stand(time.Second)
	s, ok := w.see("a", w.hung["a"])
	if !ok {
		b.Fatal("the tag is not seen")
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := w.f.Tag(s, "tag:a"); err != nil {
			b.Fatal(err)
		}
	}
}
