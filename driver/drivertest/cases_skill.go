package drivertest

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"sarathi/driver"
)

// runnable are the skills of the body that end by themselves and leave it ready for the next one.
func (r *rig) runnable() []string {
	return slices.DeleteFunc(slices.Clone(r.caps.Skills), func(s string) bool {
		return s == driver.SkillEmergencyStop || s == driver.SkillSetJoints
	})
}

// ready makes the body stand, if that is a skill of its own.
func (r *rig) ready() {
	r.Helper()
	if slices.Contains(r.caps.Skills, driver.SkillStandUp) {
		r.stood++
		reqID := fmt.Sprintf("stand %d", r.stood)
		r.begin(driver.SkillStandUp, reqID, driver.SkillArgs{})
		r.final(driver.SkillStandUp, reqID)
	}
}

// begin asks for a skill that must be accepted.
func (r *rig) begin(name, reqID string, args driver.SkillArgs) {
	r.Helper()
	if err := r.Driver.Skill(r.now(), driver.SkillRequest{Name: name, Args: args, ReqID: reqID}); err != nil {
		r.Fatalf("skill %s: %v", name, err)
	}
}

// final waits for the end of a skill and returns it.
func (r *rig) final(name, reqID string) driver.SkillResult {
	r.Helper()
	var last driver.SkillResult
	ended := func() bool {
		if all := r.sink.resultsOf(reqID); len(all) > 0 {
			last = all[len(all)-1]
		}
		return last.Status.Final()
	}
	if took, ok := r.until(r.Patience, ended); !ok {
		r.Fatalf("skill %s has not ended after %v and %d results, the last is %+v", name, took, len(r.sink.resultsOf(reqID)), last)
	}
	return last
}

// mustFail ends a skill that runs by act; one that has ended before is left alone.
func (r *rig) mustFail(name, reqID string, act func()) {
	r.Helper()
	before := r.sink.resultsOf(reqID)
	ended := len(before) > 0 && before[len(before)-1].Status.Final()
	act()
	if end := r.final(name, reqID); r.stepper != nil && !ended && end.Status != driver.SkillFailed {
		r.Errorf("skill %s goes on to the end %s", name, end.Status)
	}
}

// checkLife asserts what must hold for the results of any request.
func (r *rig) checkLife(name string, results []driver.SkillResult) {
	r.Helper()
	progress := 0.0
	for i, s := range results {
		first, last := i == 0, i == len(results)-1
		switch {
		case first != (s.Status == driver.SkillAccepted):
			r.Errorf("skill %s: result %d is %s; the first one is accepted, and only that", name, i+1, s.Status)
		case last != s.Status.Final():
			r.Errorf("skill %s: result %d of %d is %s; the last one is done or failed, and only that", name, i+1, len(results), s.Status)
		case !first && !last && s.Status != driver.SkillRunning:
			r.Errorf("skill %s: result %d has status %q", name, i+1, s.Status)
		}
		if !(s.Progress >= progress && s.Progress <= 1) {
			r.Errorf("skill %s: progress %v after %v", name, s.Progress, progress)
		}
		progress = s.Progress
		if (s.Status == driver.SkillFailed) != (s.Err != "") {
			r.Errorf("skill %s: status %s with error %q", name, s.Status, s.Err)
		}
	}
}

// unknownSkill: what the body does not have is refused and never reported.
func unknownSkill(r *rig) {
	for _, name := range []string{"no_such_skill", "", "stand_up "} {
		err := r.Driver.Skill(r.now(), driver.SkillRequest{Name: name, ReqID: "unknown"})
		if !errors.Is(err, driver.ErrUnknownSkill) {
			r.Errorf("skill %q returns %v, want ErrUnknownSkill", name, err)
		}
	}
	r.wait(r.Settle)
	if got := r.sink.resultsOf("unknown"); len(got) > 0 {
		r.Errorf("a refused skill is reported: %+v", got)
	}
}

// skillsEndOnce: each skill is accepted, may tell of its progress, and ends exactly once.
func skillsEndOnce(r *rig) {
	for _, name := range r.runnable() {
		r.ready()
		reqID := "life of " + name
		r.begin(name, reqID, driver.SkillArgs{})
		r.final(name, reqID)
		r.wait(r.Settle / 4)
		r.checkLife(name, r.sink.resultsOf(reqID))
	}
}

