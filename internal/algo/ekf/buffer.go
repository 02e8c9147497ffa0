package ekf

import (
	"math"
	"time"
)

// kind orders inputs of the same stamp.
type kind uint8

const (
	kindIMU kind = iota
	kindOdometry
	kindCorrection
)

// event is an input, and the filter after it.
type event struct {
	at    int64
	kind  kind
	imu   imuSample
	odo   odoSample
	fix   correction
	after state

	verdict Verdict // of a correction
	d2      float64
}

const (
	// maxEvents bounds the buffer, for 2 s of 200 Hz and what comes with it.
	maxEvents = 1024
	// ahead is how far before all others a stamp may be.
	ahead = 2 * time.Second
	// patience is how many inputs in a row with a stamp elsewhere mean that time itself went there.
	patience = 20
)

func (f *Filter) stamp(t time.Time) int64 { return int64(t.Sub(f.zero)) }

func (f *Filter) newest() *state { return f.before(len(f.events)) }

// before is the state before event i.
func (f *Filter) before(i int) *state {
	if i == 0 {
		return &f.base
	}
	return &f.events[i-1].after
}

// after is the place of an input in the buffer: behind all that are earlier, or of the same stamp and an earlier or the same kind.
func (f *Filter) after(at int64, k kind) int {
	i := len(f.events)
	for i > 0 && (f.events[i-1].at > at || f.events[i-1].at == at && f.events[i-1].kind > k) {
		i--
	}
	return i
}

// insert puts an input in its place, and replays what it touches.
func (f *Filter) insert(t time.Time, e event) (Verdict, float64) {
	if !f.started {
		f.begin(t)
	}
	e.at = f.stamp(t)
	e.imu.at, e.odo.at = e.at, e.at
	newest := f.newest().at
	oldest := max(f.base.at, newest-int64(f.cfg.Window))
	if early := e.at > newest+int64(ahead); early || e.at < oldest {
		if !f.stray(e.at) {
			if early {
				return TooEarly, 0
			}
			return TooLate, 0
		}
		f.restart(e.at)
	}
	f.strays = 0
	i := f.after(e.at, e.kind)
	if i > 0 && f.events[i-1].at == e.at && f.events[i-1].kind == e.kind {
		return Repeated, 0
	}
	if len(f.events) == maxEvents {
		i = max(0, i-f.forget(maxEvents/4))
	}
	f.events = append(f.events, event{})
	copy(f.events[i+1:], f.events[i:])
	f.events[i] = e
	f.replay(f.touched(i))
	f.forget(f.expired())
	if e.kind != kindCorrection {
		return Used, 0
	}
	// forget kept the newest, and never what is inside the window.
	for j := len(f.events) - 1; j >= 0; j-- {
		if o := &f.events[j]; o.at == e.at && o.kind == e.kind {
			return o.verdict, o.d2
		}
	}
	return Used, 0
}

func (f *Filter) begin(t time.Time) {
	f.started = true
	f.zero = t
}

// stray counts inputs far from the filter's time, and reports whether it is time that went elsewhere.
func (f *Filter) stray(at int64) bool {
	if f.strays > 0 && (at < f.strayAt-int64(f.cfg.Window) || at > f.strayAt+int64(ahead)) {
		f.strays = 0
	}
	f.strays++
	f.strayAt = at
	return f.strays >= patience
}

// restart goes on at another time, from where the robot was. How it moved meanwhile nobody knows.
func (f *Filter) restart(at int64) {
	f.stats.Restarts++
	f.base = *f.newest()
	f.base.at = at
	f.base.odo, f.base.imu = odoSample{}, imuSample{}
	for i := range 3 {
		f.base.p[i][i] += restartVariance
	}
	f.events = f.events[:0]
}

const restartVariance = 0.25 // [m², rad²]

