package localization

import (
	"errors"
	"fmt"
	"math"
	"time"

	"sarathi/internal/algo/tfbuffer"
	"sarathi/internal/geom"
)

// Frames of the private memory of where odometry put the robot.
const (
	odom = "odom"
	base = "base"
)

// odometryJump is a step of odometry that no robot makes: its source began anew [m, rad].
const odometryJump = 1.0

// Filter is the estimate. It is for one goroutine.
type Filter struct {
	cfg Config
	way *tfbuffer.Buffer

	odometry geom.Pose2 // its last pose
	at       time.Time  // of odometry; zero before the first

	localized bool
	pose      geom.Pose2 // of the robot in the map, at the last odometry
	cov       Covariance

	source      string
	message     string
	corrected   time.Time
	corrections uint32
	rejected    uint32

	lost    bool // the estimate was given up: tags localize only when a person asks for it
	started bool // a person asked for it
	votes   votes
	doubt   doubt
}

// New returns a filter that knows nothing.
func New(cfg Config) (*Filter, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	memory := tfbuffer.DefaultConfig()
	memory.History = 3 * time.Second
	return &Filter{cfg: cfg, way: tfbuffer.New(memory)}, nil
}

// Status is what people and programs are told.
type Status struct {
	Localized   bool
	Source      string // of the last correction; "" before the first
	Message     string
	Pose        geom.Pose2 // of the robot in the map
	Covariance  Covariance
	Corrected   time.Time // of the last correction; zero before the first
	Corrections uint32    // since the last reset
	Rejected    uint32    // the same
}

// Status returns the estimate at the last odometry.
func (f *Filter) Status() Status {
	return Status{f.localized, f.source, f.message, f.pose, f.cov, f.corrected, f.corrections, f.rejected}
}

// MapToOdom returns where odometry's frame is in the map; false while the robot is not localized.
func (f *Filter) MapToOdom() (geom.Pose2, bool) {
	return f.pose.Mul(f.odometry.Inverse()), f.localized && !f.at.IsZero()
}

// Odometry moves the estimate: p is where odometry puts the robot at t. It reports whether odometry began anew.
func (f *Filter) Odometry(t time.Time, p geom.Pose2) (jumped bool) {
	if !p.IsFinite() {
		return false
	}
	if err := f.way.Set(odom, base, t, p.Transform()); err != nil {
		return false
	}
	if !f.at.IsZero() && !t.After(f.at) && f.at.Sub(t) < time.Second {
		return false // a straggler; the memory has it
	}
	step := f.odometry.Between(p)
	first := f.at.IsZero()
	f.odometry, f.at = p, t
	if first {
		return false
	}
	d := step.Position().Norm()
	if jumped = d > odometryJump || math.Abs(step.Theta) > odometryJump; jumped {
		// Where the robot went meanwhile nobody knows; it was not far.
		f.cov = sum(f.cov, diagonal(odometryJump/2, odometryJump/4))
		f.votes = votes{}
		return true
	}
	f.votes.move(step)
	if !f.localized {
		return false
	}
	next := f.pose.Mul(step)
	f.cov = sandwich(carry(f.pose, next), f.cov)
	along := f.cfg.Slip * f.cfg.Slip * d
	f.cov[0][0] += along
	f.cov[1][1] += along
	f.cov[2][2] += f.cfg.Turn*f.cfg.Turn*math.Abs(step.Theta) + f.cfg.Drift*f.cfg.Drift*d
	f.pose = next
	return false
}

// carry is the Jacobian of a pose that is rigidly ahead of another one, by the other one.
func carry(from, to geom.Pose2) Covariance {
	return Covariance{{1, 0, -(to.Y - from.Y)}, {0, 1, to.X - from.X}, {0, 0, 1}}
}

func diagonal(place, heading float64) Covariance {
	return Covariance{{place * place, 0, 0}, {0, place * place, 0}, {0, 0, heading * heading}}
}

// Errors of corrections.
var (
	ErrNoOdometry = errors.New("there is no odometry for the time of the correction")
	ErrRefused    = errors.New("the correction is refused")
	ErrNotFinite  = errors.New("a pose that is not finite")
)

// since returns how the robot moved from t until the last odometry.
func (f *Filter) since(t time.Time) (geom.Pose2, error) {
	then, err := f.way.Lookup(odom, base, t)
	if late, ok := errors.AsType[*tfbuffer.ExtrapolationError](err); ok && late.By() > 0 && late.By() <= 100*time.Millisecond {
		then, err = f.way.Lookup(odom, base, late.Newest) // odometry is on its way; the robot hardly moves meanwhile
	}
	if err != nil {
		return geom.Pose2{}, fmt.Errorf("%w: %w", ErrNoOdometry, err)
	}
	return then.Pose2().Between(f.odometry), nil
}

