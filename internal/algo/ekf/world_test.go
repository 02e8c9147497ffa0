package ekf

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"sarathi/internal/geom"
)

func begin() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// world is a robot whose sensors err exactly as the filter is told they do.
type world struct {
	cfg  Config
	r    *rand.Rand
	seed uint64

	fixSD     vec // of absolute poses: x, y, θ
	fixEvery  int // ticks; 0: never
	fixDelay  int // ticks until they arrive
	noGyro    bool
	noOdo     bool
	bias      float64
	slip      float64
	truth     geom.Pose2
	odo       geom.Pose2
	odoFrom   geom.Pose2 // truth at the last odometry
	odoWay    float64
	odoTurned float64
	tick      int
	late      []fix
	drive     func(t float64) geom.Velocity
}

type fix struct {
	due  int
	at   time.Time
	pose geom.Pose2
	cov  [3][3]float64
}

const tick = 10 * time.Millisecond

func newWorld(seed uint64) *world {
	cfg := DefaultConfig()
	r := rand.New(rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})) // neighbouring seeds must have nothing in common
	w := &world{cfg: cfg, r: r, seed: seed, fixSD: vec{0.02, 0.02, 0.005}, fixEvery: 10, fixDelay: 6}
	w.bias, w.slip = cfg.GyroBias*r.NormFloat64(), cfg.Slip*r.NormFloat64()
	a, b := 0.3+0.5*r.Float64(), 6*r.Float64()
	w.drive = func(t float64) geom.Velocity {
		if math.Mod(t+b, 20) > 16 {
			return geom.Velocity{} // stands now and then
		}
		return geom.Velocity{VX: 0.6 + 0.3*math.Sin(a*t), WZ: 0.8 * math.Sin(0.7*t+b)}
	}
	return w
}

func (w *world) now() time.Time { return begin().Add(time.Duration(w.tick) * tick) }

func (w *world) filter(tb testing.TB) *Filter {
	tb.Helper()
	start := Start{PositionSD: 0.1, HeadingSD: 0.05}
	f, err := New(w.cfg, start)
	if err != nil {
		tb.Fatal(err)
	}
	w.truth = geom.Pose2{X: 0.1 * w.r.NormFloat64(), Y: 0.1 * w.r.NormFloat64(), Theta: 0.05 * w.r.NormFloat64()}
	w.odoFrom = w.truth
	return f
}

// step moves the world by one tick and lets the sensors speak.
func (w *world) step(f *Filter) {
	dt := tick.Seconds()
	before := w.drive(float64(w.tick) * dt)
	w.tick++
	after := w.drive(float64(w.tick) * dt)
	mean := before.Add(after).Scale(0.5)
	w.truth = w.truth.Mul(mean.Integrate(dt))
	w.odoWay += math.Abs(mean.VX) * dt
	w.odoTurned += math.Abs(mean.WZ) * dt
	w.bias += w.cfg.GyroWalk * math.Sqrt(dt) * w.r.NormFloat64()
	rate := after.WZ + w.bias + w.cfg.GyroNoise/math.Sqrt(dt)*w.r.NormFloat64()
	if !w.noGyro {
		f.AddIMU(w.now(), rate)
	}
	if w.tick%2 == 0 && !w.noOdo {
		w.odometry()
		f.AddOdometry(w.now(), w.odo, after)
	}
	if w.fixEvery > 0 && w.tick%w.fixEvery == 0 {
		w.late = append(w.late, w.fix())
	}
	for len(w.late) > 0 && w.late[0].due <= w.tick {
		z := w.late[0]
		w.late = w.late[1:]
		f.AddCorrection(z.at, z.pose, z.cov)
	}
}

func (w *world) odometry() {
	d := w.odoFrom.Between(w.truth)
	w.odoFrom = w.truth
	c := &w.cfg
	dt := 2 * tick.Seconds()
	along := c.Position*math.Sqrt(w.odoWay)*w.r.NormFloat64() + c.Rest*math.Sqrt(dt)*w.r.NormFloat64()
	across := c.Sideways*math.Sqrt(w.odoWay)*w.r.NormFloat64() + c.Rest*math.Sqrt(dt)*w.r.NormFloat64()
	turn := math.Sqrt(c.Heading*c.Heading*w.odoTurned+c.HeadingPerMetre*c.HeadingPerMetre*w.odoWay+c.Rest*c.Rest*dt) * w.r.NormFloat64()
	w.odoWay, w.odoTurned = 0, 0
	w.odo = w.odo.Mul(geom.Pose2{X: (1+w.slip)*d.X + along, Y: (1+w.slip)*d.Y + across, Theta: (1+w.slip)*d.Theta + turn})
}

func (w *world) fix() fix {
	z := fix{due: w.tick + w.fixDelay, at: w.now()}
	z.pose = geom.Pose2{
		X: w.truth.X + w.fixSD[0]*w.r.NormFloat64(), Y: w.truth.Y + w.fixSD[1]*w.r.NormFloat64(), Theta: w.truth.Theta + w.fixSD[2]*w.r.NormFloat64(),
	}
	for i := range 3 {
		z.cov[i][i] = w.fixSD[i] * w.fixSD[i]
	}
	return z
}

func (w *world) run(f *Filter, d time.Duration) {
	for range int(d / tick) {
		w.step(f)
	}
}
