package localization

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	algo "sarathi/internal/algo/localization"
	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/site"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
)

const (
	lookPeriod  = 100 * time.Millisecond // of looking whether tags can matter
	viewAge     = time.Second            // after which what the camera showed is old
	mostWaiting = 8                      // images that odometry has not got to
	diskCost    = 5 * time.Millisecond   // of reading or writing tags, in virtual time
)

// view is what the camera showed last.
type view struct {
	seen []string  // frames of tags, in sorted order
	at   time.Time // arrival, by the bus
}

// frames returns what is in view now.
func (v *view) frames(now time.Time) []string {
	if age := now.Sub(v.at); age < 0 || age > viewAge {
		return []string{}
	}
	return slices.Clone(v.seen)
}

// look has the camera searched for tags while they can matter.
func (n *Node) look(time.Time) {
	wanted := len(n.tags) > 0 || n.filter.Status().Localized || n.start != nil || n.record != nil
	switch {
	case wanted && n.images == nil:
		n.images = bus.Subscribe(n.c, topics.Tags, n.onTags)
	case !wanted && n.images != nil:
		n.images.Cancel()
		n.images, n.waiting = nil, nil
	}
	n.publishChange()
}

// onTags keeps an image until odometry has got to its time: the robot may have moved since the last odometry.
func (n *Node) onTags(m dharma.TagDetections) {
	seen := map[string]bool{}
	for i := range m.Detections {
		if f := m.Detections[i].Frame; f != "" {
			seen[f] = true
		}
	}
	n.view = view{slices.Sorted(maps.Keys(seen)), n.c.Bus().Now()}
	if len(n.waiting) == mostWaiting {
		n.waiting = slices.Delete(n.waiting, 0, 1)
	}
	n.waiting = append(n.waiting, m)
	n.catchUp()
	n.publishChange()
}

// catchUp uses the images that odometry has got to.
func (n *Node) catchUp() {
	for len(n.waiting) > 0 && !rosconv.FromStamp(n.waiting[0].Header.Stamp).After(n.odometry.at) {
		m := n.waiting[0]
		n.waiting = slices.Delete(n.waiting, 0, 1)
		n.useImage(&m)
	}
}

// useImage corrects the estimate by the tags of an image, and gives them to whoever waits for them.
func (n *Node) useImage(m *dharma.TagDetections) {
	if n.start != nil {
		n.start.images++
	}
	camera, ok := n.between(n.deps.Base, m.Header.FrameID)
	if !ok {
		return
	}
	for i := range m.Detections {
		s, err := sighting(m, i, camera)
		if err != nil {
			continue
		}
		n.recordSighting(s)
		var known bool
		if s.MapTtag, known = n.tags[s.Frame]; !known {
			n.start.noteUnknown(s.Frame)
			continue
		}
		err = n.filter.Tag(s, dharma.LocalizationStatusSourceTagPrefix+s.Frame)
		n.startSaw(s.Frame, err)
		if err != nil && !errors.Is(err, algo.ErrRefused) {
			n.c.Log().Debug("a tag is not used", "frame", s.Frame, "reason", err)
		}
	}
	n.publishChange()
}

// What a tag lacks that localizes nobody.
var (
	errNoPose = errors.New("it has no frame or no pose")
	errCutOff = errors.New("the image shows a part of it only")
)

// sighting is a tag of an image, without where it is recorded.
func sighting(m *dharma.TagDetections, i int, camera geom.Transform) (algo.Sighting, error) {
	d := &m.Detections[i]
	if d.Frame == "" || !d.HasPose {
		return algo.Sighting{}, errNoPose
	}
	for _, c := range d.Corners {
		if !(c >= 0 && c <= 1) { // a corner that nobody sees is a guess, and near a tag a bad one
			return algo.Sighting{}, errCutOff
		}
	}
	s := algo.Sighting{
		Stamp: rosconv.FromStamp(m.Header.Stamp), Frame: d.Frame, BaseTcamera: camera, Ambiguity: float64(d.Ambiguity),
	}
	for k, p := range []*geometry.PoseWithCovariance{&d.Pose, &d.Flipped} {
		pose, err := rosconv.FromPose(p.Pose)
		if err != nil {
			return algo.Sighting{}, err
		}
		s.Views[k].CameraTtag = pose
		for a := range 6 {
			copy(s.Views[k].Covariance[a][:], p.Covariance[6*a:6*a+6])
		}
	}
	return s, nil
}

func (n *Node) onLoad(r dharma.LoadFileRequest, reply func(dharma.LoadFileResponse, error)) {
	file, err := n.inside(r.File)
	if err != nil {
		reply(dharma.LoadFileResponse{Message: err.Error()}, nil)
		return
	}
	n.load(file, func(text string, err error) {
		if err != nil {
			text = err.Error()
		}
		reply(dharma.LoadFileResponse{Success: err == nil, Message: text}, nil)
	})
}

// onSite loads the tags of the active site when nobody has told which ones: a node that was started anew is not told again.
func (n *Node) onSite(m dharma.SiteStatus) {
	if n.loads == 0 && m.Site != "" {
		n.load(path.Join(m.Site, "tags.json"), func(string, error) {})
	}
}

// load reads tags away from the loop and takes them, unless others were asked for meanwhile.
func (n *Node) load(file string, done func(text string, err error)) {
	n.loads++
	load := n.loads
	type loaded struct {
		tags  []site.Tag
		notes []string
	}
	node.Go(n.c, diskCost, func(context.Context) (out loaded, err error) {
		out.tags, out.notes, err = n.deps.Sites.Tags(file)
		return out, err
	}, func(l loaded, err error) {
		if load != n.loads {
			done("", errors.New("other tags were asked for meanwhile"))
			return
		}
		if n.file != file {
			n.endRecord("another site was loaded meanwhile")
		}
		n.file = file
		n.setTags(l.tags)
		if err != nil {
			n.file = ""
			n.refuse("there are no tags: " + err.Error())
			done("", err)
			return
		}
		done(strings.Join(append([]string{fmt.Sprintf("%s: %d tags", file, len(l.tags))}, l.notes...), "; "), nil)
	})
}

// inside returns the name of a file relative to the sites folder.
func (n *Node) inside(file string) (string, error) {
	if !filepath.IsAbs(file) {
		return path.Clean(filepath.ToSlash(file)), nil
	}
	relative, err := filepath.Rel(n.deps.SitesDir, file)
	if err != nil || !filepath.IsLocal(relative) {
		return "", fmt.Errorf("%s is not inside the sites folder %s", file, n.deps.SitesDir)
	}
	return filepath.ToSlash(relative), nil
}

// setTags makes tags those of the site.
func (n *Node) setTags(tags []site.Tag) {
	n.tags = make(map[string]geom.Transform, len(tags))
	for _, t := range tags {
		n.tags[t.Frame] = t.Pose
	}
	n.showTags()
	n.look(n.c.Now())
}
