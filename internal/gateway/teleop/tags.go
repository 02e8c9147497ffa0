package teleop

import (
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/teleop"
)

// tagsAge is how long tags are shown after the image in which they were.
const tagsAge = time.Second

// tags are the AprilTags in the last image. Nobody looks for tags unless somebody wants them.
type tags struct {
	*bus.Subscription
	last []teleop.Tag
	at   time.Time // zero before the first image
}

func newTags(n *Node) *tags {
	t := &tags{}
	t.Subscription = bus.Subscribe(n.ctx, topics.Tags, func(m dharma.TagDetections) { t.last, t.at = tagsOf(&m), n.ctx.Now() })
	return t
}

// now returns the tags in view; nil when nobody looks for them.
func (t *tags) now(now time.Time) []teleop.Tag {
	if t == nil || t.at.IsZero() || now.Sub(t.at) > tagsAge {
		return nil
	}
	return t.last
}

func tagsOf(m *dharma.TagDetections) []teleop.Tag {
	out := make([]teleop.Tag, len(m.Detections))
	for i := range m.Detections {
		d := &m.Detections[i]
		out[i].ID = int(d.ID)
		for k, c := range d.Corners {
			out[i].Corners[k] = float64(c)
		}
	}
	return out
}
