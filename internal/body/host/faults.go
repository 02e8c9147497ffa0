package host

import (
	"slices"
	"time"

	"sarathi/driver"
	"sarathi/msg/diagnostic"
)

const (
	maxFaults   = 32          // remembered; more push out the oldest
	repeatFault = time.Second // a fault that lasts is published this often
)

// faultLog remembers the faults that a body reported, one for each code.
type faultLog struct {
	memory time.Duration
	list   []remembered // newest first
}

type remembered struct {
	driver.Fault
	seen, published time.Time
}

// add remembers a fault and reports whether it is to be published: it is new, it changed, or it has lasted for a while.
func (l *faultLog) add(now time.Time, f driver.Fault) (publish bool) {
	r := remembered{Fault: f, seen: now, published: now}
	publish = true
	if i := slices.IndexFunc(l.list, func(o remembered) bool { return o.Code == f.Code }); i >= 0 {
		old := l.list[i]
		if age := now.Sub(old.published); old.Fault == f && age >= 0 && age < repeatFault {
			publish, r.published = false, old.published
		}
		l.list = slices.Delete(l.list, i, i+1)
	}
	l.list = slices.Insert(l.list, 0, r)
	l.list = l.list[:min(len(l.list), maxFaults)]
	return publish
}

// expire forgets what is older than the memory and reports whether there was anything. A clock that went back forgets nothing.
func (l *faultLog) expire(now time.Time) bool {
	before := len(l.list)
	l.list = slices.DeleteFunc(l.list, func(r remembered) bool { return now.Sub(r.seen) >= l.memory })
	return len(l.list) != before
}

// texts are the faults for the status, newest first.
func (l *faultLog) texts() []string {
	out := make([]string, len(l.list))
	for i, r := range l.list {
		out[i] = r.Severity.String() + ": " + r.Message
	}
	return out
}

// diagnostics is a fault as ROS tools show it.
func diagnostics(kind string, f driver.Fault) diagnostic.DiagnosticStatus {
	level := diagnostic.DiagnosticStatusError
	switch f.Severity {
	case driver.Info:
		level = diagnostic.DiagnosticStatusOk
	case driver.Warning:
		level = diagnostic.DiagnosticStatusWarn
	case driver.Error, driver.Critical:
	}
	return diagnostic.DiagnosticStatus{
		Level: level, Name: "body: " + f.Code, Message: f.Message, HardwareID: kind,
		Values: []diagnostic.KeyValue{{Key: "severity", Value: f.Severity.String()}},
	}
}
