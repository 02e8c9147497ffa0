package ekf

import (
	"math"

	"sarathi/internal/geom"
)

// The state vector: a pose in the map [m, rad], the gyro's bias [rad/s], and beside these, the part by which odometry errs.
const (
	ix = iota
	iy
	itheta
	ibias
	islip

	dim
)

type (
	vec [dim]float64
	sym [dim][dim]float64 // a covariance
)

// state is the filter at a moment.
type state struct {
	at  int64 // [ns]
	x   vec
	p   sym
	odo odoSample // the last one until now
	imu imuSample
	wz  float64 // the rate of turning a moment ago [rad/s]

	refused int        // absolute poses in a row that were refused and agree
	offset  geom.Pose2 // from the estimate to where they are, in the map
}

type odoSample struct {
	at   int64
	pose geom.Pose2
	vel  geom.Velocity
	ok   bool
}

type imuSample struct {
	at   int64
	rate float64
	ok   bool
}

// motion is what the sensors say about a piece of time.
type motion struct {
	dt      float64    // [s]
	odo     geom.Pose2 // in the frame of its beginning
	odoKind odoKind
	turn    float64 // ∫ω dt, with the bias [rad]
	gyro    bool
}

type odoKind uint8

const (
	noOdometry odoKind = iota
	guessed            // by the last velocity
	measured
)

// How long a sensor is believed to go on as it did when it falls silent [s].
const (
	odoSilence  = 0.3
	gyroSilence = 0.15
)

// Without odometry the robot may be anywhere soon, without gyro and odometry it may turn.
const (
	lostPosition = 0.5 // [m/√s]
	lostHeading  = 0.5 // [rad/√s]
)

// predict moves the state over a piece of time.
func (s *state) predict(said *motion, c *Config) {
	m := said.without(s.x[islip])
	d := math.Hypot(m.odo.X, m.odo.Y)
	turn, turnVar := s.turn(&m, c, d)
	// The chord of odometry's arc, turned to where the estimate's arc has it.
	sin, cos := math.Sincos(s.x[itheta] + (turn-m.odo.Theta)/2)
	dx, dy := cos*m.odo.X-sin*m.odo.Y, sin*m.odo.X+cos*m.odo.Y
	s.x[ix] += dx
	s.x[iy] += dy
	s.x[itheta] = geom.NormalizeAngle(s.x[itheta] + turn)

	// The rows of F - 1 that are not zero. g is how an error of the turn moves the state.
	g := vec{-dy / 2, dx / 2, 1}
	var fx, fy, ft vec
	fx[itheta], fy[itheta] = -dy, dx
	fx[islip], fy[islip] = -dx, -dy
	if m.gyro {
		fx[ibias], fy[ibias], ft[ibias] = -g[ix]*m.dt, -g[iy]*m.dt, -m.dt
	} else {
		ft[islip] = -m.odo.Theta
		fx[islip] -= g[ix] * m.odo.Theta
		fy[islip] -= g[iy] * m.odo.Theta
	}
	s.transport(&fx, &fy, &ft)

	along, across := c.Position*c.Position*d, c.Sideways*c.Sideways*d
	rest := c.Rest * c.Rest * m.dt
	switch m.odoKind {
	case noOdometry:
		rest += lostPosition * lostPosition * m.dt
	case guessed:
		along += d * d / 100 // the velocity may have changed
	case measured:
	}
	ux, uy := 1.0, 0.0
	if d > 0 {
		ux, uy = dx/d, dy/d
	}
	s.p[ix][ix] += ux*ux*along + uy*uy*across + rest
	s.p[iy][iy] += uy*uy*along + ux*ux*across + rest
	xy := ux * uy * (along - across)
	s.p[ix][iy] += xy
	s.p[iy][ix] += xy
	for i := range 3 {
		for j := range 3 {
			s.p[i][j] += g[i] * g[j] * turnVar
		}
	}
	s.p[ibias][ibias] += c.GyroWalk * c.GyroWalk * m.dt
	s.p[islip][islip] += slipWalk * slipWalk * c.Slip * c.Slip * d
	s.limit(ibias, 100*c.GyroBias*c.GyroBias)
	s.limit(islip, c.Slip*c.Slip)
	if m.gyro && m.odoKind == measured {
		s.compareTurns(&m, c, d, turn, turnVar, &g)
	}
	s.wz += (turn/m.dt - s.wz) * min(1, m.dt/turnMemory)
}

// slipWalk is how fast the slip may change with the ground: by this part of its first standard deviation in a metre, by the root.
const slipWalk = 0.02

// without is the motion with the slip taken out of odometry.
func (m *motion) without(slip float64) motion {
	out := *m
	f := 1 / (1 + slip)
	out.odo.X, out.odo.Y, out.odo.Theta = f*m.odo.X, f*m.odo.Y, f*m.odo.Theta
	return out
}

// turnMemory is the time constant of wz [s].
const turnMemory = 0.1

// turn is by how much the robot turned, and the variance of that but for bias and slip.
func (s *state) turn(m *motion, c *Config, d float64) (turn, variance float64) {
	switch {
	case m.gyro:
		return m.turn - s.x[ibias]*m.dt, c.GyroNoise * c.GyroNoise * m.dt
	case m.odoKind != noOdometry:
		return m.odo.Theta, c.odoTurnVariance(m, d, math.Abs(m.odo.Theta))
	}
	return 0, lostHeading * lostHeading * m.dt
}

// odoTurnVariance is the variance of odometry's turn over a way d, turned being by how much it turned about.
func (c *Config) odoTurnVariance(m *motion, d, turned float64) float64 {
	v := c.Heading*c.Heading*turned + c.HeadingPerMetre*c.HeadingPerMetre*d + c.Rest*c.Rest*m.dt
	if m.odoKind == guessed {
		v += m.odo.Theta * m.odo.Theta / 100
	}
	return v
}

// transport is P ← FPFᵀ, where F is the identity plus the three rows.
func (s *state) transport(fx, fy, ft *vec) {
	rows := [3]*vec{fx, fy, ft}
	var fp [3]vec // the rows times P
	for r, f := range rows {
		for j := range dim {
			fp[r][j] = f[itheta]*s.p[itheta][j] + f[ibias]*s.p[ibias][j] + f[islip]*s.p[islip][j]
		}
	}
	for r := range rows {
		for j := range dim {
			s.p[r][j] += fp[r][j]
		}
	}
	for r, f := range rows {
		for i := range dim {
			s.p[i][r] += f[itheta]*s.p[i][itheta] + f[ibias]*s.p[i][ibias] + f[islip]*s.p[i][islip]
		}
	}
	s.symmetrise()
}

func (s *state) symmetrise() {
	for i := range dim {
		for j := range i {
			v := (s.p[i][j] + s.p[j][i]) / 2
			s.p[i][j], s.p[j][i] = v, v
		}
	}
}

// limit keeps a variance from growing without end where nothing observes its quantity, as that of the bias while the gyro is silent.
func (s *state) limit(k int, most float64) {
	v := s.p[k][k]
	if v <= most {
		return
	}
	f := math.Sqrt(most / v)
	for i := range dim {
		s.p[k][i] *= f
		s.p[i][k] *= f
	}
}

// bound keeps the state where it means something, after an update.
func (s *state) bound() {
	s.x[itheta] = geom.NormalizeAngle(s.x[itheta])
	s.x[islip] = min(max(s.x[islip], -maxSlip), maxSlip)
}

// maxSlip is far beyond any slip of wheels that drive.
const maxSlip = 0.3
