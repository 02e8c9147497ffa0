package pathfollower

import (
	"fmt"
	"time"

	"sarathi/internal/algo/follower"
	"sarathi/internal/algo/route"
	"sarathi/internal/rosconv"
	"sarathi/msg/dharma"
)

// readPath turns a message into a path, or says why it cannot be one.
func (n *Node) readPath(m *dharma.WaypointPath) (follower.Path, error) {
	if f := m.Header.FrameID; f != "" && f != n.deps.Frame {
		return follower.Path{}, fmt.Errorf("the path is in frame %s: give it in %s", f, n.deps.Frame)
	}
	if len(m.Points) > route.MaxPoints {
		return follower.Path{}, fmt.Errorf("%d points are too many: the limit is %d", len(m.Points), route.MaxPoints)
	}
	p := follower.Path{Name: m.Name, Loop: m.Loop, Stamp: rosconv.FromStamp(m.Header.Stamp)}
	for _, w := range m.Points {
		if w.DwellSec > route.MaxDwell {
			return follower.Path{}, fmt.Errorf("a stop of %g s is too long: the limit is %d s", w.DwellSec, route.MaxDwell)
		}
		p.Points = append(p.Points, route.Point{X: w.X, Y: w.Y, Yaw: w.Yaw, Dwell: w.DwellSec})
	}
	return p, nil
}

// tell publishes the status.
func (n *Node) tell(now time.Time) {
	s := n.follow.Status()
	reasons := s.Reasons
	if reasons == nil {
		reasons = []string{}
	}
	message := s.Message
	if message == "" && n.follow.Active() {
		message = n.advise.why
	}
	n.told = now
	n.shown = dharma.NavigationStatus{
		Header: rosconv.Header(now, n.deps.Frame), State: string(s.State), Message: message, ErrorCode: code(s.State),
		PauseReasons: reasons, Path: s.Path, Index: int32(s.Index), Total: uint32(s.Total), NextStop: int32(s.NextStop), Lap: uint32(s.Lap),
		Remaining: float32(s.Remaining), CrossTrack: float32(s.CrossTrack), DwellLeft: float32(s.DwellLeft.Seconds()),
		SpeedTarget: float32(s.Speed), SpeedMin: float32(n.cfg.SpeedMin), SpeedMax: float32(n.cfg.SpeedMax),
	}
	n.status.Publish(n.shown)
}

// code is Nav2's number for a state that is a failure.
func code(s follower.State) uint16 {
	switch s {
	case follower.Failed:
		return dharma.NavigationStatusErrorFailedToMakeProgress
	case follower.Blocked:
		return dharma.NavigationStatusErrorPatienceExceeded
	case follower.OffPath:
		return dharma.NavigationStatusErrorInvalidPath
	default:
		return dharma.NavigationStatusErrorNone
	}
}
