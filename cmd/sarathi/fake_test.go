package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"sarathi/internal/gateway/rosbridge/graph"
)

// fakeRobot answers as a robot would, always the same.
type fakeRobot struct{}

// dialFake connects to a fakeRobot, except where a URL says that there is none.
func dialFake(url string) (robot, error) {
	if strings.Contains(url, "none") {
		return nil, fmt.Errorf("%w at %s: connection refused", errNoRobot, url)
	}
	return fakeRobot{}, nil
}

func (fakeRobot) Close() error { return nil }

func (fakeRobot) Graph(context.Context) (*graph.Graph, error) {
	return &graph.Graph{
		Topics: []graph.Topic{
			{
				Name: "/control/status", Type: "dharma_interfaces/ControlStatus", QoS: "latched", Doc: "mode, source, e-stop and reasons",
				Rate: 50.02, Published: 12345, Publishers: []graph.Publisher{{Node: "control_mux_node", Published: 12345}},
				Subscribers: []graph.Subscriber{
					{Node: "health_monitor_node", Depth: 1, Received: 600, Sampled: true},
					{
						Node: "route_recorder_node", Depth: 1, Received: 12340, Dropped: 5,
						Handler: graph.HandlerTime{Runs: 12340, Mean: 1250 * time.Nanosecond, Worst: 81 * time.Microsecond},
					},
				},
				Dropped: 5, Handler: graph.HandlerTime{Runs: 12340, Mean: 1250 * time.Nanosecond, Worst: 81 * time.Microsecond},
			},
			{Name: "/map", Type: "nav_msgs/OccupancyGrid", QoS: "latched", Subscribers: []graph.Subscriber{{Node: "planner_node", Depth: 1}}},
			{
				Name: "/molly/scan", Type: "sensor_msgs/LaserScan", QoS: "queue(4)", Doc: "planar laser scan, 10 Hz", Rate: 9.87, Published: 980,
				Publishers: []graph.Publisher{{Node: "simulated_body_node", Published: 980}},
			},
			{Name: "/zoo", QoS: "latest", Subscribers: []graph.Subscriber{{Node: "rosbridge_node", Depth: 16}}},
		},
		Nodes: []graph.Node{
			{
				Name: "control_mux_node", Stage: "control", State: "running", Publishes: []string{"/control/status", "/molly/cmd_vel"},
				Subscribes: []string{"/perception/safety_scan"}, Serves: []string{"/control/estop/engage", "/control/estop/release"},
			},
			{Name: "simulated_body_node", Stage: "body", State: "backing off", Restarts: 3, LastError: "panic: lost", Skipped: 1, Publishes: []string{"/molly/scan"}},
			{Name: "visitor"},
		},
		Services: []graph.Service{
			{
				Name: "/control/estop/engage", Type: "std_srvs/Trigger", Node: "control_mux_node", Calls: 2,
				Handler: graph.HandlerTime{Runs: 2, Mean: 2 * time.Millisecond, Worst: 3 * time.Millisecond},
			},
			{Name: "/control/estop/release", Type: "std_srvs/Trigger", Node: "control_mux_node", Refused: 1},
			{Name: "/control/set_mode", Type: "dharma_interfaces/SetMode", Node: "control_mux_node"},
		},
	}, nil
}

// Watch gives three messages of a known topic, 20 ms apart, and then waits as a silent topic does.
func (fakeRobot) Watch(ctx context.Context, w graph.Watch, each func(graph.Sample) bool) error {
	messages := map[string]string{
		"/control/status": `{"mode":"auto","estop":false,"estop_reasons":[],"cmd_vel":{"linear":{"x":0.25,"y":0,"z":0}},"sources":[{"name":"handheld","age":null}]}`,
		"/molly/scan":     `{"header":{"frame_id":"laser <1>"},"ranges":[` + strings.Repeat("1.5,", 359) + `2]}`,
	}
	message, known := messages[w.Topic]
	if !known && w.Topic != "/map" {
		return &graph.Error{Code: graph.UnknownTopic, Message: "there is no topic " + w.Topic}
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range 3 {
		s := graph.Sample{At: at.Add(time.Duration(i) * 20 * time.Millisecond), Lost: uint64(i / 2)}
		if !w.TimesOnly {
			s.Message = json.RawMessage(message)
		}
		if known && !each(s) {
			return nil
		}
	}
	if w.Topic == "/molly/scan" {
		return errGone
	}
	<-ctx.Done()
	return ctx.Err()
}

func (fakeRobot) Publish(_ context.Context, p graph.Publication) error {
	switch {
	case p.Topic == "/molly/cmd_vel":
		return &graph.Error{Code: graph.Reserved, Message: "/molly/cmd_vel is not for clients: only the control mux commands the body"}
	case p.Topic == "/control/statsu" || p.Topic == "/xyzzy":
		return &graph.Error{Code: graph.UnknownTopic, Message: "there is no topic " + p.Topic + " yet: name the type of its messages"}
	case p.Type == "std_msgs/Bool":
		return &graph.Error{Code: graph.WrongType, Message: p.Topic + " has type std_msgs/String, not std_msgs/Bool"}
	case strings.Contains(string(p.Message), "dato"):
		return &graph.Error{Code: graph.BadRequest, Message: "message for " + p.Topic + " (std_msgs/String): unknown field dato"}
	}
	return nil
}

func (fakeRobot) Call(_ context.Context, service string, request []byte, timeout time.Duration) ([]byte, error) {
	switch service {
	case "/control/estop/engage":
		return []byte(`{"success":true,"message":"engaged"}`), nil
	case "/control/estop/release":
		return []byte(`{"success":false,"message":"hardware e-stop is pressed"}`), nil
	case "/control/set_mode":
		if string(request) == "{}" {
			return nil, &graph.Error{Code: graph.Timeout, Message: fmt.Sprintf("service %s: time-out: context deadline exceeded after %v", service, timeout)}
		}
		return request, nil
	default:
		return nil, &graph.Error{Code: graph.NoServer, Message: "service " + service + ": no server"}
	}
}
