// Package healthmonitor is the node health_monitor_node: it watches the robot's sensors and its computer and says how fast the
// robot may drive in that condition.
//
//	publications of the sensors (counted, not subscribed) ─┐
//	/{robot_ns}/battery ───────────────────────────────────┼─► Assessor ─► /health/status (latched, 1 Hz) ─► control mux, displays
//	Probe: CPU, memory, disk, temperature (off the loop) ──┘
//
// A check has a limit at which its issue is raised, at once, and another at which it is over, after 3 s beyond it. Between the two,
// and while a value is unknown, the issue stays as it is. The worst issue gives the level, the slowest the speed scale:
//
//	check        raised when                                          over when          level         speed scale
//	sensor rate  below 80 % of the minimum, over the last 3 s          at 90 % or more    warn; error   1; slow_scale for
//	                                                                                     when silent   safety_scan
//	temperature  above temp_slow (85 °C)                               5 °C below that    warn          slow_scale (0.5)
//	             above temp_stop (95 °C)                               5 °C below that    error         0
//	memory       above memory_max (92 %)                               2 % below that     warn          1
//	disk         below disk_min (5 GB)                                 10 % above that    warn          1
//	battery      below battery_low (20 %) and not charging             5 % above that,    warn          1
//	                                                                   or it charges
//	unreadable   a value that was known is unknown in three checks     it is known        warn          1
//
// Processor use, load and graphics are shown and not judged: a robot that plans hard is not ill.
//
// A sensor is judged when start_grace has passed since its watch began: at the start, and for the camera, which is computed only
// while somebody subscribes to it, whenever somebody begins to. A minimum of 0 takes a sensor off the watch. That a scan is too old to
// drive on is not decided here but by the mux, which stops by itself.
//
// A value that this computer has never told (graphics off a Jetson, temperature in a container) is NaN and no issue.
package healthmonitor
