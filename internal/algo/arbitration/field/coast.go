package field

import (
	"math"

	"sarathi/internal/geom"
)

// A body need not keep its arc when it is sent zero: most brake each axis on its own, so the turn ends first and the path straightens.
// What may be sent is therefore also checked against that way of stopping.

const (
	// coastParts is into how many stretches of constant velocity the braking is cut. Each axis covers its exact way in each; the
	// heading is off by less than a hundredth of a radian.
	coastParts = 5
)

// coasts reports whether the body that is sent u for hold seconds and then zero stops without coming within the clearance of anything
// that it is not within already, when each axis brakes on its own.
func (f *Field) coasts(u geom.Velocity, hold float64) bool {
	if u.VX*u.VY == 0 && u.VX*u.WZ == 0 && u.VY*u.WZ == 0 {
		return true // one axis alone brakes along its path
	}
	type stretch struct {
		sweep   sweep
		seconds float64
		sin     float64
		cos     float64
		pose    geom.Pose2 // of its end in its beginning
	}
	brake := max(math.Abs(u.VX)/f.model.decel, math.Abs(u.VY)/f.model.decel, math.Abs(u.WZ)/f.model.angularDecel)
	var path [coastParts + 1]stretch
	n, v, dt := 0, u, brake/coastParts
	add := func(mean geom.Velocity, seconds float64) {
		if seconds <= 0 || mean.IsZero() {
			return
		}
		s := stretch{sweep: newSweep(f.outline, mean), seconds: seconds, pose: mean.Integrate(seconds)}
		s.sin, s.cos = math.Sincos(s.pose.Theta)
		path[n] = s
		n++
	}
	add(u, hold)
	for range coastParts {
		next := geom.Velocity{
			VX: slower(v.VX, f.model.decel*dt), VY: slower(v.VY, f.model.decel*dt), WZ: slower(v.WZ, f.model.angularDecel*dt),
		}
		add(v.Add(next).Scale(0.5), dt)
		v = next
	}

	span := (u.Speed() + math.Abs(u.WZ)*f.grown) * (hold + brake)
	far := (f.grown + span) * (f.grown + span)
	for _, p := range f.obstacles {
		if p.Dot(p) > far || f.outline.distance(p) < f.outline.clearance+touching {
			continue
		}
		for i := range path[:n] {
			s := &path[i]
			way, speed := s.sweep.contact(p)
			if way <= speed*s.seconds {
				return false
			}
			x, y := p.X-s.pose.X, p.Y-s.pose.Y
			p = geom.Vec2{X: s.cos*x + s.sin*y, Y: s.cos*y - s.sin*x}
		}
	}
	return true
}

// slower is v brought nearer to zero by loss.
func slower(v, loss float64) float64 { return math.Copysign(max(math.Abs(v)-loss, 0), v) }
