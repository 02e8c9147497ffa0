// Package arbitration decides what velocity the body is sent: the pure core of the control mux, through which every motion of the
// robot passes. Each input is a method of [Arbiter] that takes the time and returns an [Output]; nothing here reads a clock, blocks,
// logs or allocates in the steady state.
//
// # The way of a command
//
//	source ─► selected? ─► finite? ─► clamp ─► protective field ─► ramp ─► speed scale ─► body limits ─► body
//	  time-out, arming     zero, not            (package field)            (health)
//	  e-stop               refreshed
//
// The scale multiplies what the ramp aims at rather than what comes out of it. In the steady state that is the same; when the scale
// changes, the acceleration limits hold, and the ramp always continues from what was really sent. A scale of zero is zero at once.
//
// # Who may move the robot
//
// Exactly one source owns each output: navigation in mode auto, the selected remote source in mode remote.
//
//	auto     navigation, once it was started or resumed (NavigationStarted) after boot, after remote driving, and after an e-stop
//	remote   handheld or dashboard, once it sent three neutral commands in a row: after it was selected, after a time-out, after
//	         garbage, after an e-stop
//
// Selecting remote and engaging the e-stop ask for navigation to be paused (Output.PauseNavigation). Back in auto, navigation is asked
// to resume (Output.ResumeNavigation) if selecting remote was what paused it; after an e-stop only a person resumes it.
//
// # When zero is sent at once, past the ramp
//
//	e-stop engaged               on the same call, then on every tick until it is released
//	mode or source selected      also when it is the same one
//	source silent                remote 0.3 s, navigation 0.5 s, counted so that the zero is out within that time, not a tick after it
//	source sends garbage         NaN or an infinity: counts as silence
//	navigation paused, stopped   its last command must not stay on the wire
//	field stop, stale, blind     see package field
//	speed scale 0                or not a number
//	clock jump                   backwards, or by more than MaxStep: nothing received before counts any more
//
// Loss of a source is a hard zero rather than a ramp: the layer promises zero within its time-out, and the body limits the jerk. A
// source that still talks and asks for less is followed down the ramp.
//
// # E-stop
//
//	released ──EngageEStop, Hold──► engaged ──ReleaseEStop, nothing held──► released, disarmed, navigation not started
//
// Requests are events: they are listed and cleared by the release. Causes that are held (pressed hardware, latched body, fault of the
// mux) refuse the release as long as they last. Nothing else releases.
package arbitration
