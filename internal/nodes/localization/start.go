package localization

import (
	"fmt"
	"math"
	"time"

	"sarathi/internal/node"
	"sarathi/msg/stdsrvs"
)

// startLimit is how long a start waits for a tag before it answers.
const startLimit = 5 * time.Second

type answer = func(stdsrvs.TriggerResponse, error)

// start is a start that waits for a tag, and what has come so far.
type start struct {
	reply   answer
	limit   *node.Timer
	images  int    // that were searched
	unknown string // frame of a tag that is not recorded
	refused error  // why the last known tag did not localize the robot
}

func (n *Node) onStart(_ stdsrvs.TriggerRequest, reply answer) {
	n.endStart(false, "localization was started again")
	refuse := func(text string) {
		n.refuse(text)
		reply(stdsrvs.TriggerResponse{Message: text}, nil)
	}
	switch {
	case n.deps.NoTags != nil:
		refuse(n.noTags())
		return
	case n.file == "":
		refuse("no site is loaded: load one (/site/load) or map one (/mapping/start)")
		return
	case len(n.tags) == 0:
		refuse("the site has no tags: record them (/localization/record_tags) or give a pose estimate")
		return
	case n.odometry.at.IsZero():
		refuse("there is no odometry yet: wait for the robot, or see why its odometry is silent")
		return
	}
	n.message, n.wished = "", false
	n.filter.Start()
	n.start = &start{reply: reply, limit: n.c.After(startLimit, func(time.Time) {
		text := n.start.why() + "; the next known tag in view localizes the robot"
		n.message, n.wished = text, true
		n.endStart(false, text)
	})}
	n.look(n.c.Now())
}

// startSaw notes what the filter made of a known tag.
func (n *Node) startSaw(frame string, err error) {
	switch {
	case n.start == nil:
		if err == nil && n.wished {
			n.message, n.wished = "", false
		}
	case err != nil:
		n.start.refused = err
	default:
		p := n.filter.Status().Pose
		n.endStart(true, fmt.Sprintf("localized by %s at x %.2f m, y %.2f m, %.0f°", frame, p.X, p.Y, p.Theta*180/math.Pi))
	}
}

// endStart answers the start that waits, if there is one.
func (n *Node) endStart(ok bool, message string) {
	if n.start == nil {
		return
	}
	s := n.start
	n.start = nil
	s.limit.Stop()
	s.reply(stdsrvs.TriggerResponse{Success: ok, Message: message}, nil)
}

// noteUnknown notes a tag that is not recorded.
func (s *start) noteUnknown(frame string) {
	if s != nil {
		s.unknown = frame
	}
}

// why says why no tag has localized the robot.
func (s *start) why() string {
	switch {
	case s.images == 0:
		return "no image has come from tag_detector_node: it does not run, or the camera is silent"
	case s.refused != nil:
		return s.refused.Error()
	case s.unknown != "":
		return s.unknown + " is in view, but it is not recorded on this site"
	}
	return fmt.Sprintf("no tag is in view (%d images)", s.images)
}
