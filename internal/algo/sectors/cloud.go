package sectors

import (
	"math"

	"sarathi/internal/geom"
)

// Cloud is what is kept of a point cloud: the nearest obstacle in each direction, and which directions have points at all. It is in
// base_link as that was when the cloud was taken. The zero value has seen nothing.
type Cloud struct {
	near  [bins]float64   // squared distance [m²]; 0: no obstacle
	point [bins]geom.Vec2 // the nearest obstacle
	seen  [bins]bool
	used  int
}

// ReadCloud replaces c by what the points say, given as x, y, z, x, y, z … [m] in the sensor's frame, which is mounted in base_link. It
// returns how many points were used: those that are finite and not on the robot.
func (v *View) ReadCloud(c *Cloud, xyz []float32, mount geom.Transform) int {
	*c = Cloud{}
	mount.R = mount.R.Normalized()
	x, y, z := mount.R.Rotate(geom.Vec3{X: 1}), mount.R.Rotate(geom.Vec3{Y: 1}), mount.R.Rotate(geom.Vec3{Z: 1})
	o, cfg := mount.T, &v.cfg
	for ; len(xyz) >= 3; xyz = xyz[3:] {
		a, b, h := float64(xyz[0]), float64(xyz[1]), float64(xyz[2])
		if a == 0 && b == 0 && h == 0 {
			continue // how lidars write "no return"
		}
		p := geom.Vec2{X: x.X*a + y.X*b + z.X*h + o.X, Y: x.Y*a + y.Y*b + z.Y*h + o.Y}
		height := x.Z*a + y.Z*b + z.Z*h + o.Z
		if d := p.X + p.Y + height; d-d != 0 || cfg.Self.Contains(p) {
			continue // d-d is not 0 when a coordinate is not finite
		}
		k := v.bin(p)
		c.used++
		c.seen[k] = true
		if height < cfg.ZMin || height > cfg.ZMax {
			continue
		}
		if r := p.Dot(p); c.near[k] == 0 || r < c.near[k] {
			c.near[k], c.point[k] = r, p
		}
	}
	return c.used
}

// AddCloud adds a cloud. moved is where base_link was when the cloud was taken, in base_link as it is now: the identity for a cloud of
// this instant. Add the scan first.
func (v *View) AddCloud(c *Cloud, moved geom.Pose2) {
	if c.used == 0 {
		return
	}
	vouch := int(v.cfg.MaxGap / 2 / binWidth)
	turn := int(math.Round(moved.Theta / binWidth))
	for k := range bins {
		if v.cfg.SilenceIsFree {
			v.seen[k] = true
		} else if c.seen[k] {
			for i := k - vouch; i <= k+vouch; i++ {
				v.seen[(i+turn+2*bins)%bins] = true
			}
		}
		if c.near[k] == 0 {
			continue
		}
		if moved == (geom.Pose2{}) {
			v.near[k] = min(v.near[k], c.near[k])
			continue
		}
		// The direction kept one point of all that it held, so the point stands for the directions beside it as well.
		p := moved.Apply(c.point[k])
		r, at := p.Dot(p), k
		if r > 0 {
			at = v.bin(p)
		}
		for i := at + bins - 1; i <= at+bins+1; i++ {
			v.near[i%bins] = min(v.near[i%bins], r)
		}
	}
}
