package follower

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"sarathi/internal/algo/pursuit"
	"sarathi/internal/algo/route"
	"sarathi/internal/geom"
)

// State is what the follower does, in the words of dharma_interfaces/NavigationStatus.
type State string

// The states.
const (
	Inactive    State = "INACTIVE"
	Joining     State = "JOINING"
	Following   State = "FOLLOWING"
	Approaching State = "APPROACHING"
	Dwelling    State = "DWELLING"
	Paused      State = "PAUSED"
	Blocked     State = "BLOCKED"
	OffPath     State = "OFF_PATH"
	GoalReached State = "GOAL_REACHED"
	Failed      State = "FAILED"
)

// Reasons to pause. Others may be used, each by its owner.
const (
	ByOperator     = "operator"
	ByRemote       = "remote"
	ByEStop        = "estop"
	ByTour         = "tour"
	ByDocking      = "docking"
	ByLocalization = "localization" // the follower's own
	ByAvoidance    = "avoidance"    // the follower's own
)

// Why something is refused.
var (
	ErrNoPath       = errors.New("no path is loaded: load a route or give a goal first")
	ErrNotLocalized = errors.New("the robot is not localized: start the localization first")
	ErrPath         = errors.New("the path cannot be followed")
	ErrSpeed        = errors.New("the speed is out of range")
)

// Path is what to follow.
type Path struct {
	Name   string
	Stamp  time.Time // the same stamp again is the same path
	Loop   bool      // the last point leads back to the first
	Points []route.Point
}

// Advice is what avoidance says about the way.
type Advice struct {
	Stamp     time.Time
	Scale     float64 // 0 to 1, of the speed
	Aside     float64 // [rad] to the left of the path's direction
	Side      float64 // [m/s] to the left
	Emergency bool    // stand still
}

// Input is what the follower learns before a step.
type Input struct {
	Now        time.Time
	Pose       geom.Pose2 // [m, rad] in the map frame
	PoseStamp  time.Time  // zero: there is none
	Localized  bool
	Advice     Advice
	SpeedScale float64 // 0 to 1, of where the robot is: a zone to go slowly in
}

// EventKind is what happened at a stop.
type EventKind string

// What happens at stops.
const (
	Arrived  EventKind = "arrived"
	Departed EventKind = "departed"
	Skipped  EventKind = "skipped"
)

// Event is something that happened at a stop point.
type Event struct {
	Kind    EventKind
	Stop    int         // number of the stop on the route, from 0
	Point   route.Point // as taught
	Message string
}

// Output is what a step leads to.
type Output struct {
	Velocity geom.Velocity // base_link
	Send     bool          // the velocity is to be sent; a last zero comes when following ends
	Events   []Event
}

// Status is what the follower is at.
type Status struct {
	State      State
	Message    string
	Reasons    []string // to pause, oldest first
	Path       string
	Index      int // point last passed; -1: none
	Total      int
	NextStop   int // point; -1: none
	Lap        int
	Remaining  float64 // [m]
	CrossTrack float64 // [m]; NaN: not known
	DwellLeft  time.Duration
	Speed      float64 // [m/s] walking speed
}

// Follower follows one path at a time. Use [New].
type Follower struct {
	cfg   Config
	path  Path
	track *pursuit.Track // nil: no path

	active  bool
	ended   State // GoalReached, Failed, or OffPath while that lasts
	message string
	reasons []string

	progress pursuit.Progress
	pursue   pursuit.Pursuit
	approach pursuit.Approach
	joined   bool
	cross    float64
	lap      int
	nextStop int // number of the next stop; len(stops): the end of the path
	low      bool

	nearing    bool // an approach is under way
	nearingFor time.Duration
	dwelling   bool
	dwellLeft  time.Duration
	heldFor    time.Duration // by obstacles
	held       bool
	turning    bool          // on the spot, away from what holds it
	moved      float64       // [m] progress when the robot last got ahead
	stuckFor   time.Duration // since then

	last     time.Time // of the last step
	state    State
	sent     bool // the last step sent a velocity
	velocity geom.Velocity
}

// New returns a follower without a path.
func New(cfg Config) (*Follower, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Follower{cfg: cfg, state: Inactive}, nil
}

