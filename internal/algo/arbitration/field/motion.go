package field

import (
	"time"

	"sarathi/internal/algo/velramp"
	"sarathi/internal/geom"
)

// motion models the worst body that keeps the contract: it takes up a faster command at once, and brakes no harder than promised.
// It also remembers where that body went, so that a scan can be moved to now.
type motion struct {
	brake    velramp.Limits
	velocity geom.Velocity // of the modelled body
	sent     geom.Velocity // what it was told last
	at       time.Time

	legs  [legCount]leg // ring; next is the slot after the newest
	next  int
	count int
}

// leg is a stretch of constant velocity that ended at end.
type leg struct {
	end      time.Time
	seconds  float64
	velocity geom.Velocity
}

const (
	// legLength is how long a leg gets before the next begins: a burst of commands must not push older ones out.
	legLength = 0.010
	// legCount legs reach back further than the oldest scan that counts plus the longest latency, 1.5 s.
	legCount = 192
	// atOnce stands for no limit at all [m/s²].
	atOnce = 1e9
)

func newMotion(m *model) motion {
	return motion{brake: velramp.Limits{
		Acceleration: [3]float64{atOnce, atOnce, atOnce},
		Deceleration: [3]float64{m.decel, m.decel, m.angularDecel},
	}}
}

// advance moves the body on to now. Time never runs backwards here: the owner forgets instead.
func (m *motion) advance(now time.Time) {
	dt := now.Sub(m.at).Seconds()
	m.at = now
	if dt <= 0 {
		return
	}
	before := m.velocity
	m.velocity = m.brake.Step(before, m.sent, dt)
	// The mean is exact while braking and errs on the far side when the braking ends within dt.
	mean := before.Add(m.velocity).Scale(0.5)
	if m.count > 0 {
		last := &m.legs[(m.next+legCount-1)%legCount]
		if last.seconds < legLength {
			total := last.seconds + dt
			last.velocity = last.velocity.Scale(last.seconds / total).Add(mean.Scale(dt / total))
			last.seconds, last.end = total, now
			return
		}
	}
	m.legs[m.next] = leg{end: now, seconds: dt, velocity: mean}
	m.next = (m.next + 1) % legCount
	m.count = min(m.count+1, legCount)
}

// command tells the body v at the time of the last advance. Axes that gain follow at once.
func (m *motion) command(v geom.Velocity) {
	m.sent = v
	m.velocity = geom.Velocity{
		VX: faster(m.velocity.VX, v.VX), VY: faster(m.velocity.VY, v.VY), WZ: faster(m.velocity.WZ, v.WZ),
	}
}

// faster is what an axis moves at when it is told `to`: it gains at once, but what it has to lose it still has.
func faster(from, to float64) float64 {
	if from == 0 || from*to > 0 && to*to > from*from {
		return to
	}
	return from
}

// mixed is the velocity the body would have if it took up v at once on every axis that gains or turns round, and kept the others.
func (m *motion) mixed(v geom.Velocity) geom.Velocity {
	axis := func(has, gets float64) float64 {
		if has*gets < 0 || gets*gets > has*has {
			return gets
		}
		return has
	}
	return geom.Velocity{VX: axis(m.velocity.VX, v.VX), VY: axis(m.velocity.VY, v.VY), WZ: axis(m.velocity.WZ, v.WZ)}
}

// since is the pose that the body has now in the frame it had at t.
func (m *motion) since(t time.Time) geom.Pose2 {
	var pose geom.Pose2
	for i := range m.count {
		l := &m.legs[(m.next-m.count+i+legCount)%legCount]
		if overlap := min(l.end.Sub(t).Seconds(), l.seconds); overlap > 0 {
			pose = pose.Mul(l.velocity.Integrate(overlap))
		}
	}
	return pose
}

// forget drops the past, as after a jump of the clock. The velocity stays: the body is still moving.
func (m *motion) forget(now time.Time) {
	m.at, m.count = now, 0
}
