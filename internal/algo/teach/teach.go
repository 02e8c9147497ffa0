package teach

import (
	"errors"
	"fmt"

	"sarathi/internal/algo/route"
	"sarathi/internal/geom"
)

// Why teaching goes no further.
var (
	ErrJump  = errors.New("the pose jumped")
	ErrFull  = errors.New("the route is full")
	ErrPose  = errors.New("the pose is not finite")
	ErrDwell = errors.New("the wait is out of range")
)

// Config of teaching.
type Config struct {
	Spacing   float64 // [m] between points
	MaxJump   float64 // [m] that the robot can move between two poses
	MaxPoints int
}

// Default are the numbers of the public robots.
func Default() Config { return Config{Spacing: 0.2, MaxJump: 1, MaxPoints: 100_000} }

// Lesson is a route under way. The zero value of all but its Config is an empty one.
type Lesson struct {
	cfg    Config
	points []route.Point
	last   geom.Pose2 // of Add
	begun  bool
	length float64
}

// New returns an empty lesson.
func New(cfg Config) *Lesson { return &Lesson{cfg: cfg} }

// Add takes in where the robot is. After an error the lesson is over.
func (l *Lesson) Add(p geom.Pose2) error {
	if !p.IsFinite() {
		return ErrPose
	}
	if d := p.Position().Distance(l.last.Position()); l.begun && d > l.cfg.MaxJump {
		return fmt.Errorf("%w by %.1f m", ErrJump, d)
	}
	l.last, l.begun = p, true
	if n := len(l.points); n > 0 && l.points[n-1].Position().Distance(p.Position()) < l.cfg.Spacing {
		return nil
	}
	return l.append(route.Point{X: p.X, Y: p.Y, Yaw: geom.NormalizeAngle(p.Theta)})
}

func (l *Lesson) append(p route.Point) error {
	n := len(l.points)
	if n >= l.cfg.MaxPoints {
		return fmt.Errorf("%w: it has %d points", ErrFull, n)
	}
	if n > 0 {
		l.length += l.points[n-1].Position().Distance(p.Position())
	}
	l.points = append(l.points, p)
	return nil
}

// Mark makes where the robot is a stop point with a wait [s], and returns the number of the stop. A wait of 0 makes a stop nearby an
// ordinary point again.
func (l *Lesson) Mark(p geom.Pose2, dwell float64) (stop int, err error) {
	if !(dwell >= 0 && dwell <= route.MaxDwell) {
		return 0, fmt.Errorf("%w: %g s: write 0 to %d", ErrDwell, dwell, route.MaxDwell)
	}
	if err := l.Add(p); err != nil {
		return 0, err
	}
	here := route.Point{X: p.X, Y: p.Y, Yaw: geom.NormalizeAngle(p.Theta), Dwell: dwell}
	last := &l.points[len(l.points)-1] // within the spacing, since Add
	switch {
	case dwell == 0:
		last.Dwell = 0
		return l.Stops(), nil
	case last.Stop() || last.Position() == here.Position():
		*last = here
	default:
		if err := l.append(here); err != nil {
			return 0, err
		}
	}
	return l.Stops() - 1, nil
}

// Points are the points so far. They belong to the lesson.
func (l *Lesson) Points() []route.Point { return l.points }

// Length is the way taught [m].
func (l *Lesson) Length() float64 { return l.length }

// Stops is how many stop points there are.
func (l *Lesson) Stops() int {
	n := 0
	for _, p := range l.points {
		if p.Stop() {
			n++
		}
	}
	return n
}
