package planner

import (
	"errors"
	"fmt"
	"math"

	"sarathi/internal/algo/astar"
	"sarathi/internal/algo/costmap"
	"sarathi/internal/geom"
)

// Why there is no path. Errors of [Planner.Plan] wrap one of them and say more.
var (
	ErrStartOutside  = errors.New("the start is outside the map")
	ErrGoalOutside   = errors.New("the goal is outside the map")
	ErrStartOccupied = errors.New("the start is inside an obstacle")
	ErrGoalOccupied  = errors.New("the goal is inside an obstacle")
	ErrGoalUnknown   = errors.New("the goal is where nobody knows what is there")
	ErrNoPath        = errors.New("no way leads to the goal")
	ErrTooLong       = errors.New("the search was given up")
	ErrConfig        = errors.New("invalid planner")
)

// Config of a planner.
type Config struct {
	GoalTolerance  float64 // [m] how far from the goal the path may end where the goal itself cannot be reached
	EscapeDistance float64 // [m] how far the robot may go to leave where it should not be
	AllowUnknown   bool    // paths may lead through what nobody knows
	Budget         int     // cells that a search may visit; 0: all
	Spacing        float64 // [m] between points of the path
}

// Default is the configuration of the robots.
func Default() Config { return Config{GoalTolerance: 0.25, EscapeDistance: 1.5, Spacing: 0.1} }

// Validate reports the first value that cannot be worked with.
func (c Config) Validate() error {
	switch {
	case !(c.GoalTolerance >= 0 && c.GoalTolerance <= 5):
		return fmt.Errorf("%w: the goal tolerance is %g m: write 0 to 5", ErrConfig, c.GoalTolerance)
	case !(c.EscapeDistance >= 0 && c.EscapeDistance <= 5):
		return fmt.Errorf("%w: the escape distance is %g m: write 0 to 5", ErrConfig, c.EscapeDistance)
	case !(c.Spacing >= 0.02 && c.Spacing <= 1):
		return fmt.Errorf("%w: the spacing is %g m: write 0.02 to 1", ErrConfig, c.Spacing)
	case c.Budget < 0:
		return fmt.Errorf("%w: the budget is %d cells: write 0 or more", ErrConfig, c.Budget)
	}
	return nil
}

// Path is what was found.
type Path struct {
	// Poses lead from the start to the goal in the map frame [m, rad]. Headings are along the path but for the last, which is the goal's.
	Poses []geom.Pose2
	// Length is the way from the first pose to the last [m].
	Length float64
	// Short is how far from the goal the path ends [m]: 0, or within the goal tolerance.
	Short float64
}

// Planner finds paths on maps. It keeps the memory of the last search; not for two goroutines at once.
type Planner struct {
	cfg           Config
	search        *astar.Search
	width, height int // that search is for
	cells         []int32
}

// New returns a planner.
func New(cfg Config) (*Planner, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Planner{cfg: cfg}, nil
}

// Plan finds a path from one pose to another, in the map frame.
func (p *Planner) Plan(m *costmap.Map, from, to geom.Pose2) (Path, error) {
	start, goal := m.Cell(from.Position()), m.Cell(to.Position())
	switch {
	case !from.IsFinite() || !m.Holds(start):
		return Path{}, fmt.Errorf("%w: %s", ErrStartOutside, place(from))
	case !to.IsFinite() || !m.Holds(goal):
		return Path{}, fmt.Errorf("%w: %s", ErrGoalOutside, place(to))
	}
	t := terrain{Map: m, unknown: p.cfg.AllowUnknown, into: m.Origin.Inverse()}
	reached, ok := t.near(goal, p.cfg.GoalTolerance)
	if !ok {
		if m.At(goal) == costmap.Unknown {
			return Path{}, fmt.Errorf("%w: %s", ErrGoalUnknown, place(to))
		}
		return Path{}, fmt.Errorf("%w: %s, and so is all within %g m of it", ErrGoalOccupied, place(to), p.cfg.GoalTolerance)
	}
	escape, ok := t.escape(start, p.cfg.EscapeDistance)
	if !ok {
		return Path{}, fmt.Errorf("%w: %s, and no free cell can be reached within %g m", ErrStartOccupied, place(from), p.cfg.EscapeDistance)
	}
	if err := p.find(m, escape[len(escape)-1], reached); err != nil {
		return Path{}, fmt.Errorf("%w: from %s to %s", err, place(from), place(to))
	}
	end := to
	if reached != goal {
		c := m.Center(reached)
		end.X, end.Y = c.X, c.Y
	}
	return p.path(t, escape, from, end, to), nil
}

// place prints where a pose is.
func place(p geom.Pose2) string { return fmt.Sprintf("%.2f, %.2f", p.X, p.Y) }

// find searches the grid and leaves the cells of the way in cells.
func (p *Planner) find(m *costmap.Map, from, to costmap.Cell) error {
	if p.search == nil || p.width != m.Width || p.height != m.Height {
		p.search, p.width, p.height = astar.New(m.Width, m.Height), m.Width, m.Height
	}
	err := p.search.Find(m.Costs(), m.Index(from), m.Index(to), astar.Options{Unknown: p.cfg.AllowUnknown, Budget: p.cfg.Budget})
	switch {
	case errors.Is(err, astar.ErrBudget):
		return fmt.Errorf("%w after %d cells", ErrTooLong, p.search.Visited())
	case err != nil:
		return ErrNoPath
	}
	p.cells = p.search.AppendPath(p.cells[:0])
	return nil
}

// path makes a path of the cells that were found.
func (p *Planner) path(t terrain, escape []costmap.Cell, from, end, goal geom.Pose2) Path {
	out := []geom.Vec2{from.Position()}
	first := 1 // point that may be moved
	begin := from.Position()
	if len(escape) > 1 {
		for _, c := range escape[1:] {
			out = append(out, t.Center(c))
		}
		begin = out[len(out)-1]
		out = resample(out, p.cfg.Spacing)
		first = len(out) // the way out is not made smoother
	}
	out = append(out[:len(out)-1], resample(t.pull(p.cells, begin, end.Position()), p.cfg.Spacing)...)
	t.round(out, first)
	path := Path{Poses: withHeadings(out, end.Theta), Short: end.Position().Distance(goal.Position())}
	for i := 1; i < len(out); i++ {
		path.Length += out[i-1].Distance(out[i])
	}
	return path
}

// withHeadings turns each point along the path, and the last to the goal's heading.
func withHeadings(points []geom.Vec2, last float64) []geom.Pose2 {
	out := make([]geom.Pose2, len(points))
	for i, a := range points {
		out[i] = geom.Pose2{X: a.X, Y: a.Y, Theta: geom.NormalizeAngle(last)}
		if i+1 < len(points) {
			before := points[max(i-1, 0)]
			if d := points[i+1].Sub(before); d.Norm() > 0 {
				out[i].Theta = d.Angle()
			}
		}
	}
	return out
}

// resample puts points about spacing apart on the lines between corners, and keeps the corners: between its points a path crosses no cell
// that the lines do not cross.
func resample(corners []geom.Vec2, spacing float64) []geom.Vec2 {
	out := []geom.Vec2{corners[0]}
	for _, to := range corners[1:] {
		from := out[len(out)-1]
		d := from.Distance(to)
		if d == 0 {
			continue
		}
		n := max(int(math.Round(d/spacing)), 1)
		for k := 1; k < n; k++ {
			out = append(out, from.Lerp(to, float64(k)/float64(n)))
		}
		out = append(out, to)
	}
	return out
}
