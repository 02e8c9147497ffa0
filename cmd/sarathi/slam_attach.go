package main

import (
	"context"
	"fmt"

	"sarathi/internal/app"
	"sarathi/internal/bus"
	"sarathi/internal/gateway/slamlink"
	"sarathi/internal/topics"
)

// slamAttach is `sarathi slam attach`.
type slamAttach struct {
	server

	Scan     string `default:"/scan" placeholder:"TOPIC" help:"sensor_msgs/LaserScan (${default})."`
	Odom     string `default:"/odom" placeholder:"TOPIC" help:"nav_msgs/Odometry; none: the robot has none (${default})."`
	IMU      string `name:"imu" default:"/imu" placeholder:"TOPIC" help:"sensor_msgs/Imu; none: the robot has none (${default})."`
	TFStatic string `name:"tf-static" default:"/tf_static" placeholder:"TOPIC" help:"tf2_msgs/TFMessage, where the lidar sits; none: at the middle of the robot (${default})."`
	Frame    string `default:"base_link" placeholder:"FRAME" help:"Frame of the robot (${default})."`
	MapFrame string `default:"map" placeholder:"FRAME" help:"Frame of the map (${default})."`
	Png      string `placeholder:"FILE" help:"Write the map as a picture at the end."`
	Verbose  bool   `short:"v" help:"Log every detail."`
}

// none is what a robot has not.
const none = "none"

// Run maps until it is interrupted.
func (c *slamAttach) Run(ctx context.Context, e *env) error {
	var in []slamlink.Route
	for _, r := range []struct {
		topic interface{ Info() bus.TopicInfo }
		name  string
	}{{topics.Scan, c.Scan}, {topics.Odom, c.Odom}, {topics.IMU, c.IMU}, {topics.TFStatic, c.TFStatic}} {
		if r.name != none {
			in = append(in, slamlink.Route{Topic: r.topic.Info(), Name: r.name})
		}
	}
	r, err := app.Slam(ctx, app.SlamOptions{
		Map: true, Link: c.link(in, findings()), BaseFrame: c.Frame, MapFrame: c.MapFrame, Log: e.logHandler(c.Verbose),
		Started: func() {
			e.tell(map[string]any{"event": "started", "url": c.URL}, fmt.Sprintf("Mapping with %s of %s; Ctrl-C stops it.", c.Scan, c.URL))
		},
	})
	if err != nil {
		return err
	}
	e.tell(map[string]any{"event": "stopped", "scans": r.Stats.Scans, "loops": r.Stats.Closures},
		fmt.Sprintf("%s mapped, %s closed.", plural(r.Stats.Scans, "scan"), plural(r.Stats.Closures, "loop")))
	return writePicture(r.Map, c.Png)
}
