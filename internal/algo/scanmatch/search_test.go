package scanmatch

import (
	"math"
	"testing"

	"sarathi/internal/geom"
)

func TestBestFindsThePose(t *testing.T) {
	r, w := rng(t), room()
	g := w.mapped(r, geom.Pose2{}, geom.Pose2{X: 0.5, Y: 0.5})
	var (
		f Field
		s Searcher
	)
	tuning := DefaultTuning()
	for range 10 {
		truth := geom.Pose2{X: r.Float64() - 0.5, Y: r.Float64() - 0.5, Theta: 2 * (r.Float64() - 0.5)}
		scan := w.scan(truth, 0.01, r)
		win := Window{Linear: 1.5, Angular: 1.2}
		f.Fill(g, geom.Rect{Min: geom.Vec2{X: -12, Y: -12}, Max: geom.Vec2{X: 12, Y: 12}}, 0.1, win.Linear)
		c, ok := s.Best(&f, scan, win, 0.4)
		if !ok {
			t.Fatalf("nothing found for %+v", truth)
		}
		m := Refine(g, scan, &Prior{Pose: c.Pose}, c.Pose, &tuning)
		if off := truth.Between(m.Pose); math.Hypot(off.X, off.Y) > 0.015 || math.Abs(off.Theta) > 0.01 {
			t.Errorf("%+v was found at %+v, then %+v", truth, c, m.Pose)
		}
	}
}

// Branch and bound must give what trying every pose gives.
func TestBestIsTheBestOfAll(t *testing.T) {
	r, w := rng(t), room()
	g := w.mapped(r, geom.Pose2{})
	var f Field
	for _, win := range []Window{
		{Middle: geom.Pose2{X: 0.2, Y: 0.1, Theta: 0.1}, Linear: 0.55, Angular: 0.1},
		{Middle: geom.Pose2{X: 0.2, Y: 0.1, Theta: 0.1}, Linear: 0.55, Angular: 0.1, SigmaLinear: 0.1, SigmaAngular: 0.02, Reluctance: 0.02},
		{Middle: geom.Pose2{X: 3.4, Y: 2.4}, Linear: 0.8, Angular: 0.05}, // hits stick out of the picture
	} {
		scan := w.scan(geom.Pose2{}, 0.01, r)
		f.Fill(g, geom.Rect{Min: geom.Vec2{X: -3.2, Y: -2.2}, Max: geom.Vec2{X: 4.2, Y: 3.2}}, 0.1, win.Linear)
		var s Searcher
		c, ok := s.Best(&f, scan, win, 0.01)
		reach, best := int(math.Ceil(win.Linear*f.inv)), math.MinInt
		for turn := range s.turns {
			for y := -reach; y <= reach; y++ {
				for x := -reach; x <= reach; x++ {
					best = max(best, s.score(&f, branch{turn: turn, x: x, y: y}))
				}
			}
		}
		if want := float64(best) / 255 / float64(len(s.points)); !ok || math.Abs(c.Score-want) > 1e-12 {
			t.Errorf("%+v: found %v with %.6f, the best is %.6f", win, ok, c.Score, want)
		}
	}
}

func TestBestOfNothing(t *testing.T) {
	var (
		f Field
		s Searcher
	)
	f.Fill(NewGrid(0.05, 0.5), geom.Rect{Max: geom.Vec2{X: 2, Y: 2}}, 0.1, 1)
	if c, ok := s.Best(&f, &Scan{}, Window{Linear: 1}, 0); ok {
		t.Errorf("no hits: %+v", c)
	}
	if c, ok := s.Best(&f, &Scan{Hits: []geom.Vec2{{X: 1}}}, Window{Linear: 1}, 0.1); ok {
		t.Errorf("no map: %+v", c)
	}
}
