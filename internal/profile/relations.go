package profile

import (
	"time"

	"sarathi/driver"
	"sarathi/internal/algo/arbitration"
	"sarathi/internal/config"
	"sarathi/internal/geom"
	"sarathi/internal/nodes/lidarsector"
	"sarathi/internal/nodes/pathfollower"
)

// Validate reports relations between parts of the profile that cannot hold. What is wrong with a part is that part's to
// say; a relation between parts that are wrong themselves is not looked at.
func (p Profile) Validate() error {
	if p.Robot.Validate() != nil || p.Control.Validate() != nil || p.Control.Ramp.Validate() != nil || p.Control.Field.Validate() != nil {
		return nil //nolint:nilerr // config.Decode reports the parts by themselves
	}
	var out config.Problems
	if _, err := arbitration.New(p.Control, p.Robot.Arbitration()); err != nil {
		out.Addf("control", "%v", err)
	}
	p.seesWhatItHits(&out)
	p.seesWhatItAvoids(&out)
	if p.Control.Field.Enabled && p.Body.Driver == DriverSimulated {
		p.stopsAsTheFieldBelieves(&out)
		p.scansForTheField(&out)
	}
	return out.Err()
}

// seesWhatItHits wants every place that the self filter blanks out to lie within the footprint. What is outside of the
// footprint and inside of the filter is an obstacle that the robot can hit and that nothing sees.
func (p Profile) seesWhatItHits(out *config.Problems) {
	outline, self := p.Robot.Outline(), p.Sectors.Self
	if covers(outline, box(self)) {
		return
	}
	b := outline.Bounds()
	out.Addf("sectors.self", "the box x %g..%g, y %g..%g reaches beyond robot.footprint (x %g..%g, y %g..%g): an obstacle between them is "+
		"ignored as part of the robot and could be hit: make the box smaller or the footprint larger",
		self.XMin, self.XMax, self.YMin, self.YMax, b.Min.X, b.Max.X, b.Min.Y, b.Max.Y)
}

// seesWhatItAvoids wants sectors for a follower that steers around obstacles: without them it would wait for them for ever.
func (p Profile) seesWhatItAvoids(out *config.Problems) {
	avoids := p.Follower.Avoid != pathfollower.AvoidNothing
	out.Require(!avoids || p.Body.Driver != DriverHAL, "follower.avoid",
		"%s needs a scan, which no HAL agent sends, so that navigation would never move: write %s", p.Follower.Avoid, pathfollower.AvoidNothing)
}

// box returns the outline of a self filter, counter-clockwise.
func box(b lidarsector.Box) geom.Polygon {
	return geom.Polygon{{X: b.XMax, Y: b.YMax}, {X: b.XMin, Y: b.YMax}, {X: b.XMin, Y: b.YMin}, {X: b.XMax, Y: b.YMin}}
}

// covers reports whether inner, which is convex, lies within outer. It shrinks inner by a hair, so that outlines may touch.
func covers(outer, inner geom.Polygon) bool {
	const hair = 1e-6 // m
	shrunk := make(geom.Polygon, len(inner))
	centre := inner.Bounds().Min.Add(inner.Bounds().Max).Scale(0.5)
	for i, c := range inner {
		shrunk[i] = c.Add(centre.Sub(c).Scale(hair))
	}
	for i := range outer {
		if shrunk.IntersectsSegment(outer.Edge(i)) {
			return false
		}
	}
	return outer.Contains(shrunk[0])
}

// stopsAsTheFieldBelieves wants the simulated body to brake at least as hard, and to answer at least as fast, as the
// protective field counts on.
func (p Profile) stopsAsTheFieldBelieves(out *config.Problems) {
	field, s := p.Control.Field, p.Simulated
	for i, axis := range []string{"forwards", "sideways"} {
		if p.Robot.Drive == string(driver.Omni) && i == 1 {
			continue // wheels at an angle brake alike in all directions, by decel[0]
		}
		out.Require(p.Robot.Limits[i] == 0 || s.Decel[i] >= field.Deceleration, "control.field.deceleration",
			"%g m/s² is more than the body brakes with %s (simulated.decel[%d] is %g m/s²): lower it, or obstacles are reached before the stand",
			field.Deceleration, axis, i, s.Decel[i])
	}
	out.Require(p.Robot.Limits[2] == 0 || s.Decel[2] >= field.AngularDeceleration, "control.field.angular_deceleration",
		"%g rad/s² is more than the body brakes a turn with (simulated.decel[2] is %g rad/s²): lower it, or obstacles are reached before the stand",
		field.AngularDeceleration, s.Decel[2])
	out.Require(field.Latency >= s.Latency+s.Lag, "control.field.latency",
		"%v is less than the body takes to follow (simulated.latency and simulated.lag are %v together): raise it",
		field.Latency, s.Latency+s.Lag)
}

// scansForTheField wants every sensor that the sectors are made of, as often as they are needed: without one of them no
// safety scan is made and the robot never moves.
func (p Profile) scansForTheField(out *config.Problems) {
	for _, s := range []struct {
		key     string
		used    bool
		rate    float64
		within  time.Duration
		limit   string
		sensors string
	}{
		{"scan", p.Sectors.Scan, p.Simulated.Scan.Rate, p.Control.Field.ScanTimeout, "control.field.scan_timeout", "simulated.scan.rate"},
		{"cloud", p.Sectors.Cloud, p.Simulated.Points.Rate, p.cloudTimeout(), "sectors.cloud_max_age", "simulated.points.rate"},
	} {
		switch {
		case !s.used:
		case s.rate == 0:
			out.Addf("sectors."+s.key, "is used and the body has none (%s is 0), so the protective field would stop the robot for ever: "+
				"write false, or give the body one", s.sensors)
		case time.Duration(float64(time.Second)/s.rate) >= s.within:
			out.Addf(s.sensors, "%g Hz is too slow: the protective field wants news within %v (%s), or the robot never moves",
				s.rate, s.within, s.limit)
		}
	}
}

// cloudTimeout is how old the cloud may become: with a scan, which dates the sectors, cloud_max_age.
func (p Profile) cloudTimeout() time.Duration {
	if p.Sectors.Scan {
		return p.Sectors.CloudMaxAge
	}
	return p.Control.Field.ScanTimeout
}
