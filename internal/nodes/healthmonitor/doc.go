// Package healthmonitor is the node health_monitor_node: it watches the robot's sensors and its computer and says how fast the
// robot may drive in that condition.
package healthmonitor
