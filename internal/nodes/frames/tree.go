package frames

import (
	"math"
	"slices"

	"sarathi/internal/geom"
)

// placed is one link as it is published: parentTchild.
type placed struct {
	parent, child string
	tf            geom.Transform
}

// jointed is a link that turns.
type jointed struct {
	placed // with the joint at zero
	joint  string
	axis   geom.Vec3 // of unit length
}

// tree is what a Config says, ready to be published.
type tree struct {
	static []placed
	moving []jointed
}

// newTree lays out a valid Config.
func newTree(c Config) tree {
	var t tree
	sensor, _ := c.InBase(c.OdometryLink) // a valid Config has the link
	t.static = append(t.static,
		placed{c.Names.Odom, c.Names.CameraInit, sensor},
		placed{c.Names.Body, c.Names.BaseLink, sensor.Inverse()})
	for _, l := range c.Links {
		at := placed{l.Parent, l.Name, l.transform()}
		if l.Joint == "" {
			t.static = append(t.static, at)
			continue
		}
		axis := geom.Vec3{X: l.Axis[0], Y: l.Axis[1], Z: l.Axis[2]}
		t.moving = append(t.moving, jointed{at, l.Joint, axis.Scale(1 / axis.Norm())})
	}
	return t
}

func (l Link) transform() geom.Transform {
	const rad = math.Pi / 180
	return geom.Transform{
		T: geom.Vec3{X: l.XYZ[0], Y: l.XYZ[1], Z: l.XYZ[2]},
		R: geom.FromRPY(l.RPYDeg[0]*rad, l.RPYDeg[1]*rad, l.RPYDeg[2]*rad),
	}
}

// at is the link with its joint at an angle [rad].
func (j jointed) at(angle float64) placed {
	s, c := math.Sincos(angle / 2)
	turn := geom.Quat{X: s * j.axis.X, Y: s * j.axis.Y, Z: s * j.axis.Z, W: c}
	out := j.placed
	out.tf = j.tf.Mul(geom.Transform{R: turn})
	return out
}

// turned returns the moving links of the joints that are named with a finite position, in the order of the configuration.
func (t *tree) turned(names []string, positions []float64) []placed {
	var out []placed
	for _, m := range t.moving {
		for i, name := range names {
			if name == m.joint && i < len(positions) && geom.Finite(positions[i]) {
				out = append(out, m.at(positions[i]))
				break
			}
		}
	}
	return out
}

// InBase returns where a link sits in base_link when all joints are at zero, and whether there is such a link. base_link is one.
func (c Config) InBase(link string) (geom.Transform, bool) {
	at := geom.IdentityTransform()
	for range len(c.Links) + 1 {
		if link == c.Names.BaseLink {
			return at, true
		}
		i := slices.IndexFunc(c.Links, func(l Link) bool { return l.Name == link })
		if i < 0 {
			return geom.Transform{}, false
		}
		at = c.Links[i].transform().Mul(at)
		link = c.Links[i].Parent
	}
	return geom.Transform{}, false // the links go in a circle
}
