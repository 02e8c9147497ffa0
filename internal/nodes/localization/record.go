package localization

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	algo "sarathi/internal/algo/localization"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/site"
	"sarathi/msg/stdsrvs"
)

// recordTime is how long tags are looked at.
const recordTime = 2 * time.Second

// What counts as standing still [m, rad]; the noise of odometry is below it.
const stillPlace, stillHeading = 0.05, 0.05

// recording are the tags seen while the robot stands still.
type recording struct {
	reply  answer
	limit  *node.Timer
	from   geom.Pose2 // by odometry
	file   string
	images map[string]*album
	saving bool
}

func (n *Node) onRecord(_ stdsrvs.TriggerRequest, reply answer) {
	refuse := func(text string) {
		n.refuse(text)
		reply(stdsrvs.TriggerResponse{Message: text}, nil)
	}
	switch {
	case n.record != nil:
		refuse("tags are being recorded already")
		return
	case n.deps.NoTags != nil:
		refuse(n.noTags())
		return
	case n.file == "":
		refuse("no site is loaded: load one (/site/load) or map one (/mapping/start)")
		return
	case !n.filter.Status().Localized:
		refuse("the robot is not localized: where the tags are cannot be known")
		return
	}
	n.message = ""
	n.record = &recording{reply: reply, from: n.odometry.pose, file: n.file, images: map[string]*album{}}
	n.record.limit = n.c.After(recordTime, n.save)
	n.look(n.c.Now())
}

// endRecord answers the recording that is going on, if there is one, that it has failed.
func (n *Node) endRecord(why string) {
	if n.record == nil || n.record.saving {
		return
	}
	r := n.record
	n.record = nil
	r.limit.Stop()
	n.message = "no tag was recorded: " + why
	r.reply(stdsrvs.TriggerResponse{Message: n.message}, nil)
}

// steady ends a recording when the robot moves or does not know where it is any more.
func (n *Node) steady() {
	if n.record == nil {
		return
	}
	step := n.record.from.Between(n.odometry.pose)
	switch {
	case step.Position().Norm() > stillPlace || math.Abs(step.Theta) > stillHeading:
		n.endRecord("the robot moved; it must stand still for 2 s")
	case !n.filter.Status().Localized:
		n.endRecord("localization was lost")
	}
}

// recordSighting keeps a sighting when tags are recorded.
func (n *Node) recordSighting(s algo.Sighting) {
	if n.record == nil || n.record.saving {
		return
	}
	a := n.record.images[s.Frame]
	if a == nil {
		a = &album{}
		n.record.images[s.Frame] = a
	}
	camera := n.filter.Status().Pose.Transform().Mul(s.BaseTcamera)
	a.add([2]geom.Transform{camera.Mul(s.Views[0].CameraTtag), camera.Mul(s.Views[1].CameraTtag)}, s.Ambiguity)
}

// save writes what was seen.
func (n *Node) save(time.Time) {
	var tags []site.Tag
	var said, left []string
	for _, frame := range slices.Sorted(maps.Keys(n.record.images)) {
		m, err := n.record.images[frame].mean(n.cfg.Certainty)
		if err != nil {
			left = append(left, frame+" is not recorded: "+err.Error())
			continue
		}
		tags = append(tags, site.Tag{Frame: frame, Pose: m.pose})
		said = append(said, fmt.Sprintf("%s (%d images, spread %.1f mm and %.2f° in yaw)", frame, m.count, m.place*1000, m.yaw*180/math.Pi))
	}
	switch {
	case len(tags) == 0 && len(left) == 0:
		n.endRecord("none with a frame is in view, or the tag detector is silent")
		return
	case len(tags) == 0:
		n.endRecord(strings.Join(left, "; "))
		return
	}
	r := n.record
	r.saving = true
	node.Go(n.c, diskCost, func(context.Context) ([]site.Tag, error) { return merge(n.deps.Sites, r.file, tags) }, func(all []site.Tag, err error) {
		n.record = nil
		if err != nil {
			n.message = "the tags are not saved: " + err.Error()
			r.reply(stdsrvs.TriggerResponse{Message: n.message}, nil)
			return
		}
		if n.file == r.file {
			n.setTags(all)
		}
		n.message = strings.Join(left, "; ")
		text := strings.Join(append([]string{"recorded " + strings.Join(said, ", ")}, left...), "; ")
		r.reply(stdsrvs.TriggerResponse{Success: true, Message: text}, nil)
	})
}

