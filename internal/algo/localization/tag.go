package localization

import (
	"fmt"
	"math"
	"time"

	"sarathi/internal/geom"
)

// View is one pose of a tag, as the camera sees it.
type View struct {
	CameraTtag geom.Transform // optical frame: x right, y down, z ahead; tag: x right, y down, z into the tag
	// Covariance of translation [m] and rotation vector [rad] in the optical frame, about the centre of the tag.
	Covariance [6][6]float64
}

// Sighting is a tag in an image.
type Sighting struct {
	Stamp       time.Time
	Frame       string
	MapTtag     geom.Transform // where it is recorded
	BaseTcamera geom.Transform // where the camera sits
	Views       [2]View        // the one that fits the image better, and the flipped one
	Ambiguity   float64        // error of the first by the error of the second, 0 to 1
}

// candidate is where a view puts the robot.
type candidate struct {
	pose  geom.Pose2
	cov   Covariance
	level bool
}

// denied is the ambiguity below which the picture denies the flipped pose.
const denied = 0.4

// Tag fuses a sighting. An error that matches [ErrRefused] is normal: it says why the sighting changed nothing. source is the name under which it is reported.
func (f *Filter) Tag(s Sighting, source string) error {
	moved, err := f.since(s.Stamp)
	if err != nil {
		return err
	}
	var c [2]candidate
	for i := range c {
		c[i] = f.candidate(&s, s.Views[i])
	}
	if !c[0].pose.IsFinite() || !c[1].pose.IsFinite() {
		return ErrNotFinite
	}
	if !f.localized || f.started {
		return f.vote(&s, c, moved, source)
	}
	// The view that is nearer to the estimate; and not if the picture denies it.
	var best innovation
	chosen := -1
	for i := range c {
		if !c[i].level {
			continue
		}
		if in := f.innovation(c[i].pose, c[i].cov, moved); in.ok && (chosen < 0 || in.distance < best.distance) {
			best, chosen = in, i
		}
	}
	switch {
	case chosen < 0:
		f.rejected++
		f.contradict(s.Stamp, source+" would have the robot lie on its side")
		return fmt.Errorf("%w: the robot would not stand level", ErrRefused)
	case chosen == 1 && s.Ambiguity < denied && c[0].level:
		best = f.innovation(c[0].pose, c[0].cov, moved)
	}
	return f.fuse(s.Stamp, best, source)
}

// candidate returns where a view puts the robot, with the covariance that comes of the image and of how well the place of the tag is known.
func (f *Filter) candidate(s *Sighting, v View) candidate {
	place := func(cameraTtag geom.Transform) geom.Transform {
		return s.MapTtag.Mul(cameraTtag.Inverse()).Mul(s.BaseTcamera.Inverse())
	}
	at := place(v.CameraTtag)
	out := candidate{pose: at.Pose2()}
	roll, pitch, _ := at.R.RPY()
	out.level = math.Abs(roll) <= f.cfg.maxTilt() && math.Abs(pitch) <= f.cfg.maxTilt()
	const h = 1e-5
	var j [3][6]float64
	for k := range 6 {
		var d [6]float64
		d[k] = h
		p := place(nudged(v.CameraTtag, d)).Pose2()
		j[0][k], j[1][k], j[2][k] = (p.X-out.pose.X)/h, (p.Y-out.pose.Y)/h, geom.AngleDiff(p.Theta, out.pose.Theta)/h
	}
	for a := range 3 {
		for b := range 3 {
			for k := range 6 {
				for l := range 6 {
					out.cov[a][b] += j[a][k] * v.Covariance[k][l] * j[b][l]
				}
			}
		}
	}
	// A tag that is recorded with a wrong heading turns the robot about the tag.
	arm := geom.Pose2{X: s.MapTtag.T.X, Y: s.MapTtag.T.Y}
	out.cov = sum(out.cov, sandwich(carry(arm, out.pose), diagonal(f.cfg.TagPlace, f.cfg.tagAngle())))
	return out
}

// nudged moves a transform by a small translation and rotation vector, both in the parent frame.
func nudged(t geom.Transform, d [6]float64) geom.Transform {
	turn := geom.Quat{X: d[3] / 2, Y: d[4] / 2, Z: d[5] / 2, W: 1}.Normalized()
	return geom.Transform{T: t.T.Add(geom.Vec3{X: d[0], Y: d[1], Z: d[2]}), R: turn.Mul(t.R)}
}
