package route

import (
	"errors"
	"fmt"
	"math"

	"sarathi/internal/geom"
)

// ErrConfig is what errors of [Config.Validate] wrap; ErrShort is a route that leads nowhere.
var (
	ErrConfig = errors.New("invalid route settings")
	ErrShort  = errors.New("the route has no length")
)

// Config says how a route is prepared.
type Config struct {
	Spacing     float64 // [m] between points of the result
	MinSpacing  float64 // [m] points of the file that are nearer to the one before are dropped
	DataWeight  float64 // pull of each point to where it was taught, each round
	SmoothRate  float64 // pull of each point to the middle of its neighbours, each round; below 0.5, or it would swing
	MaxRounds   int     // of smoothing
	SettledAt   float64 // [m] smoothing ends when no point moves farther in a round
	LoopClosure float64 // [m] a route whose ends are nearer is a loop
}

// Default are the numbers of the public robots.
func Default() Config {
	return Config{Spacing: 0.1, MinSpacing: 0.1, DataWeight: 0.05, SmoothRate: 0.4, MaxRounds: 2000, SettledAt: 1e-5, LoopClosure: 1}
}

// Validate reports the first value that cannot be worked with.
func (c Config) Validate() error {
	for _, v := range []struct {
		name            string
		value, min, max float64
	}{
		{"spacing", c.Spacing, 0.02, 1},
		{"least spacing", c.MinSpacing, 0, 1},
		{"data weight", c.DataWeight, 0, 0.5},
		{"smooth rate", c.SmoothRate, 0, 0.49},
		{"rounds", float64(c.MaxRounds), 0, 10_000},
		{"settled at", c.SettledAt, 0, 1},
		{"loop closure", c.LoopClosure, 0, 10},
	} {
		if !(v.value >= v.min && v.value <= v.max) {
			return fmt.Errorf("%w: %s is %g: write %g to %g", ErrConfig, v.name, v.value, v.min, v.max)
		}
	}
	return nil
}

// Route is a path for the follower.
type Route struct {
	Points []Point
	Loop   bool    // the last point leads back to the first
	Length float64 // [m]
	Moved  float64 // [m] how far smoothing moved the route at most
}

// Stops is how many stop points there are.
func (r *Route) Stops() int {
	n := 0
	for _, p := range r.Points {
		if p.Stop() {
			n++
		}
	}
	return n
}

// Prepare makes a path of the points of a file.
func Prepare(points []Point, cfg Config) (Route, error) {
	if err := cfg.Validate(); err != nil {
		return Route{}, err
	}
	kept := dedupe(points, cfg.MinSpacing)
	if len(kept) < 2 {
		return Route{}, ErrShort
	}
	out := Route{Points: resample(kept, cfg.Spacing)}
	out.Moved = smooth(out.Points, cfg)
	out.Length = length(out.Points)
	gap := points[0].Position().Distance(points[len(points)-1].Position())
	out.Loop = gap < cfg.LoopClosure && out.Length > 3*cfg.LoopClosure
	return out, nil
}

func length(points []Point) float64 {
	sum := 0.0
	for i := 1; i < len(points); i++ {
		sum += points[i-1].Position().Distance(points[i].Position())
	}
	return sum
}

// dedupe drops points that are nearer than least to the one kept before. Ends and stop points stay; of two in one place the later goes, unless
// only it is a stop point.
func dedupe(points []Point, least float64) []Point {
	if len(points) == 0 {
		return nil
	}
	out := []Point{points[0]}
	for i, p := range points[1:] {
		last := &out[len(out)-1]
		d := last.Position().Distance(p.Position())
		isEnd := i+2 == len(points)
		switch {
		case d > 0 && d >= least:
			out = append(out, p)
		case p.Stop() && !last.Stop() && (len(out) > 1 || d == 0):
			*last = p // an ordinary point makes room for a stop
		case d > 0 && (p.Stop() || isEnd):
			if isEnd && !last.Stop() && len(out) > 1 {
				*last = p
			} else {
				out = append(out, p)
			}
		}
	}
	return out
}

// anchored reports whether a point never moves.
func anchored(points []Point, i int) bool { return i == 0 || i == len(points)-1 || points[i].Stop() }

// resample puts points at equal distances of about spacing along the lines between anchors, which it keeps.
func resample(points []Point, spacing float64) []Point {
	out := []Point{points[0]}
	for i := 1; i < len(points); {
		from := i - 1
		for !anchored(points, i) {
			i++
		}
		out = appendBetween(out, points[from:i+1], spacing)
		i++
	}
	return out
}

// appendBetween appends points along piece, without its first point, which is there already.
func appendBetween(out, piece []Point, spacing float64) []Point {
	total := length(piece)
	n := max(int(math.Round(total/spacing)), 1)
	walked, k := 0.0, 1
	for i := 1; i < n; i++ {
		at := total * float64(i) / float64(n)
		d := piece[k-1].Position().Distance(piece[k].Position())
		for k < len(piece)-1 && walked+d < at {
			walked += d
			k++
			d = piece[k-1].Position().Distance(piece[k].Position())
		}
		f := 0.0
		if d > 0 {
			f = min((at-walked)/d, 1)
		}
		p := piece[k-1].Pose().Interpolate(piece[k].Pose(), f)
		out = append(out, Point{X: p.X, Y: p.Y, Yaw: p.Theta})
	}
	return append(out, piece[len(piece)-1])
}

// smooth moves points that are no anchors, and returns how far at most.
func smooth(points []Point, cfg Config) float64 {
	taught := make([]geom.Vec2, len(points))
	for i, p := range points {
		taught[i] = p.Position()
	}
	for range cfg.MaxRounds {
		most := 0.0
		for i := 1; i < len(points)-1; i++ {
			if points[i].Stop() {
				continue
			}
			p, a, b := points[i].Position(), points[i-1].Position(), points[i+1].Position()
			d := taught[i].Sub(p).Scale(cfg.DataWeight).Add(a.Add(b).Sub(p.Scale(2)).Scale(cfg.SmoothRate))
			points[i].X, points[i].Y = p.X+d.X, p.Y+d.Y
			most = max(most, d.Dot(d))
		}
		if most <= cfg.SettledAt*cfg.SettledAt {
			break
		}
	}
	moved := 0.0
	for i, p := range points {
		moved = max(moved, taught[i].Distance(p.Position()))
	}
	return moved
}