// SetPath replaces the path. Progress is kept when it is the one there is; else the robot finds its place on the new one, without stopping
// when it is under way.
func (f *Follower) SetPath(p Path) error {
	if f.track != nil && !p.Stamp.IsZero() && p.Stamp.Equal(f.path.Stamp) && p.Name == f.path.Name && len(p.Points) == len(f.path.Points) {
		return nil
	}
	track, err := pursuit.NewTrack(p.Points, f.cfg.Pursuit)
	if err != nil {
		return fmt.Errorf("%w: it needs two points that are apart, of finite numbers", ErrPath)
	}
	f.path, f.track = p, track
	f.rewind()
	f.joined = f.active && f.joined // a new plan begins at the robot
	if f.ended != "" {
		f.ended, f.message = "", ""
	}
	return nil
}

// ClearPath forgets the path and stops.
func (f *Follower) ClearPath() {
	f.Stop()
	f.path, f.track = Path{}, nil
}

// rewind forgets the progress.
func (f *Follower) rewind() {
	f.progress, f.lap, f.nextStop = pursuit.Progress{}, 0, 0
	f.nearing, f.dwelling, f.dwellLeft = false, false, 0
	f.moved, f.stuckFor, f.heldFor = 0, 0, 0
}

// Start begins to follow the path from where the robot is. It clears what ended the last run and the operator's pause; other reasons stay.
func (f *Follower) Start(localized bool) error {
	switch {
	case f.track == nil:
		return ErrNoPath
	case !localized:
		return ErrNotLocalized
	}
	f.active, f.ended, f.message, f.joined = true, "", "", false
	f.rewind()
	f.Resume(ByOperator)
	return nil
}

// Stop ends following and forgets the progress.
func (f *Follower) Stop() {
	f.active, f.ended, f.message = false, "", ""
	f.rewind()
}

// Active reports whether a path is being followed, also when it is paused.
func (f *Follower) Active() bool { return f.active }

// Pause adds a reason to stand still.
func (f *Follower) Pause(reason string) {
	if reason != "" && !slices.Contains(f.reasons, reason) {
		f.reasons = append(f.reasons, reason)
	}
}

// Resume takes a reason away, and no other.
func (f *Follower) Resume(reason string) {
	f.reasons = slices.DeleteFunc(f.reasons, func(r string) bool { return r == reason })
}

// SetSpeed changes the walking speed [m/s], also under way.
func (f *Follower) SetSpeed(v float64) error {
	if !(v >= f.cfg.SpeedMin && v <= f.cfg.SpeedMax) {
		return fmt.Errorf("%w: %g m/s: choose %g to %g", ErrSpeed, v, f.cfg.SpeedMin, f.cfg.SpeedMax)
	}
	f.cfg.Pursuit.Cruise = v
	if f.track != nil {
		f.track.Profile(f.cfg.Pursuit)
	}
	return nil
}

// SetBatteryLow makes this lap of a loop the last.
func (f *Follower) SetBatteryLow(low bool) { f.low = low }

// Aim is the direction in which the path leads [rad], seen from a pose of base_link. It returns false while no path is followed.
func (f *Follower) Aim(pose geom.Pose2) (float64, bool) {
	if !f.active || !f.progress.Begun() {
		return 0, false
	}
	return pose.Inverse().Apply(f.track.Position(f.progress.Way() + f.cfg.AimAhead)).Angle(), true
}

// Status returns what the follower is at.
func (f *Follower) Status() Status {
	s := Status{
		State: f.state, Message: f.message, Reasons: slices.Clone(f.reasons), Path: f.path.Name, Index: -1, NextStop: -1, Lap: f.lap,
		CrossTrack: nan(), DwellLeft: f.dwellLeft, Speed: f.cfg.Pursuit.Cruise,
	}
	if f.track == nil {
		return s
	}
	s.Total, s.Remaining = f.track.Len(), f.track.Length()-f.progress.Way()
	if f.progress.Begun() {
		s.Index, s.CrossTrack = f.track.Index(f.progress.Way()), f.cross
	}
	if stops := f.track.Stops(); f.nextStop < len(stops) {
		s.NextStop = stops[f.nextStop]
	}
	return s
}
