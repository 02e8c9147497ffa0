package topics

import "sarathi/internal/bus"

// ForClients returns the topics that clients of any gateway may publish. Every other declared topic belongs to its nodes: who
// could forge a scan, a transform or a status could blind the protective field or move the robot.
//
// A velocity that a client publishes goes to the control mux as that of a remote source, and stops with the client.
func ForClients() []bus.TopicInfo {
	return []bus.TopicInfo{
		EStopRequest.Info(), DashboardCmdVel.Info(), InitialPose.Info(), SayText.Info(), TourCommand.Info(),
	}
}
