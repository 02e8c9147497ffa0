package localization

import (
	"cmp"
	"math"
	"reflect"
	"time"

	"sarathi/internal/rosconv"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
)

// statusPeriod is how often the status is told when nothing has happened.
const statusPeriod = 500 * time.Millisecond

// publishChange tells the status at once when it says something else than before, apart from numbers that always change.
func (n *Node) publishChange() {
	m := n.describe()
	same := func(s dharma.LocalizationStatus) []any {
		return []any{s.State, s.Source, s.Message, s.KnownTags, s.TagsInView}
	}
	if !reflect.DeepEqual(same(m), same(n.told)) {
		n.tell(m)
	}
}

func (n *Node) publish() { n.tell(n.describe()) }

func (n *Node) tell(m dharma.LocalizationStatus) {
	if m.State != n.told.State {
		n.c.Log().Info("localization", "state", m.State, "source", m.Source, "message", m.Message)
	}
	n.told = m
	n.status.Publish(m)
}

func (n *Node) describe() dharma.LocalizationStatus {
	s := n.filter.Status()
	m := dharma.LocalizationStatus{
		Header: rosconv.Header(n.odometry.at, n.deps.Map), State: dharma.LocalizationStatusStateNone,
		Source:         cmp.Or(s.Source, dharma.LocalizationStatusSourceNone),
		Message:        cmp.Or(s.Message, n.message),
		PositionStddev: float32(math.NaN()), YawStddev: float32(math.NaN()),
		LastCorrection: rosconv.Stamp(s.Corrected), Corrections: s.Corrections, Rejected: s.Rejected,
		KnownTags: uint32(len(n.tags)), TagsInView: n.view.frames(n.c.Bus().Now()),
	}
	if s.Localized {
		m.State = dharma.LocalizationStatusStateLocalized
		m.Pose = geometry.Pose2D{X: s.Pose.X, Y: s.Pose.Y, Theta: s.Pose.Theta}
		m.PositionStddev = float32(math.Sqrt(s.Covariance[0][0] + s.Covariance[1][1]))
		m.YawStddev = float32(math.Sqrt(s.Covariance[2][2]))
	} else if m.Message == "" && n.deps.NoTags != nil && len(n.tags) > 0 {
		m.Message = n.noTags()
	}
	return m
}

// noTags says why tags are of no use on this computer.
func (n *Node) noTags() string { return "tags cannot be seen: " + n.deps.NoTags.Error() }
