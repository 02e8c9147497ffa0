package fusion

import (
	"math"
	"strconv"
	"time"

	"sarathi/internal/algo/ekf"
	"sarathi/internal/rosconv"
	"sarathi/msg/diagnostic"
)

// report publishes what the filter knows about the gyro and about its inputs.
func (n *Node) report(now time.Time) {
	e, s := n.filter.Estimate(), n.filter.Stats()
	status := diagnostic.DiagnosticStatus{Name: "fusion", Message: "fusing"}
	switch {
	case !n.filter.Started():
		status.Level, status.Message = diagnostic.DiagnosticStatusWarn, "nothing arrives on /imu, /odom and /scan_match_pose"
	case now.Sub(e.Time) > time.Second:
		status.Level, status.Message = diagnostic.DiagnosticStatusWarn, "the newest input is more than a second old"
	}
	add := func(key, value string) {
		status.Values = append(status.Values, diagnostic.KeyValue{Key: key, Value: value})
	}
	float := func(key string, v float64) { add(key, strconv.FormatFloat(v, 'g', 6, 64)) }
	float("gyro_bias_rad_s", e.Bias)
	float("gyro_bias_sd_rad_s", math.Sqrt(e.BiasVar))
	float("odometry_slip", e.Slip)
	float("position_sd_m", math.Sqrt(e.Cov[0][0]+e.Cov[1][1]))
	float("heading_sd_rad", math.Sqrt(e.Cov[2][2]))
	for _, in := range []struct {
		name  string
		count func(ekf.Verdict) uint64
	}{
		{"imu", func(v ekf.Verdict) uint64 { return s.IMU[v] }},
		{"odom", func(v ekf.Verdict) uint64 { return s.Odometry[v] }},
		{"scan_match_pose", func(v ekf.Verdict) uint64 { return s.Corrections[v] }},
	} {
		for _, v := range ekf.Verdicts() {
			if k := in.count(v); k > 0 || v == ekf.Used {
				add(in.name+"_"+v.String(), strconv.FormatUint(k, 10))
			}
		}
	}
	add("restarts", strconv.FormatUint(s.Restarts, 10))
	n.diagnostics.Publish(diagnostic.DiagnosticArray{Header: rosconv.Header(now, ""), Status: []diagnostic.DiagnosticStatus{status}})
}