// Set takes a pose that somebody gives, at time t, whatever was believed before.
func (f *Filter) Set(t time.Time, p geom.Pose2, cov Covariance, source string) error {
	if !p.IsFinite() {
		return ErrNotFinite
	}
	for i := range cov {
		if !(cov[i][i] > 0) || math.IsInf(cov[i][i], 1) { // unknown: RViz's own numbers
			cov = diagonal(0.5, 0.26)
			break
		}
	}
	moved, err := f.since(t)
	if err != nil {
		return err
	}
	f.take(t, p.Mul(moved), sandwich(carry(p, p.Mul(moved)), cov), source)
	return nil
}

// take begins anew with a pose at the last odometry.
func (f *Filter) take(t time.Time, p geom.Pose2, cov Covariance, source string) {
	f.localized, f.lost, f.started = true, false, false
	f.pose, f.cov = p, cov
	f.note(t, source)
	f.message = ""
	f.votes, f.doubt = votes{}, doubt{}
}

func (f *Filter) note(t time.Time, source string) {
	f.source, f.corrected = source, t
	f.corrections++
}

// Start lets the next tags localize the robot anew, whatever was believed before.
func (f *Filter) Start() { f.started, f.votes = true, votes{} }

// Reset forgets where the robot is.
func (f *Filter) Reset() {
	f.localized, f.lost, f.started = false, false, false
	f.pose, f.cov = geom.Pose2{}, Covariance{}
	f.source, f.message, f.corrected, f.corrections, f.rejected = "", "", time.Time{}, 0, 0
	f.votes, f.doubt = votes{}, doubt{}
}

// Correct fuses a pose of the robot in the map that was true at t, such as a match of the scan. Without an estimate it is refused: a
// match needs somewhere to begin.
func (f *Filter) Correct(t time.Time, p geom.Pose2, cov Covariance, source string) error {
	if !p.IsFinite() {
		return ErrNotFinite
	}
	if !f.localized {
		return fmt.Errorf("%w: the robot is not localized", ErrRefused)
	}
	moved, err := f.since(t)
	if err != nil {
		return err
	}
	return f.fuse(t, f.innovation(p, cov, moved), source)
}

// innovation is a measurement beside what was expected.
type innovation struct {
	off      [3]float64 // measured less expected
	expected geom.Pose2 // at the time of the measurement
	h        Covariance // of the expected pose by the estimate
	noise    Covariance
	weight   Covariance // inverse of the innovation's covariance
	distance float64    // Mahalanobis
	ok       bool
}

func (f *Filter) innovation(p geom.Pose2, noise Covariance, moved geom.Pose2) innovation {
	in := innovation{noise: noise, expected: f.pose.Mul(moved.Inverse())}
	in.off = [3]float64{p.X - in.expected.X, p.Y - in.expected.Y, geom.AngleDiff(p.Theta, in.expected.Theta)}
	in.h = carry(f.pose, in.expected)
	in.weight, in.ok = inverse(sum(sandwich(in.h, f.cov), noise))
	in.distance = math.Sqrt(quadratic(in.weight, in.off))
	return in
}

// fuse updates the estimate, unless the innovation is not plausible.
func (f *Filter) fuse(t time.Time, in innovation, source string) error {
	jump, turn := math.Hypot(in.off[0], in.off[1]), math.Abs(in.off[2])
	if !in.ok || jump > f.cfg.MaxJump || turn > f.cfg.maxTurn() || !(in.distance <= f.cfg.Outlier) {
		f.rejected++
		f.contradict(t, fmt.Sprintf("%s puts the robot %.2f m and %.0f° away from here", source, jump, turn*180/math.Pi))
		return fmt.Errorf("%w: it is %.2f m, %.1f° and %.1f deviations away", ErrRefused, jump, turn*180/math.Pi, in.distance)
	}
	gain := multiply(multiply(f.cov, transposed(in.h)), in.weight)
	var d [3]float64
	for i := range d {
		d[i] = gain[i][0]*in.off[0] + gain[i][1]*in.off[1] + gain[i][2]*in.off[2]
	}
	f.pose = geom.Pose2{X: f.pose.X + d[0], Y: f.pose.Y + d[1], Theta: geom.NormalizeAngle(f.pose.Theta + d[2])}
	// Joseph's form keeps the covariance positive whatever the rounding.
	rest := multiply(gain, in.h)
	for i := range rest {
		for k := range rest[i] {
			rest[i][k] = -rest[i][k]
		}
		rest[i][i]++
	}
	f.cov = sum(sandwich(rest, f.cov), sandwich(gain, in.noise))
	f.note(t, source)
	f.agree(t)
	return nil
}
