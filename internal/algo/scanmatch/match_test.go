package scanmatch

import (
	"math"
	"testing"

	"sarathi/internal/geom"
)

func TestRefineRecoversOffsets(t *testing.T) {
	r, w := rng(t), room()
	g := w.mapped(r, geom.Pose2{}, geom.Pose2{X: 0.5, Y: 0.3}, geom.Pose2{X: -0.4, Y: 0.5})
	tuning := DefaultTuning()
	var worst, worstTurn float64
	for range 100 {
		truth := geom.Pose2{X: r.Float64() - 0.5, Y: r.Float64() - 0.5, Theta: r.Float64() - 0.5}
		start := truth.Mul(geom.Pose2{X: 0.2 * (r.Float64() - 0.5), Y: 0.2 * (r.Float64() - 0.5), Theta: 0.2 * (r.Float64() - 0.5)})
		m := Refine(g, w.scan(truth, 0.01, r), &Prior{Pose: start}, start, &tuning)
		off := truth.Between(m.Pose)
		worst, worstTurn = max(worst, math.Hypot(off.X, off.Y)), max(worstTurn, math.Abs(off.Theta))
	}
	if worst > g.Resolution()/4 || worstTurn > 0.5*math.Pi/180 {
		t.Errorf("worst of 100: %.4f m, %.4f rad", worst, worstTurn)
	}
}

// The errors of many matches must be as large as the information says, within a factor: neighbouring beams see one map, whose errors they share.
func TestInformationIsHonest(t *testing.T) {
	r, w := rng(t), room()
	g := w.mapped(r, geom.Pose2{}, geom.Pose2{X: 0.3})
	tuning := DefaultTuning()
	const rounds = 200
	var nees float64
	for range rounds {
		truth := geom.Pose2{X: 0.4 * (r.Float64() - 0.5), Y: 0.4 * (r.Float64() - 0.5), Theta: r.Float64()}
		m := Refine(g, w.scan(truth, 0.02, r), &Prior{Pose: truth}, truth, &tuning)
		e := [3]float64{m.Pose.X - truth.X, m.Pose.Y - truth.Y, geom.AngleDiff(m.Pose.Theta, truth.Theta)}
		for i := range 3 {
			for j := range 3 {
				nees += e[i] * m.Information[3*i+j] * e[j] / 3 / rounds
			}
		}
	}
	if nees > 1.2 || nees < 0.02 {
		t.Errorf("errors are %.3f times the variance that the matcher states", nees)
	}
}

// Along a corridor without features the scan says nothing: the prior must stay, and the information must say so.
func TestCorridorKeepsThePrediction(t *testing.T) {
	r := rng(t)
	w := walls{{A: geom.Vec2{X: -200, Y: -1}, B: geom.Vec2{X: 200, Y: -1}}, {A: geom.Vec2{X: -200, Y: 1}, B: geom.Vec2{X: 200, Y: 1}}}
	g := w.mapped(r, geom.Pose2{}, geom.Pose2{X: 0.5})
	tuning := DefaultTuning()
	truth := geom.Pose2{X: 0.4}
	start := geom.Pose2{X: 0.4, Y: 0.08, Theta: 0.03}
	prior := &Prior{Pose: start, Information: Information{1 / (0.05 * 0.05), 0, 0, 0, 100, 0, 0, 0, 100}}
	m := Refine(g, w.scan(truth, 0.01, r), prior, start, &tuning)
	if math.Abs(m.Pose.X-0.4) > 0.05 || math.Abs(m.Pose.Y) > 0.01 || math.Abs(m.Pose.Theta) > 0.01 {
		t.Errorf("the pose is %+v", m.Pose)
	}
	if across, along := m.Information[4], m.Information[0]; along > across/20 {
		t.Errorf("information %.0f along the corridor, %.0f across", along, across)
	}
}

func TestRefineOfNothing(t *testing.T) {
	tuning := DefaultTuning()
	start := geom.Pose2{X: 1, Y: 2, Theta: 3}
	prior := &Prior{Pose: start, Information: Information{1, 0, 0, 0, 1, 0, 0, 0, 1}}
	for name, s := range map[string]*Scan{"no hits": {}, "an empty map": {Hits: []geom.Vec2{{X: 1}, {Y: 1}}}} {
		m := Refine(NewGrid(0.05, 0.5), s, prior, start, &tuning)
		if m.Pose != start || m.Inliers != 0 {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func TestContradiction(t *testing.T) {
	r, w := rng(t), room()
	g := w.mapped(r, geom.Pose2{}, geom.Pose2{X: 0.5})
	s := w.scan(geom.Pose2{}, 0.01, r)
	if at := Contradiction(g, s, geom.Pose2{}); at > 0.02 {
		t.Errorf("%.2f where the scan was taken", at)
	}
	if off := Contradiction(g, s, geom.Pose2{X: 0.4, Y: -1.2, Theta: 0.8}); off < 0.2 {
		t.Errorf("%.2f where it was not", off)
	}
}

func TestInvert(t *testing.T) {
	m := Information{4, 1, 0.5, 1, 3, 0.2, 0.5, 0.2, 2}
	inv, ok := Invert(&m)
	if !ok {
		t.Fatal("not invertible")
	}
	for i := range 3 {
		for j := range 3 {
			v := 0.0
			for k := range 3 {
				v += m[3*i+k] * inv[3*k+j]
			}
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(v-want) > 1e-12 {
				t.Errorf("(%d, %d) of M·M⁻¹ is %g", i, j, v)
			}
		}
	}
	for _, bad := range []Information{{}, {1, 0, 0, 0, 1}, {math.NaN(), 0, 0, 0, 1, 0, 0, 0, 1}} {
		if _, ok := Invert(&bad); ok {
			t.Errorf("%v was inverted", bad)
		}
	}
}

func TestNoAllocationInTheSteadyState(t *testing.T) {
	r, w := rng(t), room()
	g := w.mapped(r, geom.Pose2{}, geom.Pose2{X: 0.2})
	reading := w.reading(geom.Pose2{X: 0.1}, 180, 0.01, r)
	tuning := DefaultTuning()
	var s Scan
	prior := &Prior{}
	step := func() {
		s.Set(reading, geom.Velocity{WZ: 0.1}, limits())
		m := Refine(g, &s, prior, geom.Pose2{X: 0.09}, &tuning)
		g.Insert(m.Pose, &s)
	}
	step()
	if n := testing.AllocsPerRun(20, step); n > 0 {
		t.Errorf("%.0f allocations a scan", n)
	}
}

func BenchmarkScan(b *testing.B) {
	r, w := rng(b), room()
	g := w.mapped(r, geom.Pose2{}, geom.Pose2{X: 0.2})
	reading := w.reading(geom.Pose2{X: 0.1}, 360, 0.01, r)
	tuning := DefaultTuning()
	var s Scan
	b.ReportAllocs()
	for b.Loop() {
		s.Set(reading, geom.Velocity{}, limits())
		m := Refine(g, &s, &Prior{}, geom.Pose2{X: 0.06, Y: 0.03, Theta: 0.02}, &tuning)
		g.Insert(m.Pose, &s)
	}
}
