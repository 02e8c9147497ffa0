package pursuit

import (
	"errors"
	"math"
	"sort"

	"sarathi/internal/algo/route"
	"sarathi/internal/geom"
)

// ErrTrack is a path that leads nowhere, or whose numbers are not finite.
var ErrTrack = errors.New("the path cannot be followed")

// Track is a path with what following needs to know about it.
type Track struct {
	points []route.Point
	at     []float64 // [m] from the start to each point
	bend   []float64 // [1/m] curvature at each point, not negative
	speed  []float64 // [m/s] profile
	stops  []int     // stop points, in order
}

// NewTrack prepares the points of a path, at least two that are apart.
func NewTrack(points []route.Point, cfg Config) (*Track, error) {
	t := &Track{points: make([]route.Point, 0, len(points))}
	for _, p := range points {
		if !geom.Finite(p.X, p.Y, p.Yaw, p.Dwell) || p.Dwell < 0 {
			return nil, ErrTrack
		}
		if n := len(t.points); n > 0 && t.points[n-1].Position().Distance(p.Position()) < 1e-6 {
			t.points[n-1].Yaw = p.Yaw // the same place again
			t.points[n-1].Dwell = max(t.points[n-1].Dwell, p.Dwell)
			continue
		}
		t.points = append(t.points, p)
	}
	n := len(t.points)
	if n < 2 {
		return nil, ErrTrack
	}
	t.at, t.bend, t.speed = make([]float64, n), make([]float64, n), make([]float64, n)
	for i := 1; i < n; i++ {
		t.at[i] = t.at[i-1] + t.points[i-1].Position().Distance(t.points[i].Position())
	}
	for i := range t.points {
		t.bend[i] = t.curvature(i)
		if t.points[i].Stop() {
			t.stops = append(t.stops, i)
		}
	}
	t.Profile(cfg)
	return t, nil
}

// curvature is that of the circle through point i and those about 0.3 m before and after it, so that noise of centimetres is no turn.
func (t *Track) curvature(i int) float64 {
	const reach = 0.3 // [m]
	a, b := i, i
	for a > 0 && t.at[i]-t.at[a] < reach-1e-9 {
		a--
	}
	for b < len(t.at)-1 && t.at[b]-t.at[i] < reach-1e-9 {
		b++
	}
	p, q, r := t.points[a].Position(), t.points[i].Position(), t.points[b].Position()
	sides := p.Distance(q) * q.Distance(r) * p.Distance(r)
	if sides < 1e-9 {
		return 0
	}
	return 2 * math.Abs(q.Sub(p).Cross(r.Sub(q))) / sides
}

// Profile makes the speed profile anew, after the settings changed.
func (t *Track) Profile(cfg Config) {
	last := len(t.points) - 1
	for i := range t.points {
		v := min(cfg.Cruise, cfg.MaxSpeed)
		if k := t.bend[i]; k > 0 {
			v = min(v, math.Sqrt(cfg.MaxLateral/k), 0.8*cfg.MaxTurn/k) // a fifth is left for corrections
		}
		if v = max(v, min(cfg.MinSpeed, cfg.Cruise)); t.points[i].Stop() || i == last {
			v = min(v, cfg.StopSpeed)
		}
		t.speed[i] = v
	}
	for i := last - 1; i >= 0; i-- {
		t.speed[i] = min(t.speed[i], math.Sqrt(t.speed[i+1]*t.speed[i+1]+2*cfg.Braking*(t.at[i+1]-t.at[i])))
	}
}

// Len is the number of points.
func (t *Track) Len() int { return len(t.points) }

// Length is the way from the first point to the last [m].
func (t *Track) Length() float64 { return t.at[len(t.at)-1] }

// Point is point i.
func (t *Track) Point(i int) route.Point { return t.points[i] }

// At is the way from the start to point i [m].
func (t *Track) At(i int) float64 { return t.at[i] }

// Bend is the curvature at point i [1/m].
func (t *Track) Bend(i int) float64 { return t.bend[i] }

// Stops are the points where the robot stops, in order. They belong to the track.
func (t *Track) Stops() []int { return t.stops }

// Index is the last point at or before a way s from the start [m].
func (t *Track) Index(s float64) int {
	return min(max(sort.SearchFloat64s(t.at, s+1e-9)-1, 0), len(t.at)-1)
}

// Position is the place a way s from the start [m], an end beyond the ends.
func (t *Track) Position(s float64) geom.Vec2 {
	i := min(t.Index(s), len(t.at)-2)
	f := min(max((s-t.at[i])/(t.at[i+1]-t.at[i]), 0), 1)
	return t.points[i].Position().Lerp(t.points[i+1].Position(), f)
}

// Speed is the profile a way s from the start [m/s].
func (t *Track) Speed(s float64) float64 {
	i := min(t.Index(s), len(t.at)-2)
	f := min(max((s-t.at[i])/(t.at[i+1]-t.at[i]), 0), 1)
	return t.speed[i] + f*(t.speed[i+1]-t.speed[i])
}

// nearest is the place on the pieces between two ways from the start that is nearest to a pose, by distance and heading. It returns the
// way to it and the distance [m].
func (t *Track) nearest(pose geom.Pose2, from, to, weight float64) (s, distance float64) {
	best := math.Inf(1)
	s, distance = from, math.Inf(1)
	for i := min(t.Index(from), len(t.at)-2); i < len(t.at)-1 && t.at[i] <= to; i++ {
		a, b := t.points[i].Position(), t.points[i+1].Position()
		q := geom.Segment{A: a, B: b}.Nearest(pose.Position())
		d := q.Distance(pose.Position())
		along := min(max(t.at[i]+a.Distance(q), from), to)
		score := d + weight*math.Abs(geom.AngleDiff(b.Sub(a).Angle(), pose.Theta))/math.Pi
		if score < best-1e-9 {
			best, s, distance = score, along, d
		}
	}
	return s, distance
}
