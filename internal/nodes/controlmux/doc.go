// Package controlmux is control_mux_node: the only node that commands the body. It translates messages into calls of
// [sarathi/internal/algo/arbitration], where every decision is made, and its answers into messages. docs/protocols/control-mux.md
// describes it from outside.
//
//	/control/nav_cmd_vel ───────────────┐                         ┌─► /{robot_ns}/cmd_vel       at once, and 50 Hz
//	/control/remote/handheld/cmd_vel ───┤                         ├─► /control/status           on change, and 10 Hz
//	/control/remote/dashboard/cmd_vel ──┤                         ├─► /control/navigation_pause remote, estop
//	/perception/safety_scan ────────────┼──► arbitration.Arbiter ─┴─► /navigation/resume        back in auto
//	/health/status ─────────────────────┤
//	/navigation/status ─────────────────┤    /control/set_mode
//	/control/navigation_started ────────┤    /control/estop/engage
//	/control/estop_request, body status ┘    /control/estop/release
//
// The node fails closed: its policy is halt, its last word is a zero with the e-stop engaged, and a body that hears nothing stops.
package controlmux
