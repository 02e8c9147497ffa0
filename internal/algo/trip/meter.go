package trip

import (
	"fmt"
	"time"

	"sarathi/internal/geom"
)

// Status is what the meter shows.
type Status struct {
	OK         bool      // odometry arrives
	Distance   float64   // [m] since the reset
	MovingTime float64   // [s] since the reset
	Speed      float64   // [m/s] now
	Top        float64   // [m/s] highest since the reset
	Rate       float64   // [Hz] odometry messages a second
	Since      time.Time // of the reset
	Stamp      time.Time // of the odometry used last
}

// Average is the distance by the moving time [m/s], 0 before the first move.
func (s Status) Average() float64 {
	if s.MovingTime <= 0 {
		return 0
	}
	return s.Distance / s.MovingTime
}

// Stats counts what the meter did not use.
type Stats struct {
	Jumps   uint64 // positions too far away, and stamps that went back
	Dropped uint64 // numbers that are not finite, and stamps that stood still
}

// Meter is the trip meter. Use [New].
type Meter struct {
	cfg   Config
	st    Status
	stats Stats

	end    geom.Vec2 // of the last step
	last   sample
	begun  bool      // last and end are valid
	heard  time.Time // arrival of the last sample that was used
	recent window
	rate   rate
}

// sample is a position at a time.
type sample struct {
	at  time.Time
	pos geom.Vec2
}

// New returns a meter that was reset at now. It panics on a Config that Validate refuses.
func New(cfg Config, now time.Time) *Meter {
	if err := cfg.Validate(); err != nil {
		panic(fmt.Sprintf("trip.New: %v", err))
	}
	m := &Meter{cfg: cfg, recent: newWindow(cfg.Window)}
	m.st.Since = now
	return m
}

// Reset puts the meter back to zero. It goes on measuring from where the robot is.
func (m *Meter) Reset(now time.Time) {
	m.st.Distance, m.st.MovingTime, m.st.Top, m.st.Since = 0, 0, 0, now
	m.end = m.last.pos
	m.stats = Stats{}
}

// Restart says that the next position is in another frame than the ones before: the source of the odometry changed.
func (m *Meter) Restart() { m.begun = false }

// Update takes the position of the robot at stamp, in any fixed frame; now is when the news arrived.
func (m *Meter) Update(now, stamp time.Time, pos geom.Vec2) {
	if !pos.IsFinite() || stamp.IsZero() || stamp.Equal(m.last.at) {
		m.stats.Dropped++
		return
	}
	m.Tick(now)
	m.heard, m.st.OK, m.st.Stamp = now, true, stamp
	m.rate.heard(now)
	dt := stamp.Sub(m.last.at).Seconds()
	switch {
	case !m.begun:
		m.restart(stamp, pos)
		return
	case dt < 0 || pos.Distance(m.last.pos) > m.cfg.MaxSpeed*dt+m.cfg.Step:
		m.stats.Jumps++
		m.restart(stamp, pos)
		return
	}
	if m.st.Speed > 0 {
		m.st.MovingTime += dt
	}
	m.last = sample{stamp, pos}
	m.recent.add(m.last)
	m.measureSpeed()
	if step := pos.Distance(m.end); step >= m.cfg.Step {
		m.st.Distance += step
		m.end = pos
	}
}

// Tick lets time pass: it notices when odometry is silent.
func (m *Meter) Tick(now time.Time) {
	silence := now.Sub(m.heard)
	if m.st.OK && (silence > m.cfg.StaleAfter || silence < -m.cfg.StaleAfter) {
		m.st.OK, m.st.Speed, m.begun = false, 0, false
		m.rate = rate{}
	}
}

// Status returns what the meter shows.
func (m *Meter) Status() Status {
	s := m.st
	s.Rate = m.rate.perSecond()
	return s
}

// Stats returns the counters since the reset.
func (m *Meter) Stats() Stats { return m.stats }

// restart goes on from a position that has nothing to do with the one before.
func (m *Meter) restart(stamp time.Time, pos geom.Vec2) {
	m.begun, m.end, m.last, m.st.Speed = true, pos, sample{stamp, pos}, 0
	m.recent.clear()
	m.recent.add(m.last)
}

func (m *Meter) measureSpeed() {
	v, ok := m.recent.velocity()
	m.st.Speed = 0
	if speed := v.Norm(); ok && speed >= m.cfg.MinSpeed {
		m.st.Speed = speed
		m.st.Top = max(m.st.Top, speed)
	}
}
