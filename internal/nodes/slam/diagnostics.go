package slam

import (
	"strconv"
	"time"

	"sarathi/internal/rosconv"
	"sarathi/msg/diagnostic"
)

// counts is what became of scans.
type counts struct {
	used      uint64
	refused   uint64 // by the engine: too few hits, a time that goes back
	malformed uint64 // no beams, angles that are not finite
	overrun   uint64 // dropped, since others waited longer than can wait
	blind     uint64 // matched without a fused pose of their time
}

func (n *Node) report(now time.Time) {
	status := diagnostic.DiagnosticStatus{Name: "slam", Message: "mapping"}
	switch {
	case n.counts.used == 0:
		status.Level, status.Message = diagnostic.DiagnosticStatusWarn, "no scan was used yet: is anything published on /scan?"
	case n.counts.blind == n.counts.used+n.counts.refused:
		status.Message = "mapping by scans alone: no /fused_pose"
	}
	for _, v := range []struct {
		key   string
		count uint64
	}{
		{"scans_used", n.counts.used},
		{"scans_refused", n.counts.refused},
		{"scans_malformed", n.counts.malformed},
		{"scans_overrun", n.counts.overrun},
		{"scans_without_fused_pose", n.counts.blind},
	} {
		status.Values = append(status.Values, diagnostic.KeyValue{Key: v.key, Value: strconv.FormatUint(v.count, 10)})
	}
	for _, v := range n.engine.Values() {
		status.Values = append(status.Values, diagnostic.KeyValue{Key: v.Key, Value: v.Value})
	}
	n.diagnostics.Publish(diagnostic.DiagnosticArray{Header: rosconv.Header(now, ""), Status: []diagnostic.DiagnosticStatus{status}})
}
