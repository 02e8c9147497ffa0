package field

import (
	"math"

	"sarathi/internal/geom"
)

// A robot that has come within the clearance of something would be stuck for ever if every sweep began with a hit. It may creep,
// as long as no point comes nearer than the nearest one is now, and nothing enters the footprint or goes deeper into it.
//
// Along a wall the far end of a sector's arc lies nearer to the path than the wall itself, by up to the width of the sector. Points
// that are not within the clearance yet get that much allowance; those within it are known better, because the robot passes them at a
// right angle, and get hardly any. So the robot may slide along a wall but not lean into it.

const (
	// escapeSteps is how many poses along the way are looked at. Between two of them a creeping robot moves by millimetres.
	escapeSteps = 4
	// nearAllowance and farAllowance bound the allowances [m].
	nearAllowance = 0.001
	farAllowance  = 0.010
)

// creepScale is the factor that slows u down until no corner moves faster than creep speed, at most 1.
func (f *Field) creepScale(u geom.Velocity) float64 {
	return min(1, f.model.creep/(u.Speed()+math.Abs(u.WZ)*f.outline.reach))
}

// escapes reports whether u, held until the body could stop from it, keeps the clearance. nearest is the smallest distance now.
func (f *Field) escapes(u geom.Velocity, nearest float64) bool {
	seconds := f.model.period + f.model.latency + f.model.brakeTime(u)
	fastest := u.Speed() + math.Abs(u.WZ)*f.outline.reach
	near := f.grown + fastest*seconds
	var poses [escapeSteps]geom.Pose2
	for k := range poses {
		poses[k] = u.Integrate(seconds * float64(k+1) / escapeSteps).Inverse()
	}
	for _, p := range f.obstacles {
		if p.Dot(p) > near*near {
			continue
		}
		limit := f.closest(p, nearest)
		for k := range poses {
			if f.outline.distance(poses[k].Apply(p)) < limit {
				return false
			}
		}
	}
	return true
}

// closest is how near p may come to the footprint [m].
func (f *Field) closest(p geom.Vec2, nearest float64) float64 {
	d := f.outline.distance(p)
	if nearest < 0 {
		return min(d, 0) - touching
	}
	allowance := farAllowance
	if d < f.outline.clearance {
		allowance = nearAllowance
	}
	return max(nearest-min(allowance, p.Norm()*f.sectors.increment), 0) - touching
}
