package planner

import (
	"errors"
	"fmt"
	"math"
	"time"

	"sarathi/internal/algo/planner"
	"sarathi/internal/geom"
	"sarathi/internal/rosconv"
	"sarathi/msg/dharma"
	"sarathi/msg/stdsrvs"
)

// errReplaced is why a goal is not walked to.
var errReplaced = errors.New("another goal took its place")

// onGoTo plans, loads the path and starts. It answers when the robot is on its way, or why not.
func (n *Node) onGoTo(r dharma.GoToRequest, reply func(dharma.GoToResponse, error)) {
	refuse := func(err error) { reply(dharma.GoToResponse{Message: err.Error(), ErrorCode: code(err)}, nil) }
	goal := geom.Pose2{X: r.X, Y: r.Y, Theta: r.Yaw}
	wasWalking := n.mission.walking()
	n.mission.begin(goal, r.Goal)
	number := n.mission.number
	fail := func(err error) {
		if number == n.mission.number {
			if wasWalking { // it must not go on to the goal before
				n.end(dharma.PlannerStatusStateFailed, code(err), err.Error())
			} else {
				n.mission.end(dharma.PlannerStatusStateFailed, code(err), err.Error())
				n.tell()
			}
		}
		refuse(err)
	}
	n.tell()
	from, err := n.here()
	if err != nil {
		fail(err)
		return
	}
	n.find(job{from, goal, func(p planner.Path, took time.Duration, err error) {
		switch {
		case number != n.mission.number:
			refuse(errReplaced)
		case err != nil:
			fail(err)
		default:
			n.mission.took = took
			n.walk(p, true, func(err error) {
				switch {
				case number != n.mission.number:
					refuse(errReplaced)
				case err != nil:
					fail(err)
				default:
					n.mission.message = "on the way to " + n.mission.name
					n.tell()
					reply(dharma.GoToResponse{Success: true, Message: n.mission.message, Length: float32(p.Length)}, nil)
				}
			})
		}
	}})
}

// walk gives the follower a path and, for a new goal, starts it.
func (n *Node) walk(p planner.Path, start bool, done func(error)) {
	number := n.mission.number
	n.setPath.Call(dharma.SetPathRequest{Path: n.waypoints(p)}, callTimeout, func(r dharma.SetPathResponse, err error) {
		switch {
		case number != n.mission.number:
			done(errReplaced)
		case err != nil:
			done(fmt.Errorf("load the path: %w", err))
		case !r.Success:
			done(fmt.Errorf("load the path: %s", r.Message))
		default:
			n.mission.path, n.mission.left = p, p.Length
			n.showPath()
			if !start {
				done(nil)
				return
			}
			n.start.Call(stdsrvs.TriggerRequest{}, callTimeout, func(r stdsrvs.TriggerResponse, err error) {
				if err == nil && !r.Success {
					err = errors.New(r.Message)
				}
				if err == nil && number == n.mission.number {
					n.mission.state = dharma.PlannerStatusStateFollowing
				}
				done(err)
			})
		}
	})
}

// waypoints is a path as the follower takes it.
func (n *Node) waypoints(p planner.Path) dharma.WaypointPath {
	out := dharma.WaypointPath{Header: rosconv.Header(n.c.Now(), n.deps.Frame), Name: n.mission.name}
	for _, q := range p.Poses {
		out.Points = append(out.Points, dharma.Waypoint{X: q.X, Y: q.Y, Yaw: q.Theta})
	}
	return out
}

// onNavigation takes in how far the follower is.
func (n *Node) onNavigation(s dharma.NavigationStatus) {
	was, left := n.mission.state, n.mission.left
	n.mission.followed(&s)
	if n.mission.state != was {
		n.showPath()
		n.c.Log().Info("goal ended", "state", n.mission.state, "message", n.mission.message)
	}
	if n.mission.state != was || math.Abs(n.mission.left-left) >= 0.05 {
		n.tell()
	}
}

// look holds the way ahead against the costmap.
func (n *Node) look(now time.Time) {
	m := &n.mission
	if m.state != dharma.PlannerStatusStateFollowing || n.costs == nil {
		return
	}
	here, err := n.here()
	if err != nil {
		return // the follower waits for it, too
	}
	at, blocked := planner.Blocked(n.costs, m.path.Poses, nearest(m.path.Poses, here), n.cfg.LookAhead)
	if !blocked {
		if !m.blocked.IsZero() {
			m.blocked, m.message = time.Time{}, "on the way to "+m.name
			n.tell()
		}
		return
	}
	m.state, m.message = dharma.PlannerStatusStateReplanning, fmt.Sprintf("the way is blocked in %.1f m", at)
	n.tell()
	number := m.number
	n.find(job{here, m.goal, func(p planner.Path, took time.Duration, err error) {
		if number == n.mission.number {
			n.replanned(now, p, took, err)
		}
	}})
}

// replanned takes the new path, or goes on with the old one for as long as patience lasts.
func (n *Node) replanned(now time.Time, p planner.Path, took time.Duration, err error) {
	m := &n.mission
	if err != nil {
		if m.blocked.IsZero() {
			m.blocked = now
		}
		if now.Sub(m.blocked) >= n.cfg.Patience {
			n.end(dharma.PlannerStatusStateFailed, code(err), fmt.Sprintf("the way has been blocked for %s: %s", n.cfg.Patience, err))
			return
		}
		m.state, m.message = dharma.PlannerStatusStateFollowing, "the way is blocked, and there is no other yet"
		n.tell()
		return
	}
	m.took, m.blocked = took, time.Time{}
	m.replans++
	number := m.number
	n.walk(p, false, func(err error) {
		if number != n.mission.number {
			return
		}
		if err != nil {
			n.end(dharma.PlannerStatusStateFailed, dharma.PlannerStatusErrorNoValidPath, err.Error())
			return
		}
		m.state, m.message = dharma.PlannerStatusStateFollowing, "on another way to "+m.name
		n.tell()
	})
}

// nearest is the point of a path nearest to a pose.
func nearest(path []geom.Pose2, pose geom.Pose2) int {
	best, at := math.Inf(1), 0
	for i, p := range path {
		if d := p.Position().Distance(pose.Position()); d < best {
			best, at = d, i
		}
	}
	return at
}
