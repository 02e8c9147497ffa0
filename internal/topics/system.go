package topics

import (
	"sarathi/internal/bus"
	"sarathi/msg/rcl"
	"sarathi/msg/tf2"
)

// Frames and the log, under ROS's usual names.
var (
	TF = bus.NewTopic[tf2.TFMessage]("/tf", bus.Queue(64),
		"transforms that move")
	TFStatic = bus.NewTopic[tf2.TFMessage]("/tf_static", bus.Latched,
		"transforms that never change, all in one message")
	Rosout = bus.NewTopic[rcl.Log]("/rosout", bus.Queue(256),
		"log of every node")
)
