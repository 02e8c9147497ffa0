package profile

import (
	"time"

	"sarathi/internal/algo/localization"
	"sarathi/internal/body/host"
	"sarathi/internal/body/rosrobot"
	"sarathi/internal/body/simulated"
	"sarathi/internal/gateway/rosbridge"
	"sarathi/internal/gateway/teleop"
	"sarathi/internal/nodes/controlmux"
	"sarathi/internal/nodes/frames"
	"sarathi/internal/nodes/healthmonitor"
	"sarathi/internal/nodes/lidarsector"
	"sarathi/internal/nodes/odometrymonitor"
	"sarathi/internal/nodes/pathfollower"
	"sarathi/internal/nodes/planner"
	"sarathi/internal/nodes/routerecorder"
	"sarathi/internal/nodes/scheduler"
	"sarathi/internal/nodes/sitecontent"
	"sarathi/internal/nodes/sitemanager"
	"sarathi/internal/nodes/tagdetector"
)

// Default returns the profile that files override: a simulated Molly.
func Default() Profile {
	body, sim := simulated.Molly()
	sectors := lidarsector.DefaultConfig()
	sectors.Cloud = true // the scan passes over whatever is lower than half a metre, such as a coffee table
	// The outline is the box in which the lidar takes everything for the robot itself: what cannot be seen must not be hit.
	footprint := make([][2]float64, 0, 4)
	for _, c := range box(sectors.Self) {
		footprint = append(footprint, [2]float64{c.X, c.Y})
	}
	return Profile{
		Robot: Robot{
			Name: "Molly", Kind: body.Kind, Drive: string(body.Drive), Namespace: "robot",
			Limits:    [3]float64{body.Limits.VX, body.Limits.VY, body.Limits.WZ},
			Footprint: footprint,
			Frames:    frames.DefaultConfig(),
			Sensors: Sensors{
				Scan: body.Frames.Scan, Points: body.Frames.Points, IMU: body.Frames.IMU,
				Camera: "front_camera_link", Optical: body.Frames.Optical,
			},
		},
		Body: Body{
			Driver: DriverSimulated, Host: host.DefaultConfig(),
			ROS: rosrobot.DefaultConfig(),
			HAL: HAL{URL: "ws://127.0.0.1:9092", TokenEnv: "SARATHI_HAL_TOKEN", TelemetryLimit: 500 * time.Millisecond},
		},
		Simulated:    sim,
		Control:      controlmux.DefaultConfig(),
		Sectors:      sectors,
		Odometry:     odometrymonitor.DefaultConfig(),
		Tags:         tagdetector.DefaultConfig(),
		Localization: localization.DefaultConfig(),
		Health:       healthmonitor.DefaultConfig(),
		Teleop:       teleop.DefaultConfig(),
		Rosbridge:    rosbridge.DefaultConfig(),
		State:        Folder{Dir: "~/.molly"},
		Sites:        Folder{Dir: "~/dev/Molly/map"},
		SiteManager:  sitemanager.DefaultConfig(),
		SiteContent:  sitecontent.DefaultConfig(),
		Planner:      planner.DefaultConfig(),
		Follower:     pathfollower.DefaultConfig(),
		Recorder:     routerecorder.DefaultConfig(),
		Schedule:     scheduler.DefaultConfig(),
		Seed:         1,
	}
}
