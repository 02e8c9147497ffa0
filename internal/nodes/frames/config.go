package frames

import (
	"fmt"
	"math"
	"regexp"

	"sarathi/internal/config"
)

// Config describes the frames of a robot.
type Config struct {
	Names        Names  `doc:"names of the frames that nodes speak of"`
	OdometryLink string `doc:"link whose motion lidar odometry reports"`
	Links        []Link `doc:"parts of the robot, each below base_link or another part"`
}

// Names are the frames from the map down to the robot.
type Names struct {
	Map        string `doc:"the site's map; tags, points of interest and routes are in it"`
	Odom       string `doc:"where the robot was switched on, drifting, without jumps"`
	CameraInit string `doc:"where the odometry link stood when lidar odometry began"`
	Body       string `doc:"the odometry link, as lidar odometry sees it"`
	BaseLink   string `doc:"the robot: x forward, y left, z up"`
}

// Link is one part of the robot and where it sits.
type Link struct {
	Name   string     `doc:"frame of the part"`
	Parent string     `doc:"frame it is fixed to"`
	XYZ    [3]float64 `doc:"place of its origin in the parent" unit:"m"`
	RPYDeg [3]float64 `doc:"its orientation: roll, pitch, yaw about the fixed axes of the parent (URDF)"`
	Joint  string     `doc:"joint in joint_states that turns it; empty for a part that does not move"`
	Axis   [3]float64 `doc:"axis of the joint, in the link's own frame"`
}

// DefaultNames returns the names of specification 002.
func DefaultNames() Names {
	return Names{Map: "map", Odom: "odom", CameraInit: "camera_init", Body: "body", BaseLink: "base_link"}
}

// DefaultConfig returns the frames of a quadruped with a lidar on its head and a camera in its front.
func DefaultConfig() Config {
	return Config{
		Names:        DefaultNames(),
		OdometryLink: "livox_imu_frame",
		Links: []Link{
			{Name: "livox_frame", Parent: "base_link", XYZ: [3]float64{0.2, 0, 0.2}},
			{Name: "livox_imu_frame", Parent: "livox_frame"},
			{Name: "scan_frame", Parent: "base_link", XYZ: [3]float64{0.2, 0, 0.15}},
			{Name: "front_camera_link", Parent: "base_link", XYZ: [3]float64{0.38, 0, 0.1}},
			{Name: "front_camera_optical_frame", Parent: "front_camera_link", RPYDeg: [3]float64{-90, 0, -90}},
			{Name: "imu_link", Parent: "base_link"},
			{Name: "ultrasound_front", Parent: "base_link", XYZ: [3]float64{0.4, 0, -0.05}},
			{Name: "ultrasound_rear", Parent: "base_link", XYZ: [3]float64{-0.4, 0, -0.05}, RPYDeg: [3]float64{0, 0, 180}},
			{Name: "leg_front_left", Parent: "base_link", XYZ: [3]float64{0.22, 0.1, 0}},
			{Name: "leg_front_right", Parent: "base_link", XYZ: [3]float64{0.22, -0.1, 0}},
			{Name: "leg_rear_left", Parent: "base_link", XYZ: [3]float64{-0.22, 0.1, 0}},
			{Name: "leg_rear_right", Parent: "base_link", XYZ: [3]float64{-0.22, -0.1, 0}},
		},
	}
}

// Bounds of a description.
const (
	maxLinks  = 256
	maxOffset = 10.0 // [m]; farther is a wrong unit
)

// Validate reports every link that does not fit into one tree below base_link.
func (c Config) Validate() error {
	var p config.Problems
	c.Names.validate(&p)
	p.IntInRange("links", len(c.Links), 0, maxLinks)
	parents := c.validateLinks(&p)
	if p.Err() == nil {
		c.validateTree(&p, parents)
	}
	return p.Err()
}