// emergencyStopLatches: the skill is an e-stop under another name, at any time.
func emergencyStopLatches(r *rig) {
	if !slices.Contains(r.caps.Skills, driver.SkillEmergencyStop) {
		return
	}
	if r.mobile() {
		r.cruise(r.half())
	}
	r.stopTime(func() { r.begin(driver.SkillEmergencyStop, "stop 1", driver.SkillArgs{}) })
	r.mustLatch("")
	r.begin(driver.SkillEmergencyStop, "stop 2", driver.SkillArgs{})
	for i := range 2 {
		reqID := fmt.Sprintf("stop %d", i+1)
		if end := r.final(driver.SkillEmergencyStop, reqID); end.Status != driver.SkillDone {
			r.Errorf("emergency_stop ends with %+v", end)
		}
		r.checkLife(driver.SkillEmergencyStop, r.sink.resultsOf(reqID))
	}
	r.mustStay(r.fast(), r.Settle, "after emergency_stop")
	r.mustRelease()
}

// eStopEndsSkills: a skill that runs fails, and none but emergency_stop begins while latched.
func eStopEndsSkills(r *rig) {
	skills := r.runnable()
	if len(skills) == 0 {
		return
	}
	r.begin(skills[0], "cut", driver.SkillArgs{})
	r.mustFail(skills[0], "cut", func() { r.Driver.EStop(r.now(), "test") })
	r.mustLatch("test")
	for _, name := range skills {
		err := r.Driver.Skill(r.now(), driver.SkillRequest{Name: name, ReqID: "latched"})
		if !errors.Is(err, driver.ErrEStopped) {
			r.Errorf("skill %s while latched returns %v, want ErrEStopped", name, err)
		}
	}
	r.wait(r.Settle)
	r.checkLife(skills[0], r.sink.resultsOf("cut"))
	if got := r.sink.resultsOf("latched"); len(got) > 0 {
		r.Errorf("a refused skill is reported: %+v", got)
	}
}

// skillsAreCancelled: what runs ends with Failed, or has ended before, and nothing latches.
func skillsAreCancelled(r *rig) {
	c, ok := r.Driver.(driver.Canceler)
	if !ok {
		return
	}
	c.Cancel(r.now(), "nothing runs")
	for _, name := range r.runnable() {
		r.ready()
		reqID := "cancel " + name
		r.begin(name, reqID, driver.SkillArgs{})
		r.mustFail(name, reqID, func() { c.Cancel(r.now(), "test") })
		r.wait(r.step())
		r.checkLife(name, r.sink.resultsOf(reqID))
	}
	if r.sink.estop().Engaged {
		r.Errorf("cancelling engaged the e-stop: %+v", r.sink.estop())
	}
}

// joints: targets of a wrong shape are refused, others taken.
func joints(r *rig) {
	if !slices.Contains(r.caps.Skills, driver.SkillSetJoints) {
		return
	}
	n := r.caps.DOF
	bad := make([]float64, n)
	bad[n-1] = math.NaN()
	nan, open := math.NaN(), 0.5
	for name, args := range map[string]driver.SkillArgs{
		"none": {}, "too few": {Joints: make([]float64, n-1)}, "too many": {Joints: make([]float64, n+1)},
		"not finite": {Joints: bad}, "gripper not finite": {Joints: make([]float64, n), Gripper: &nan},
	} {
		err := r.Driver.Skill(r.now(), driver.SkillRequest{Name: driver.SkillSetJoints, Args: args, ReqID: "bad"})
		if !errors.Is(err, driver.ErrBadArgs) {
			r.Errorf("joints, %s: %v, want ErrBadArgs", name, err)
		}
	}
	r.ready()
	r.begin(driver.SkillSetJoints, "good", driver.SkillArgs{Joints: make([]float64, n), Gripper: &open})
	r.final(driver.SkillSetJoints, "good")
	r.checkLife(driver.SkillSetJoints, r.sink.resultsOf("good"))
	if got := r.sink.resultsOf("bad"); len(got) > 0 {
		r.Errorf("a refused skill is reported: %+v", got)
	}
}