// touched is the first event whose state changes when event i is put in: it may change how the pieces of time before it are cut, back
// to the last input of its kind.
func (f *Filter) touched(i int) int {
	k := f.events[i].kind
	if k == kindCorrection {
		return i
	}
	j := i
	for j > 0 && f.events[j-1].kind != k {
		j--
	}
	return j
}

func (f *Filter) replay(from int) {
	for i := from; i < len(f.events); i++ {
		e := &f.events[i]
		e.after = *f.before(i)
		s := &e.after
		if e.at > s.at {
			m := f.motion(s, i, e.at)
			s.predict(&m, &f.cfg)
			s.at = e.at
		}
		switch e.kind {
		case kindIMU:
			s.imu = e.imu
		case kindOdometry:
			s.odo = e.odo
		case kindCorrection:
			e.verdict, e.d2 = s.correct(&e.fix, &f.cfg)
		}
	}
}

// expired is how many events are older than the window.
func (f *Filter) expired() int {
	oldest := f.newest().at - int64(f.cfg.Window)
	n := 0
	for n < len(f.events)-1 && f.events[n].at < oldest {
		n++
	}
	if n < len(f.events)/8 { // moving the rest is not free
		return 0
	}
	return n
}

// forget drops the oldest n events: their inputs can no longer be put in another order.
func (f *Filter) forget(n int) int {
	if n > 0 {
		f.base = f.events[n-1].after
		f.events = f.events[:copy(f.events, f.events[n:])]
	}
	return n
}

// motion is what the sensors say about the time from s to at, which is not later than event i, the next.
func (f *Filter) motion(s *state, i int, at int64) motion {
	m := motion{dt: float64(at-s.at) * 1e-9}
	f.odometry(s, i, at, &m)
	f.gyro(s, i, at, &m)
	return m
}

func (f *Filter) odometry(s *state, i int, at int64, m *motion) {
	last := &s.odo
	next := f.next(i, kindOdometry)
	switch {
	case !last.ok:
		return
	case next != nil && !f.jumped(last, &next.odo):
		span := float64(next.at - last.at)
		a := last.pose.Interpolate(next.odo.pose, float64(s.at-last.at)/span)
		b := last.pose.Interpolate(next.odo.pose, float64(at-last.at)/span)
		m.odo, m.odoKind = a.Between(b), measured
	case float64(at-last.at)*1e-9 <= odoSilence:
		m.odo, m.odoKind = last.vel.Integrate(m.dt), guessed
	}
}

// jumped reports whether odometry began anew between two samples.
func (f *Filter) jumped(a, b *odoSample) bool {
	dt := float64(b.at-a.at) * 1e-9
	d := a.pose.Between(b.pose)
	const play = 0.02 // [m, rad] of samples that are very close in time
	return math.Hypot(d.X, d.Y) > f.cfg.MaxSpeed*dt+play || math.Abs(d.Theta) > f.cfg.MaxTurn*dt+play
}

// gyro integrates the rate, which runs straight between samples.
func (f *Filter) gyro(s *state, i int, at int64, m *motion) {
	last := &s.imu
	next := f.next(i, kindIMU)
	silence := func(a, b int64) bool { return float64(b-a)*1e-9 > gyroSilence }
	switch {
	case last.ok && next != nil && !silence(last.at, next.at):
		span := float64(next.at - last.at)
		slope := (next.imu.rate - last.rate) / span
		m.turn = m.dt * (last.rate + slope*(float64(s.at-last.at)+float64(at-last.at))/2)
		m.gyro = true
	case last.ok && !silence(last.at, at):
		m.turn, m.gyro = m.dt*last.rate, true
	case next != nil && !silence(s.at, next.at):
		m.turn, m.gyro = m.dt*next.imu.rate, true
	}
}

// next is the first event of a kind from i on.
func (f *Filter) next(i int, k kind) *event {
	for ; i < len(f.events); i++ {
		if f.events[i].kind == k {
			return &f.events[i]
		}
	}
	return nil
}
