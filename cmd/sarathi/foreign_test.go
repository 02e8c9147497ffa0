package main

import (
	"bytes"
	"context"
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sarathi/msg/geometry"
	"sarathi/msg/std"
	"sarathi/rosbridge"
)

// foreign is a rosbridge server that has nothing of ours, with a robot behind it.
type foreign struct {
	url string

	mu     sync.Mutex
	speeds []float64 // that its /cmd_vel was told
}

// theirs is a message of a type that nobody here knows.
type theirs string

func (m theirs) JSON() []byte { return []byte(m) }
func (theirs) CDR() []byte    { return nil }
func (theirs) ROS1() []byte   { return nil }

// startForeign serves one until the test ends.
func startForeign(t *testing.T, dialect rosbridge.Dialect) *foreign {
	t.Helper()
	cfg := rosbridge.DefaultConfig()
	cfg.Dialect = dialect
	broker, err := rosbridge.NewBroker(cfg)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(broker)
	f := &foreign{url: "ws" + strings.TrimPrefix(server.URL, "http")}
	robot := broker.Attach("/base")
	mode, err := robot.Advertise("/mode", "std_msgs/String", rosbridge.TopicOptions{Latch: true})
	if err != nil {
		t.Fatal(err)
	}
	mode.PublishMessage(&std.String{Data: "ready"})
	odd, err := robot.Advertise("/odd", "their_msgs/Odd", rosbridge.TopicOptions{Latch: true})
	if err != nil {
		t.Fatal(err)
	}
	odd.Publish(theirs(`{"serial":12345678901234567890}`))
	ticks, err := robot.Advertise("/ticks", "std_msgs/String", rosbridge.TopicOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := robot.Subscribe("/cmd_vel", "geometry_msgs/Twist", f.command); err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		robot.Serve("/dock", "std_srvs/Trigger", func(_ rosbridge.Request, reply func([]byte, error)) {
			reply([]byte(`{"success":true,"message":"docked"}`), nil)
		}),
		robot.Serve("/undock", "std_srvs/Trigger", func(_ rosbridge.Request, reply func([]byte, error)) {
			reply(nil, errors.New("the gate is shut"))
		}))
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		every := time.NewTicker(10 * time.Millisecond)
		defer every.Stop()
		for {
			select {
			case <-every.C:
				ticks.PublishMessage(&std.String{Data: "tick"})
			case <-stop:
				return
			}
		}
	})
	t.Cleanup(func() {
		close(stop)
		running.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := broker.Close(ctx); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return f
}

func (f *foreign) command(m rosbridge.Received) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.speeds = append(f.speeds, m.Message().(*geometry.Twist).Linear.X)
}

// These commands need nothing but rosapi, of either ROS generation; what only our robots tell stays empty.
func TestForeignServers(t *testing.T) {
	for name, dialect := range map[string]rosbridge.Dialect{"ros1": rosbridge.ROS1, "ros2": rosbridge.ROS2} {
		t.Run(name, func(t *testing.T) {
			f := startForeign(t, dialect)
			for _, tt := range []struct {
				line           string
				code           int
				stdout, stderr string // parts of what is printed
			}{
				{"topic list", 0, "\n/mode               std_msgs/String                  -     0                1    0    0     -\n", ""},
				{"topic list -v", 0, "/base", ""},
				{"topic echo /mode -n 1", 0, `data: "ready"`, ""},
				{"topic echo mode -n 1 --json", 0, `"data":"ready"`, ""},
				{"topic echo /odd -n 1", 0, "serial: 12345678901234567890", ""},
				{"topic echo /mood", 2, "", "there is no topic /mood: did you mean /mode or"},
				{"topic hz /ticks --duration 1200ms", 0, "/ticks: ", ""},
				{`topic pub /cmd_vel {"linear":{"x":0.5}}`, 0, "published 1 message on /cmd_vel", ""},
				{`topic pub /cmd_vel {"lin":1}`, 2, "", "/cmd_vel (geometry_msgs/Twist)"},
				{`topic pub /news {"data":"x"}`, 2, "", "name the type"},
				{`topic pub /news {"data":"x"} --type std_msgs/String`, 0, "published 1 message on /news", ""},
				{`topic pub /cmd_vel {} {} {"linear":{"x":0.7}} --rate 50 -n 4`, 0, "published 4 messages on /cmd_vel", ""},
				{"topic pub /cmd_vel {} {}", 2, "", "write --rate HZ too"},
				{"topic pub /cmd_vel {} {} --rate 9 -n 1", 2, "", "leave messages out, or count more"},
				{"node list", 0, "/base ", ""},
				{"service list", 0, "/dock ", ""},
				{"service call /dock", 0, `message: "docked"`, ""},
				{"service call /undock", 1, "", "service /undock: the gate is shut"},
				{"service call /dokc", 2, "", "did you mean /dock?"},
			} {
				e := testEnv(t)
				e.dial = dialRemote
				var stdout, stderr bytes.Buffer
				e.stdout, e.stderr = &stdout, &stderr
				code := run(t.Context(), e, append(strings.Fields(tt.line), "--url", f.url))
				if code != tt.code || !strings.Contains(stdout.String(), tt.stdout) || !strings.Contains(stderr.String(), tt.stderr) {
					t.Errorf("%s: exit code %d, want %d\nstdout: %s\nstderr: %s", tt.line, code, tt.code, stdout.String(), stderr.String())
				}
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			if want := []float64{0.5, 0, 0, 0.7, 0.7}; !slices.Equal(f.speeds, want) {
				t.Errorf("/cmd_vel was told %v, want %v", f.speeds, want)
			}
		})
	}
}
