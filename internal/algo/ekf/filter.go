package ekf

import (
	"fmt"
	"math"
	"time"

	"sarathi/internal/geom"
)

// Start is where the filter begins.
type Start struct {
	Pose       geom.Pose2
	PositionSD float64 // [m]
	HeadingSD  float64 // [rad]
}

// Estimate is what the filter knows at a moment.
type Estimate struct {
	Time     time.Time
	Pose     geom.Pose2    // in the map
	Velocity geom.Velocity // in the robot's frame: odometry's, turning as the gyro says
	Cov      [3][3]float64 // of x, y and θ in the axes of the map [m², m·rad, rad²]
	Bias     float64       // of the gyro [rad/s]
	BiasVar  float64       // [rad²/s²]
	Slip     float64       // part by which odometry overestimates motions; its velocity is corrected by that
}

// Stats counts inputs by what became of them, since New.
type Stats struct {
	IMU, Odometry, Corrections [verdicts]uint64
	Restarts                   uint64 // all stamps went elsewhere
}

// Filter is the extended Kalman filter. Use [New]. It is not for use by several goroutines at once.
type Filter struct {
	cfg     Config
	started bool
	zero    time.Time // of the stamps below
	base    state     // before the first event
	events  []event   // by time and kind, at most maxEvents
	stats   Stats

	strays  int // inputs in a row that were far from the filter's time
	strayAt int64
}

// New returns a filter that knows nothing but where it begins.
func New(cfg Config, start Start) (*Filter, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("ekf: %w", err)
	}
	if !start.Pose.IsFinite() || !(start.PositionSD >= 0 && start.HeadingSD >= 0) || !geom.Finite(start.PositionSD, start.HeadingSD) {
		return nil, fmt.Errorf("ekf: start %+v is not a pose with its standard deviations", start)
	}
	f := &Filter{cfg: cfg, events: make([]event, 0, maxEvents)}
	f.base.x = vec{start.Pose.X, start.Pose.Y, geom.NormalizeAngle(start.Pose.Theta)}
	f.base.p[ix][ix] = start.PositionSD * start.PositionSD
	f.base.p[iy][iy] = f.base.p[ix][ix]
	f.base.p[itheta][itheta] = start.HeadingSD * start.HeadingSD
	f.base.p[ibias][ibias] = cfg.GyroBias * cfg.GyroBias
	f.base.p[islip][islip] = cfg.Slip * cfg.Slip
	return f, nil
}

// AddIMU takes the gyro's rate about z [rad/s] at a moment.
func (f *Filter) AddIMU(t time.Time, rate float64) Verdict {
	v := Malformed
	if math.Abs(rate) <= f.cfg.MaxTurn {
		v, _ = f.insert(t, event{kind: kindIMU, imu: imuSample{rate: rate, ok: true}})
	}
	f.stats.IMU[v]++
	return v
}

// AddOdometry takes the pose in odometry's own frame and the velocity in the robot's at a moment.
func (f *Filter) AddOdometry(t time.Time, pose geom.Pose2, vel geom.Velocity) Verdict {
	v := Malformed
	if pose.IsFinite() && vel.IsFinite() {
		v, _ = f.insert(t, event{kind: kindOdometry, odo: odoSample{pose: pose, vel: vel, ok: true}})
	}
	f.stats.Odometry[v]++
	return v
}

// AddCorrection takes an absolute pose in the map with its covariance at a moment. d2 is the squared Mahalanobis distance to the
// estimate, when it was compared to that.
func (f *Filter) AddCorrection(t time.Time, pose geom.Pose2, cov [3][3]float64) (v Verdict, d2 float64) {
	v = Malformed
	if _, ok := invert(&cov); ok && pose.IsFinite() {
		v, d2 = f.insert(t, event{kind: kindCorrection, fix: correction{pose, cov}})
	}
	f.stats.Corrections[v]++
	return v, d2
}

// Started reports whether anything has arrived: before that the estimate has no time.
func (f *Filter) Started() bool { return f.started }

// Stats returns the counters.
func (f *Filter) Stats() Stats { return f.stats }

// Estimate is the estimate at the time of the newest input.
func (f *Filter) Estimate() Estimate {
	s := f.newest()
	return f.report(s)
}

// At is the estimate at another time: of the past, if t is within [Config.Window], else carried on from the newest input.
func (f *Filter) At(t time.Time) Estimate {
	at := f.stamp(t)
	i := f.after(at, verdicts)
	s := *f.before(i)
	if at > s.at && f.started {
		m := f.motion(&s, i, at)
		s.predict(&m, &f.cfg)
		s.at = at
	}
	return f.report(&s)
}

func (f *Filter) report(s *state) Estimate {
	e := Estimate{Pose: s.pose(), Bias: s.x[ibias], BiasVar: s.p[ibias][ibias], Slip: s.x[islip], Velocity: s.odo.vel.Scale(1 / (1 + s.x[islip]))}
	if f.started {
		e.Time = f.zero.Add(time.Duration(s.at))
	}
	if s.imu.ok {
		e.Velocity.WZ = s.imu.rate - s.x[ibias]
	}
	for i := range 3 {
		copy(e.Cov[i][:], s.p[i][:3])
	}
	return e
}
