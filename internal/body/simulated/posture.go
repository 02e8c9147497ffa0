package simulated

import (
	"fmt"
	"slices"
	"time"

	"sarathi/driver"
)

// pose is how the body stands.
type pose string

const (
	standing pose = "standing"
	sitting  pose = "sitting"
	locked   pose = "locked" // standing with stiff joints
)

// progressPeriod is how often a skill that runs reports its progress.
const progressPeriod = 200 * time.Millisecond

// posture is the body's state as far as skills change it. Times are simulated.
type posture struct {
	cfg     Config
	pose    pose
	speed   string // name of the speed skill that holds
	running *task
	joints  []float64 // set by setJoints, nil when the legs do as they like
	results func(driver.SkillResult)
}

// task is a skill that runs.
type task struct {
	req      driver.SkillRequest
	began    time.Duration
	duration time.Duration
	told     time.Duration // when its progress was reported
}

func newPosture(c Config, results func(driver.SkillResult)) *posture {
	return &posture{cfg: c, pose: standing, speed: driver.SkillNormal, results: results}
}

// gate is what the posture lets through of a command.
func (p *posture) gate() gate {
	switch {
	case p.running != nil:
		return gate{closed: p.running.req.Name + " is running"}
	case p.pose == sitting:
		return gate{closed: "it sits: call stand_up first"}
	case p.pose == locked:
		return gate{closed: "its joints are locked: call move_mode first"}
	}
	scale := p.cfg.Speeds.Normal
	switch p.speed {
	case driver.SkillSlow:
		scale = p.cfg.Speeds.Slow
	case driver.SkillFast:
		scale = p.cfg.Speeds.Fast
	}
	return gate{scale: scale}
}

// height is how far the body is up, 0 sitting to 1 standing, for its legs.
func (p *posture) height(now time.Duration) float64 {
	target := 1.0
	if p.pose == sitting {
		target = 0
	}
	if t := p.running; t != nil {
		switch part := t.progress(now); {
		case t.req.Name == driver.SkillStandUp && p.pose == sitting:
			return part
		case t.req.Name == driver.SkillSitDown && p.pose != sitting:
			return 1 - part
		}
	}
	return target
}

func (t *task) progress(now time.Duration) float64 {
	if t.duration <= 0 {
		return 1
	}
	return min(max(float64(now-t.began)/float64(t.duration), 0), 1)
}

// begin starts a skill, or says why not. moving tells whether the body moves.
func (p *posture) begin(now time.Duration, req driver.SkillRequest, moving bool) error {
	duration, err := p.duration(req)
	if err != nil {
		return err
	}
	if p.running != nil {
		return fmt.Errorf("%w: %s", driver.ErrBusy, p.running.req.Name)
	}
	if p.isGesture(req.Name) || req.Name == driver.SkillSetJoints {
		switch {
		case p.pose != standing:
			return fmt.Errorf("%w: it is %s, call stand_up first", driver.ErrNotReady, p.pose)
		case moving:
			return fmt.Errorf("%w: it moves, stop it first", driver.ErrNotReady)
		}
	}
	p.report(req, driver.SkillAccepted, 0, "")
	p.running = &task{req: req, began: now, duration: duration, told: now}
	if duration == 0 {
		p.end()
	}
	return nil
}

// duration is how long a skill that the body has takes; an error refuses it.
func (p *posture) duration(req driver.SkillRequest) (time.Duration, error) {
	if i := slices.IndexFunc(p.cfg.Gestures, func(g Gesture) bool { return g.Name == req.Name }); i >= 0 {
		return p.cfg.Gestures[i].Duration, nil
	}
	switch req.Name {
	case driver.SkillStandUp:
		if p.pose == standing {
			return 0, nil
		}
		return p.cfg.StandTime, nil
	case driver.SkillSitDown:
		if p.pose == sitting {
			return 0, nil
		}
		return p.cfg.StandTime, nil
	case driver.SkillSetJoints:
		return jointTime, p.checkJoints(req.Args)
	case driver.SkillMoveMode, driver.SkillBalanceStand, driver.SkillLock:
		if p.pose == sitting {
			return 0, fmt.Errorf("%w: it sits, call stand_up first", driver.ErrNotReady)
		}
	}
	return 0, nil
}

func (p *posture) isGesture(name string) bool {
	return slices.ContainsFunc(p.cfg.Gestures, func(g Gesture) bool { return g.Name == name })
}

// jointTime is how long the legs take to new joint angles.
const jointTime = 500 * time.Millisecond

func (p *posture) checkJoints(a driver.SkillArgs) error {
	want := len(p.cfg.Joints.Legs) * jointsPerLeg
	if len(a.Joints) != want {
		return fmt.Errorf("%w: %d joints, want %d", driver.ErrBadArgs, len(a.Joints), want)
	}
	all := slices.Clone(a.Joints)
	if a.Gripper != nil {
		all = append(all, *a.Gripper)
	}
	for _, v := range all {
		if v-v != 0 {
			return fmt.Errorf("%w: %v is not finite", driver.ErrBadArgs, v)
		}
	}
	return nil
}

// step lets the skill that runs go on.
func (p *posture) step(now time.Duration) {
	t := p.running
	switch {
	case t == nil:
	case now-t.began >= t.duration:
		p.end()
	case now-t.told >= progressPeriod:
		t.told = now
		p.report(t.req, driver.SkillRunning, t.progress(now), "")
	}
}

// end completes the skill that runs.
func (p *posture) end() {
	t := p.running
	p.running = nil
	switch t.req.Name {
	case driver.SkillStandUp, driver.SkillMoveMode, driver.SkillBalanceStand:
		p.pose, p.joints = standing, nil
	case driver.SkillSitDown:
		p.pose, p.joints = sitting, nil
	case driver.SkillLock:
		p.pose = locked
	case driver.SkillSlow, driver.SkillNormal, driver.SkillFast:
		p.speed = t.req.Name
	case driver.SkillSetJoints:
		p.joints = slices.Clone(t.req.Args.Joints)
	}
	p.report(t.req, driver.SkillDone, 1, "")
}

// cancel gives up the skill that runs.
func (p *posture) cancel(now time.Duration, why string) {
	if t := p.running; t != nil {
		p.running = nil
		p.report(t.req, driver.SkillFailed, t.progress(now), why)
	}
}

func (p *posture) report(req driver.SkillRequest, s driver.SkillStatus, progress float64, why string) {
	p.results(driver.SkillResult{ReqID: req.ReqID, Status: s, Progress: progress, Err: why})
}
