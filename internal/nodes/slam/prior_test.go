package slam

import (
	"math"
	"testing"
	"time"

	"sarathi/internal/geom"
)

func at(ms int) time.Time {
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond)
}

func near(a, b geom.Pose2, tol float64) bool { return apart(a, b) <= tol }

func TestFusedPoseBetweenSamples(t *testing.T) {
	p := &prior{}
	if _, ok := p.at(at(0)); ok || p.covers(at(0)) || !p.heard().IsZero() {
		t.Error("a pose from nothing")
	}
	for i := range 10 {
		p.add(stamped{at(20 * i), geom.Pose2{X: 0.02 * float64(i)}})
	}
	tests := []struct {
		name string
		ms   int
		x    float64
		ok   bool
	}{
		{"at a sample", 40, 0.04, true},
		{"between", 50, 0.05, true},
		{"just after the last", 200, 0.2, true},
		{"long after the last", 250, 0, false},
		{"before the first", -10, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := p.at(at(tt.ms))
			if ok != tt.ok || ok && !near(got, geom.Pose2{X: tt.x}, 1e-9) {
				t.Errorf("%v, %v", got, ok)
			}
		})
	}
	if !p.covers(at(180)) || p.covers(at(181)) || !p.heard().Equal(at(180)) {
		t.Error("what is covered")
	}
	p.add(stamped{at(1000), geom.Pose2{X: 1}})
	if _, ok := p.at(at(600)); ok {
		t.Error("a way of 0.8 s was guessed")
	}
	p.add(stamped{at(100), geom.Pose2{X: 5}})
	if got, ok := p.at(at(100)); !ok || got.X != 5 || p.covers(at(180)) {
		t.Errorf("after fusion went back: %v, %v", got, ok)
	}
	for i := range 1000 {
		p.add(stamped{at(2000 + i), geom.Pose2{}})
	}
	if len(p.samples) > maxFused {
		t.Errorf("%d samples are kept", len(p.samples))
	}
}

// loop is an engine that moves by what it is told and corrects a part of its error, and fusion that follows it.
type loop struct {
	p             prior
	truth, engine geom.Pose2
	fused         geom.Pose2
	last          geom.Pose2 // odometry told before
}

// step drives for 100 ms; follow is how much of its distance to the engine fusion makes up.
func (l *loop) step(k int, v geom.Velocity, follow, correct float64) (told geom.Pose2) {
	d := v.Integrate(0.1)
	l.truth, l.fused = l.truth.Mul(d), l.fused.Mul(d)
	l.p.add(stamped{at(100 * k), l.fused})
	odo, ok := l.p.odometry(at(100*k), l.engine)
	if !ok {
		panic("no odometry")
	}
	told = l.last.Between(odo)
	l.last = odo
	l.engine = l.engine.Mul(told).Interpolate(l.truth, correct)
	l.fused = l.fused.Interpolate(l.engine, follow)
	return told
}

// Corrections come back through fusion; they must die away, not grow.
func TestCorrectionsAreNotCountedTwice(t *testing.T) {
	l := &loop{engine: geom.Pose2{X: 0.03, Theta: 0.02}, fused: geom.Pose2{X: 0.03, Theta: 0.02}}
	for k := range 100 {
		l.step(k, geom.Velocity{VX: 0.5, WZ: 0.3}, 0.7, 0.5)
	}
	if d := apart(l.engine, l.truth); d > 1e-6 {
		t.Errorf("%g off the truth", d)
	}
}

// A loop is closed: the map moves by a metre at once, fusion follows half a second later. The motion told is the robot's all the time.
func TestMapMoves(t *testing.T) {
	l := &loop{}
	v := geom.Velocity{VX: 0.5, WZ: 0.3}
	want := v.Integrate(0.1)
	move := geom.Pose2{X: 1, Y: -0.5, Theta: 0.1}
	for k := range 60 {
		follow := 0.5
		if k == 30 {
			l.engine, l.truth = move.Mul(l.engine), move.Mul(l.truth)
		}
		if k >= 30 && k < 35 {
			follow = 0
		}
		if k == 35 {
			l.fused = l.engine
		}
		if told := l.step(k, v, follow, 0.5); k > 1 && apart(told, want) > 0.01 {
			t.Errorf("scan %d: told %v, the robot moved by %v", k, told, want)
		}
	}
}

// A scan that the engine refused leaves no gap and counts no motion twice.
func TestRefusedScan(t *testing.T) {
	p := &prior{}
	for i := range 40 {
		p.add(stamped{at(10 * i), geom.Pose2{X: 0.01 * float64(i)}})
	}
	p.odometry(at(100), geom.Pose2{})
	p.odometry(at(200), geom.Pose2{X: 0.1})
	p.undo()
	if got, ok := p.odometry(at(300), geom.Pose2{X: 0.1}); !ok || !near(got, geom.Pose2{X: 0.2}, 1e-9) {
		t.Errorf("%v, %v: 0.2 m since the scan that was used", got, ok)
	}
}

func TestGapsOfFusion(t *testing.T) {
	p := &prior{}
	p.add(stamped{at(0), geom.Pose2{}})
	p.add(stamped{at(100), geom.Pose2{X: 0.1}})
	if _, ok := p.odometry(at(100), geom.Pose2{}); !ok {
		t.Fatal("known, but not told")
	}
	if _, ok := p.odometry(at(900), geom.Pose2{}); ok {
		t.Fatal("told what is not known")
	}
	p.add(stamped{at(2000), geom.Pose2{X: 9}})
	before := p.told.pose
	got, ok := p.odometry(at(2000), geom.Pose2{})
	if !ok || got != before {
		t.Errorf("%v, %v: the way across the gap is not known", got, ok)
	}
	if math.IsNaN(got.X) {
		t.Error("not finite")
	}
}
