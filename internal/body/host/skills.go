package host

import (
	"fmt"
	"slices"
	"time"

	"sarathi/driver"
	"sarathi/internal/node"
	"sarathi/msg/stdsrvs"
)

// skill is a request that runs. Its caller has its answer when reply is nil.
type skill struct {
	name, reqID string
	reply       func(stdsrvs.TriggerResponse, error)
	late        *node.Timer
}

// services are the skills that a Trigger can ask for: all but those that need arguments. emergency_stop is always there.
func services(caps driver.Capabilities) []string {
	out := slices.DeleteFunc(slices.Clone(caps.Skills), func(s string) bool { return s == driver.SkillSetJoints })
	if !slices.Contains(out, driver.SkillEmergencyStop) {
		out = append(out, driver.SkillEmergencyStop)
	}
	return out
}

// begin asks the body for a skill. The caller is answered when it ends, or after the time-out with the news that it still runs.
func (n *Node) begin(name string, reply func(stdsrvs.TriggerResponse, error)) {
	n.requests++
	s := &skill{name: name, reqID: fmt.Sprintf("%s#%d", name, n.requests), reply: reply}
	n.running = append(n.running, s)
	if err := n.driver.Skill(n.ctx.Now(), driver.SkillRequest{Name: name, ReqID: s.reqID}); err != nil {
		n.forget(s)
		reply(stdsrvs.TriggerResponse{Message: fmt.Sprintf("%s: %v", name, err)}, nil)
		return
	}
	s.late = n.ctx.After(n.cfg.SkillTimeout, func(time.Time) {
		n.answer(s, true, fmt.Sprintf("%s still runs after %v", name, n.cfg.SkillTimeout))
	})
	n.publishStatus()
}

// onSkillResult takes news of a skill. Those of others, who call the driver directly, are not ours.
func (n *Node) onSkillResult(r driver.SkillResult) {
	i := slices.IndexFunc(n.running, func(s *skill) bool { return s.reqID == r.ReqID })
	if i < 0 || !r.Status.Final() {
		return
	}
	s := n.running[i]
	n.forget(s)
	if r.Status == driver.SkillDone {
		n.answer(s, true, s.name+": done")
	} else {
		n.answer(s, false, s.name+": "+r.Err)
	}
	n.publishStatus()
}

// answer answers the caller of a skill once.
func (n *Node) answer(s *skill, success bool, message string) {
	if s.reply == nil {
		return
	}
	s.late.Stop()
	s.reply(stdsrvs.TriggerResponse{Success: success, Message: message}, nil)
	s.reply = nil
}

func (n *Node) forget(s *skill) {
	n.running = slices.DeleteFunc(n.running, func(o *skill) bool { return o == s })
}

// present is the skill to show in the status: the one that began last.
func (n *Node) present() string {
	if len(n.running) == 0 {
		return ""
	}
	return n.running[len(n.running)-1].name
}
