package planner_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"sarathi/internal/geom"
)

// stroller walks straight, turns round at the walls and gives the robot room.
type stroller struct{ at, v geom.Vec2 }

func (s *stroller) step(robot geom.Vec2) {
	const room = 0.8 // [m]
	next := s.at.Add(s.v.Scale(0.05))
	if inside := (geom.Rect{Min: geom.Vec2{X: 0.6, Y: 0.6}, Max: geom.Vec2{X: 9.4, Y: 5.4}}); !inside.Contains(next) || next.Distance(robot) < room {
		s.v = s.v.Scale(-1)
		return
	}
	s.at = next
}

func TestMissionsAmongPeople(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 77))
		w := newWalker(t)
		people := make([]stroller, 4)
		for i := range people {
			people[i] = stroller{
				at: geom.Vec2{X: 3 + 6*r.Float64(), Y: 1 + 4*r.Float64()}, v: geom.Vec2{X: 0.8*r.Float64() - 0.4, Y: 0.8*r.Float64() - 0.4},
			}
		}
		goal := geom.Pose2{X: 7 + 2*r.Float64(), Y: 1 + 4*r.Float64(), Theta: 6 * r.Float64()}
		if g := w.goTo(goal.X, goal.Y, goal.Theta); !g.Success {
			t.Fatalf("seed %d: %s", seed, g.Message)
		}
		for end := w.Now().Add(2 * time.Minute); w.status.Latest().Value.State != "arrived"; {
			w.people = w.people[:0]
			for i := range people {
				people[i].step(w.pose.Position())
				w.people = append(w.people, people[i].at)
			}
			if w.run(50 * time.Millisecond); w.Now().After(end) {
				t.Fatalf("seed %d: %+v, at %v of %v", seed, w.status.Latest().Value, w.pose, goal)
			}
		}
		if w.nearest < 0.48 {
			t.Errorf("seed %d: somebody was passed with %.2f m to the middle of the robot", seed, w.nearest)
		}
	}
}