// merge puts tags among those of a file, and returns all.
func merge(sites *site.Store, file string, tags []site.Tag) ([]site.Tag, error) {
	all, _, err := sites.Tags(file)
	if err != nil {
		return nil, err
	}
	for _, t := range tags {
		if i := slices.IndexFunc(all, func(o site.Tag) bool { return o.Frame == t.Frame }); i >= 0 {
			all[i] = t
		} else {
			all = append(all, t)
		}
	}
	return all, sites.SaveTags(path.Dir(file), all)
}

// Bounds of what is recorded.
const (
	leastImages = 5
	mostSpread  = 0.05 // [m] deviation
	mostYaw     = 0.05 // [rad] deviation
	samePose    = 0.05 // [rad] between both poses of a tag: it does not matter which one it is
	leastRatio  = 1e-3 // of errors: what a single image can say
)

// album are the images of a tag by a robot that stands still. Both poses of the tag are the same in all images, but which of
// them fits better may change.
type album struct {
	poses    [2][]geom.Transform // in the map
	evidence float64             // for the first, as the logarithm of the ratio of the errors, summed
}

// add adds both poses by an image, the better one first, and the ratio of their errors.
func (a *album) add(p [2]geom.Transform, ambiguity float64) {
	says := -math.Log(max(ambiguity, leastRatio))
	if !(says >= 0) {
		says = 0
	}
	if len(a.poses[0]) > 0 && apart(p[0], a.poses[0][0])+apart(p[1], a.poses[1][0]) > apart(p[1], a.poses[0][0])+apart(p[0], a.poses[1][0]) {
		p[0], p[1] = p[1], p[0]
		says = -says
	}
	for i := range p {
		a.poses[i] = append(a.poses[i], p[i])
	}
	a.evidence += says
}

func apart(a, b geom.Transform) float64 { return a.R.Inverse().Mul(b.R).Angle() }

// mean is the result of an album.
type mean struct {
	pose       geom.Transform
	count      int
	place, yaw float64 // spread: standard deviations [m, rad]
}

// mean returns the pose that fits better, or why there is none. certainty is that of the filter: twice what the images say on average.
func (a *album) mean(certainty float64) (mean, error) {
	count := len(a.poses[0])
	if count < leastImages {
		return mean{}, fmt.Errorf("it was seen in %d images only", count)
	}
	both := [2]geom.Transform{average(a.poses[0]), average(a.poses[1])}
	better := 0
	if a.evidence < 0 {
		better = 1
	}
	if 2*math.Abs(a.evidence)/float64(count) < certainty && apart(both[0], both[1]) > samePose {
		return mean{}, errors.New("it could hang in two ways: look at it from nearer or more from aside")
	}
	m := mean{pose: both[better], count: count}
	for _, p := range a.poses[better] {
		m.place += math.Pow(p.T.Sub(m.pose.T).Norm(), 2) / float64(count)
		turn := p.R.Mul(m.pose.R.Inverse())
		m.yaw += math.Pow(geom.NormalizeAngle(2*math.Atan2(turn.Z, turn.W)), 2) / float64(count)
	}
	m.place, m.yaw = math.Sqrt(m.place), math.Sqrt(m.yaw)
	if m.place > mostSpread || m.yaw > mostYaw {
		return mean{}, fmt.Errorf("it is not steady (spread %.0f mm and %.1f° in yaw): go nearer and stand still", m.place*1000, m.yaw*180/math.Pi)
	}
	return m, nil
}

// average is the mean of poses that are near each other.
func average(poses []geom.Transform) (out geom.Transform) {
	first := poses[0].R
	var q geom.Quat
	for _, p := range poses {
		out.T = out.T.Add(p.T)
		r := p.R
		if r.X*first.X+r.Y*first.Y+r.Z*first.Z+r.W*first.W < 0 { // q and -q are one rotation
			r = geom.Quat{X: -r.X, Y: -r.Y, Z: -r.Z, W: -r.W}
		}
		q = geom.Quat{X: q.X + r.X, Y: q.Y + r.Y, Z: q.Z + r.Z, W: q.W + r.W}
	}
	out.T = out.T.Scale(1 / float64(len(poses)))
	out.R = q.Normalized()
	return out
}