func (n Names) validate(p *config.Problems) {
	taken := map[string]string{}
	for _, f := range n.keyed() {
		frameName(p, "names."+f.key, f.name)
		p.Require(taken[f.name] == "", "names."+f.key, "%q is also the name of %s: give each frame its own", f.name, taken[f.name])
		taken[f.name] = f.key
	}
}

type keyed struct{ key, name string }

func (n Names) keyed() []keyed {
	return []keyed{{"map", n.Map}, {"odom", n.Odom}, {"camera_init", n.CameraInit}, {"body", n.Body}, {"base_link", n.BaseLink}}
}

// frameName wants a name that other programs can use: tf2 forbids a leading slash, RViz chokes on blanks.
func frameName(p *config.Problems, path, name string) {
	if !regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]{0,63}$`).MatchString(name) {
		p.Addf(path, "%q is not a frame name: write letters, digits and _ . / -, and no slash at the start", name)
	}
}

// validateLinks looks at each link for itself and returns the parents of all.
func (c Config) validateLinks(p *config.Problems) map[string]string {
	parents := map[string]string{}
	joints := map[string]bool{}
	for i, l := range c.Links {
		at := fmt.Sprintf("links[%d].", i)
		frameName(p, at+"name", l.Name)
		for _, f := range c.Names.keyed() {
			p.Require(l.Name != f.name, at+"name", "%s is the frame names.%s: give the link another name", l.Name, f.key)
		}
		_, twice := parents[l.Name]
		p.Require(!twice, at+"name", "%s is listed twice: a frame has one parent", l.Name)
		parents[l.Name] = l.Parent
		for axis := range 3 {
			p.InRange(fmt.Sprintf("%sxyz[%d]", at, axis), l.XYZ[axis], -maxOffset, maxOffset, "m")
			p.InRange(fmt.Sprintf("%srpy_deg[%d]", at, axis), l.RPYDeg[axis], -360, 360, "deg")
		}
		if l.Joint == "" {
			continue
		}
		p.Require(!joints[l.Joint], at+"joint", "%s turns another link already: a joint turns one link", l.Joint)
		joints[l.Joint] = true
		if p.Finite(at+"axis", l.Axis[:]...) {
			length := math.Hypot(math.Hypot(l.Axis[0], l.Axis[1]), l.Axis[2])
			p.Require(length > 1e-3, at+"axis", "has no direction: write the axis that joint %s turns about, such as [0, 1, 0]", l.Joint)
		}
	}
	return parents
}

// validateTree follows every link up to base_link.
func (c Config) validateTree(p *config.Problems, parents map[string]string) {
	for i, l := range c.Links {
		at := fmt.Sprintf("links[%d].parent", i)
		if _, known := parents[l.Parent]; !known && l.Parent != c.Names.BaseLink {
			p.Addf(at, "%q is no link: write %s or the name of another link", l.Parent, c.Names.BaseLink)
			continue
		}
		up := l.Parent
		for steps := 0; up != c.Names.BaseLink && up != ""; steps++ {
			if up == l.Name || steps > len(c.Links) {
				p.Addf(at, "%s is below itself: the parents must lead to %s", l.Name, c.Names.BaseLink)
				break
			}
			up = parents[up]
		}
	}
	if _, known := parents[c.OdometryLink]; !known && c.OdometryLink != c.Names.BaseLink {
		p.Addf("odometry_link", "%q is no link: write the name of one, or %s", c.OdometryLink, c.Names.BaseLink)
		return
	}
	joint := map[string]string{}
	for _, l := range c.Links {
		joint[l.Name] = l.Joint
	}
	for up, steps := c.OdometryLink, 0; up != c.Names.BaseLink && up != "" && steps <= len(c.Links); up, steps = parents[up], steps+1 {
		p.Require(joint[up] == "", "odometry_link", "%s hangs on joint %s: lidar odometry needs a link that does not move", c.OdometryLink, joint[up])
	}
}
