package sim

import (
	"fmt"

	"sarathi/internal/algo/tag36h11"
	"sarathi/internal/geom"
	"sarathi/internal/sim/scenes"
)

// Cells across a tag: the black square with its data, and the white margin around it.
const (
	tagCells   = 8
	tagMargin  = 1
	tagOverall = tagCells + 2*tagMargin
)

// tag is an AprilTag on an upright surface.
type tag struct {
	scenes.Tag
	normal geom.Vec2 // the direction it faces
	code   uint64
}

func newTags(list []scenes.Tag) []tag {
	out := make([]tag, len(list))
	for i, t := range list {
		yaw := scenes.Pose{YawDeg: t.YawDeg}.Pose2().Theta
		code, ok := tag36h11.Code(t.ID)
		if !ok {
			panic(fmt.Sprintf("sim: tag %d is not in the family, although scenes hold only tags that are", t.ID))
		}
		out[i] = tag{t, geom.Vec2{X: 1}.Rotate(yaw), code}
	}
	return out
}

// right is the direction along the tag that is right for who looks at it.
func (t *tag) right() geom.Vec2 { return geom.Vec2{X: -t.normal.Y, Y: t.normal.X} }

// overall is the edge of the tag with its margin [m].
func (t *tag) overall() float64 { return t.Size * tagOverall / tagCells }

// pose is the tag's frame in the map as AprilTag defines it: x right, y down and z into the tag for who looks at it.
func (t *tag) pose() geom.Transform {
	// The turn of a tag that faces along x: its x is y, its y is down, its z is back.
	facing := geom.Quat{X: -0.5, Y: -0.5, Z: 0.5, W: 0.5}
	return geom.Transform{T: geom.Vec3{X: t.X, Y: t.Y, Z: t.Z}, R: geom.FromYaw(t.normal.Angle()).Mul(facing)}
}

// white reports the colour of the tag at a point of its plane, measured from its centre to the right and down [m]; false when
// the point lies outside.
func (t *tag) white(right, down float64) (white, inside bool) {
	cell := t.Size / tagCells
	column, row := right/cell+tagOverall/2, down/cell+tagOverall/2
	if column < 0 || row < 0 || column >= tagOverall || row >= tagOverall {
		return false, false
	}
	c, r := int(column)-tagMargin, int(row)-tagMargin
	switch {
	case c < 0 || r < 0 || c >= tagCells || r >= tagCells:
		return true, true // margin
	case c == 0 || r == 0 || c == tagCells-1 || r == tagCells-1:
		return false, true // frame
	}
	const data = tagCells - 2
	return t.code>>(data*data-1-((r-1)*data+c-1))&1 == 1, true
}

// TagTruth is where a tag hangs.
type TagTruth struct {
	ID   int
	Size float64 // edge of the black square [m]
	// Pose is the tag's frame in the map as AprilTag defines it: origin in the centre, x right, y down, z into the tag for who
	// looks at it.
	Pose geom.Transform
}

// Tags are all tags in the order of the scene.
func (w *World) Tags() []TagTruth {
	out := make([]TagTruth, len(w.tags))
	for i := range w.tags {
		t := &w.tags[i]
		out[i] = TagTruth{t.ID, t.Size, t.pose()}
	}
	return out
}

// TagView is a tag as a perfect detector would see it.
type TagView struct {
	ID   int
	Size float64 // edge of the black square [m]
	// Corners of the black square in pixels: counter-clockwise from the lower left, for who looks at the tag.
	Corners [4]geom.Vec2
	Pose    geom.Transform // the tag's frame in the optical frame of the camera
}

// minFacing is the cosine of the steepest angle at which a tag can be read: 75° from its normal.
const minFacing = 0.26

// VisibleTags are the tags that the camera shows whole, unobstructed, not too slanted, and at least MinTag pixels wide, in the
// order of the scene. False when the robot has no camera, or it is silent.
func (r *Robot) VisibleTags() ([]TagView, bool) {
	if r.camera == nil || r.faults[SensorCamera] == FaultSilent {
		return nil, false
	}
	var out []TagView
	if r.faults[SensorCamera] == FaultNaN {
		return out, true
	}
	optical := r.opticalPose()
	for i := range r.world.tags {
		if v, ok := r.viewTag(&r.world.tags[i], optical); ok {
			out = append(out, v)
		}
	}
	return out, true
}

func (r *Robot) viewTag(t *tag, optical geom.Transform) (TagView, bool) {
	ray := geom.Vec2{X: t.X, Y: t.Y}.Sub(optical.T.XY())
	if -ray.Dot(t.normal) < minFacing*ray.Norm() {
		return TagView{}, false
	}
	v := TagView{ID: t.ID, Size: t.Size, Pose: optical.Inverse().Mul(t.pose())}
	h := t.Size / 2
	k := r.camera.spec.Intrinsics()
	pose := t.pose()
	for i, c := range [4]geom.Vec3{{X: -h, Y: h}, {X: h, Y: h}, {X: h, Y: -h}, {X: -h, Y: -h}} {
		pixel, ok := k.Project(v.Pose.Apply(c))
		if !ok || !k.Contains(pixel) || !r.world.sees(optical.T, pose.Apply(c), r, 0.02) {
			return TagView{}, false
		}
		v.Corners[i] = pixel
	}
	for i := range v.Corners {
		if v.Corners[i].Distance(v.Corners[(i+1)%4]) < r.camera.spec.MinTag {
			return TagView{}, false
		}
	}
	return v, true
}
