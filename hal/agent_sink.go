package hal

import (
	"sarathi/driver"
	"sarathi/internal/idl"
)

// agentSink is an Agent as its driver sees it. Its methods may be called from within the driver's methods, with the lock of a Stepper
// held: they take the agent's lock only, which is never held while the driver is called.
type agentSink Agent

var _ driver.Sink = (*agentSink)(nil)

// Publish implements driver.Sink. The stream that gives the beat sends telemetry, so that a body that falls silent is silent on the wire.
func (k *agentSink) Publish(s driver.Stream, m idl.Message) {
	a := (*Agent)(k)
	now := a.now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.report.take(m) && a.beats && s == a.beat {
		a.tellLocked(now)
	}
}

// SkillResult implements driver.Sink. What belongs to a controller that is gone is nobody's.
func (k *agentSink) SkillResult(r driver.SkillResult) {
	a := (*Agent)(k)
	a.mu.Lock()
	defer a.mu.Unlock()
	run := a.skills[r.ReqID]
	if run == nil {
		return
	}
	if r.Status.Final() {
		delete(a.skills, r.ReqID)
	}
	if run.session != a.session {
		return
	}
	f := SkillResult{ID: run.id, ReqID: run.reqID, Status: r.Status, Err: r.Err}
	if finite(r.Progress) {
		p := min(max(r.Progress, 0), 1)
		f.Progress = &p
	}
	a.session.link.out.put(f)
}

// Fault implements driver.Sink.
func (k *agentSink) Fault(f driver.Fault) {
	a := (*Agent)(k)
	now := a.now()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.report.fault(now, f.Code)
	if a.session != nil {
		a.session.link.out.offer(Fault{ID: a.id, Fault: f})
	}
}

// EStop implements driver.Sink. The handler latches with the driver. What a controller latched only a controller releases.
func (k *agentSink) EStop(e driver.EStopState) {
	a := (*Agent)(k)
	now := a.now()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.latch = e
	switch {
	case e.Engaged:
		a.guard.EStop(e.Reason)
		a.control = false
		if a.session != nil && !a.latched { // telemetry has no reason
			a.session.link.out.offer(Fault{ID: a.id, Fault: driver.Fault{Code: codeEStop, Message: e.Reason, Severity: driver.Critical}})
		}
	case !a.latched:
		_, _ = a.guard.Release() // it is never held: what holds is the driver's to know
	}
	a.tellLocked(now)
}

// Wanted implements driver.Sink: HAL carries nothing that is expensive.
func (k *agentSink) Wanted(driver.Stream) bool { return false }
