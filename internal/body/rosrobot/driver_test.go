package rosrobot_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/driver"
	"sarathi/internal/body/rosrobot"
	"sarathi/internal/config"
	"sarathi/internal/idl"
	"sarathi/internal/rosconv"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
	"sarathi/rosbridge"
)

// sink keeps what the driver reports.
type sink struct {
	mu      sync.Mutex
	faults  []driver.Fault
	results []driver.SkillResult
	states  []driver.EStopState
	last    map[driver.Stream]idl.Message
	counts  map[driver.Stream]int
	wanted  bool
}

func (s *sink) Publish(stream driver.Stream, m idl.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last[stream] = m
	s.counts[stream]++
}

func (s *sink) SkillResult(r driver.SkillResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results = append(s.results, r)
}

func (s *sink) Fault(f driver.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, f)
}

func (s *sink) EStop(e driver.EStopState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.states = append(s.states, e)
}

func (s *sink) Wanted(driver.Stream) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wanted
}

// codes are the faults that were reported since the last call.
func (s *sink) codes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, f := range s.faults {
		out = append(out, f.Code+" "+f.Severity.String())
	}
	s.faults = nil
	return out
}

func (s *sink) ended() []driver.SkillResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.results
	s.results = nil
	return out
}

func (s *sink) message(stream driver.Stream) idl.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last[stream]
}

func (s *sink) count(stream driver.Stream) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[stream]
}

// bench is a driver at work, in virtual time.
type bench struct {
	testing.TB
	*rosrobot.Driver
	robot *rosRobot
	sink  *sink
	end   func() // of Run and the contact
}

// atWork runs a test in a bubble, with a driver that has made contact and serves its robot.
func atWork(t *testing.T, change func(*rosrobot.Config), test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		cfg := names(2, "geometry_msgs/Twist")
		if change != nil {
			change(&cfg)
		}
		r := newRosRobot(t, cfg)
		b := &bench{TB: t, Driver: newDriver(t, r), robot: r, sink: &sink{last: map[driver.Stream]idl.Message{}, counts: map[driver.Stream]int{}}}
		if err := b.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := b.Start(time.Now(), b.sink); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- b.Run(ctx) }()
		b.end = sync.OnceFunc(func() {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("run ended with %v", err)
			}
			if err := b.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
		t.Cleanup(b.end)
		test(b)
	})
}

// pass lets virtual time pass.
func pass(d time.Duration) {
	time.Sleep(d) // in the bubble
	synctest.Wait()
}

// drive commands v at 20 Hz for d, and returns what the last command said.
func (b *bench) drive(v driver.Velocity, d time.Duration) (err error) {
	for range d / (50 * time.Millisecond) {
		err = b.Command(time.Now(), v)
		pass(50 * time.Millisecond)
	}
	return err
}

func forward() driver.Velocity { return driver.Velocity{VX: 0.5} }

func (b *bench) wantSpeed(want float64) {
	b.Helper()
	if got := b.robot.velocity().VX; got < want-0.1 || got > want+0.1 {
		b.Errorf("the robot drives at %.2f m/s, want %.2f", got, want)
	}
}

func (b *bench) wantFaults(want ...string) {
	b.Helper()
	if diff := cmp.Diff(want, b.sink.codes()); diff != "" {
		b.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestLostLinkMovesNothingUntilAFreshCommand(t *testing.T) {
	atWork(t, nil, func(b *bench) {
		if err := b.drive(forward(), time.Second); err != nil {
			b.Fatal(err)
		}
		b.wantSpeed(0.5)
		if err := b.Skill(time.Now(), driver.SkillRequest{Name: "dock", ReqID: "cut"}); err != nil {
			b.Fatal(err)
		}
		b.robot.locked(func() { b.robot.heard = nil })
		b.robot.stop()
		b.robot.pipes.cut()
		pass(100 * time.Millisecond)
		b.wantFaults("ros_link_lost critical")
		if r := b.sink.ended(); len(r) != 2 || r[1].Status != driver.SkillFailed {
			b.Errorf("the skill ended with %+v", r)
		}
		if err := b.drive(forward(), 300*time.Millisecond); !errors.Is(err, driver.ErrNotReady) {
			b.Errorf("a command without a link: %v", err)
		}
		if err := b.Skill(time.Now(), driver.SkillRequest{Name: "dock"}); !errors.Is(err, driver.ErrNotReady) {
			b.Errorf("a skill without a link: %v", err)
		}

		b.robot.serve()
		pass(2 * time.Second)
		b.wantFaults("ros_link_back info")
		b.wantSpeed(0)
		b.robot.locked(func() {
			if len(b.robot.heard) == 0 || slices.ContainsFunc(b.robot.heard, func(v driver.Velocity) bool { return v != driver.Velocity{} }) {
				b.Errorf("the robot was told %v, want zero and nothing else", b.robot.heard)
			}
		})
		if err := b.drive(forward(), time.Second); !errors.Is(err, driver.ErrNotReady) {
			b.Errorf("a command before zero: %v", err)
		}
		b.wantSpeed(0)
		if err := b.Command(time.Now(), driver.Velocity{}); err != nil {
			b.Fatal(err)
		}
		if err := b.drive(forward(), time.Second); err != nil {
			b.Fatal(err)
		}
		b.wantSpeed(0.5)
	})
}

// TestROS1 has the whole exchange in the other dialect: types, times, and what is in cbor-raw.
func TestROS1(t *testing.T) {
	for _, cmdType := range []string{"geometry_msgs/Twist", "geometry_msgs/TwistStamped"} {
		atWork(t, func(c *rosrobot.Config) { c.ROS, c.CmdType = 1, cmdType }, func(b *bench) {
			if err := b.drive(forward(), time.Second); err != nil {
				b.Fatal(err)
			}
			b.wantSpeed(0.5)
			if o, ok := b.sink.message(driver.StreamOdometry).(*nav.Odometry); !ok || o.Twist.Twist.Linear.X < 0.4 {
				b.Errorf("odometry %+v", o)
			}
			for _, s := range b.Capabilities().Streams {
				if b.sink.count(s) == 0 {
					b.Errorf("nothing on %s", s)
				}
			}
			if err := b.Skill(time.Now(), driver.SkillRequest{Name: "dock", ReqID: "dock"}); err != nil {
				b.Fatal(err)
			}
			b.robot.press(true)
			pass(time.Second)
			b.wantSpeed(0)
			if r := b.sink.ended(); len(r) != 2 || r[1].Status != driver.SkillFailed {
				b.Errorf("the skill under the button ended with %+v", r)
			}
			if err := b.Release(time.Now()); !errors.Is(err, driver.ErrHeld) {
				b.Errorf("release under the button: %v", err)
			}
			b.wantFaults()
		})
	}
}

// TestHalfOpenLink is lost although nobody closed it.
func TestHalfOpenLink(t *testing.T) {
	atWork(t, nil, func(b *bench) {
		b.robot.pipes.freeze(true)
		pass(3 * time.Second)
		faults := b.sink.codes()
		if !slices.Contains(faults, "ros_link_lost critical") {
			b.Errorf("faults %v, want that the link is lost", faults)
		}
		b.robot.pipes.freeze(false)
		pass(3 * time.Second)
		if faults := b.sink.codes(); !slices.Contains(faults, "ros_link_back info") {
			b.Errorf("faults %v, want that the link is back", faults)
		}
	})
}

func TestStaleOdometryStops(t *testing.T) {
	atWork(t, nil, func(b *bench) {
		b.robot.locked(func() { b.robot.quiet[driver.StreamOdometry] = true })
		err := b.drive(forward(), time.Second)
		if !errors.Is(err, driver.ErrNotReady) || !strings.Contains(err.Error(), "stale") {
			b.Errorf("error %v", err)
		}
		pass(time.Second)
		b.wantFaults("ros_stale_odometry error")
		b.wantSpeed(0)
		b.robot.locked(func() { b.robot.quiet[driver.StreamOdometry] = false })
		pass(time.Second)
		b.wantFaults("ros_heard_odometry info")
		b.wantSpeed(0)
		if err := b.drive(forward(), time.Second); err != nil {
			b.Error(err)
		}
		b.wantSpeed(0.5)
	})
}

func TestStaleScanIsReported(t *testing.T) {
	atWork(t, nil, func(b *bench) {
		b.robot.locked(func() { b.robot.quiet[driver.StreamScan] = true })
		if err := b.drive(forward(), 2*time.Second); err != nil {
			b.Error(err)
		}
		b.wantFaults("ros_stale_scan warning")
		b.wantSpeed(0.5)
	})
}

// TestStampsAndFrames are those of this computer, though the robot's clock is an hour ahead.
func TestStampsAndFrames(t *testing.T) {
	for _, skew := range []time.Duration{0, time.Hour, -1500 * time.Millisecond} {
		atWork(t, nil, func(b *bench) {
			b.robot.locked(func() { b.robot.skew = skew })
			pass(time.Second)
			before := b.sink.count(driver.StreamOdometry)
			pass(time.Second)
			if n := b.sink.count(driver.StreamOdometry) - before; n < 24 || n > 26 {
				b.Errorf("%d odometry messages in a second, want 25", n)
			}
			o, ok := b.sink.message(driver.StreamOdometry).(*nav.Odometry)
			if !ok || o.Header.FrameID != "odom" || o.ChildFrameID != "base_link" {
				b.Fatalf("odometry %+v", o)
			}
			scan, ok := b.sink.message(driver.StreamScan).(*sensor.LaserScan)
			if !ok || scan.Header.FrameID != "scan_frame" {
				b.Fatalf("scan %+v", scan)
			}
			for name, at := range map[string]time.Time{"odometry": rosconv.FromStamp(o.Header.Stamp), "scan": rosconv.FromStamp(scan.Header.Stamp)} {
				if age := time.Since(at); age < 0 || age > 600*time.Millisecond {
					b.Errorf("skew %v: the last %s is %v old", skew, name, age)
				}
			}
		})
	}
}

func TestSkills(t *testing.T) {
	atWork(t, func(c *rosrobot.Config) {
		c.Skills = append(c.Skills, rosrobot.Skill{Name: "undock", Service: "/base/undock"})
		c.SkillTimeout = time.Second
	}, func(b *bench) {
		ask := func(name string) []driver.SkillResult {
			b.Helper()
			if err := b.Skill(time.Now(), driver.SkillRequest{Name: name, ReqID: name}); err != nil {
				b.Fatal(err)
			}
			pass(5 * time.Second)
			return b.sink.ended()
		}
		done := []driver.SkillResult{{ReqID: "dock", Status: driver.SkillAccepted}, {ReqID: "dock", Status: driver.SkillDone, Progress: 1}}
		if diff := cmp.Diff(done, ask("dock")); diff != "" {
			b.Errorf("dock (-want +got):\n%s", diff)
		}
		b.robot.locked(func() { b.robot.refuse = "the dock is full" })
		failed := []driver.SkillResult{{ReqID: "undock", Status: driver.SkillAccepted}, {ReqID: "undock", Status: driver.SkillFailed, Err: "the dock is full"}}
		if diff := cmp.Diff(failed, ask("undock")); diff != "" {
			b.Errorf("undock (-want +got):\n%s", diff)
		}
		b.robot.locked(func() { b.robot.deaf = true })
		if r := ask("undock"); len(r) != 2 || !strings.Contains(r[1].Err, "answer") {
			b.Errorf("a service that does not answer: %+v", r)
		}
		b.robot.locked(func() { b.robot.deaf = false })
		for i := range 17 {
			err := b.Skill(time.Now(), driver.SkillRequest{Name: "dock", ReqID: "many"})
			if errors.Is(err, driver.ErrBusy) != (i == 16) {
				b.Errorf("skill %d: %v", i, err)
			}
		}
		b.Cancel(time.Now(), "enough")
		failures := 0
		for _, r := range b.sink.ended() {
			if r.Status == driver.SkillFailed && r.Err == "enough" {
				failures++
			}
		}
		if failures != 16 {
			b.Errorf("%d of 16 skills were given up", failures)
		}
	})
}

func TestEStopOfTheRobotIsTold(t *testing.T) {
	atWork(t, func(c *rosrobot.Config) { c.EStop.Engage, c.EStop.Release = "/base/stop", "/base/go" }, func(b *bench) {
		calls := func() (out []string) {
			b.robot.locked(func() { out, b.robot.calls = b.robot.calls, nil })
			return out
		}
		b.EStop(time.Now(), "test")
		pass(100 * time.Millisecond)
		if diff := cmp.Diff([]string{"/base/stop"}, calls()); diff != "" {
			b.Errorf("services called (-want +got):\n%s", diff)
		}
		b.robot.pipes.cut() // and the robot is told again when the link is back
		pass(3 * time.Second)
		if diff := cmp.Diff([]string{"/base/stop"}, calls()); diff != "" {
			b.Errorf("services called after the link was lost (-want +got):\n%s", diff)
		}
		if faults := b.sink.codes(); !slices.Equal(faults[:2], []string{"ros_link_lost critical", "ros_link_back info"}) {
			b.Errorf("faults %v", faults) // the robot's service may need a moment longer than its server
		}
		b.robot.locked(func() { b.robot.refuse = "stuck" })
		if err := b.Release(time.Now()); err != nil {
			b.Fatal(err)
		}
		pass(1500 * time.Millisecond)
		faults := b.sink.codes()
		if n := len(calls()); n < 2 || len(faults) != n || faults[0] != "ros_estop_unheard critical" {
			b.Errorf("%d calls, faults %v", n, faults)
		}
		b.robot.locked(func() { b.robot.refuse = "" })
		pass(1500 * time.Millisecond)
		calls()
		pass(3 * time.Second)
		if c := calls(); len(c) > 0 {
			b.Errorf("what was told is told again: %v", c)
		}
		want := []driver.EStopState{{Engaged: true, Reason: "test"}, {}}
		if diff := cmp.Diff(want, b.sink.states); diff != "" {
			b.Errorf("latch (-want +got):\n%s", diff)
		}
	})
}

// TestStrangeMessages are reported once, and do not count as heard.
func TestStrangeMessages(t *testing.T) {
	atWork(t, func(c *rosrobot.Config) { c.Odometry.Compression = rosbridge.CompressionNone }, func(b *bench) {
		b.robot.locked(func() {
			publish := b.robot.out[driver.StreamOdometry]
			b.robot.out[driver.StreamOdometry] = func(m idl.Message) {
				o := *m.(*nav.Odometry)
				o.Pose.Pose.Position.X = 1
				o.Twist.Twist.Linear.X /= 0 // JSON says null, which is no finite number
				publish(&o)
			}
		})
		pass(2 * time.Second)
		b.wantFaults("ros_strange_odometry error", "ros_stale_odometry error")
	})
}

func TestExpensiveStreamsComeWhenWanted(t *testing.T) {
	atWork(t, func(c *rosrobot.Config) { c.Points.Topic = "/cloud" }, func(b *bench) {
		subscribers := func() int {
			b.Helper()
			names, err := b.robot.client.SubscribersOf(b.Context(), "/cloud")
			if err != nil {
				b.Fatal(err)
			}
			return len(names)
		}
		for _, wanted := range []bool{false, true, false} {
			b.sink.mu.Lock()
			b.sink.wanted = wanted
			b.sink.mu.Unlock()
			pass(time.Second)
			if n := subscribers(); (n > 0) != wanted {
				b.Errorf("wanted %v: %d subscribers", wanted, n)
			}
		}
		b.wantFaults()
	})
}

// TestTheLastWordIsZero, and a driver that has ended can begin anew.
func TestTheLastWordIsZero(t *testing.T) {
	atWork(t, nil, func(b *bench) {
		if err := b.drive(forward(), time.Second); err != nil {
			b.Fatal(err)
		}
		b.end()
		pass(2 * time.Second)
		b.wantSpeed(0)
		if err := b.Command(time.Now(), forward()); !errors.Is(err, driver.ErrNotReady) {
			b.Errorf("a command after the end: %v", err)
		}
		if err := b.Close(); err == nil {
			b.Error("closed twice")
		}
		if err := b.Run(b.Context()); err == nil {
			b.Error("run without contact")
		}
		if err := b.Connect(b.Context()); err != nil {
			b.Fatal(err)
		}
		if err := b.drive(forward(), time.Second); err != nil {
			b.Error(err)
		}
		b.wantSpeed(0.5)
		if err := b.Close(); err != nil {
			b.Error(err)
		}
	})
}

func TestOthersMayDriveWhenNobodyCommands(t *testing.T) {
	atWork(t, nil, func(b *bench) {
		if err := b.drive(forward(), time.Second); err != nil {
			b.Fatal(err)
		}
		pass(2 * time.Second)
		b.robot.locked(func() { b.robot.heard = nil })
		pass(2 * time.Second)
		b.robot.locked(func() {
			if len(b.robot.heard) > 0 {
				b.Errorf("%d velocities without a command", len(b.robot.heard))
			}
		})
	})
}

func TestContactSaysWhatIsWrong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := names(2, "geometry_msgs/Twist")
		cfg.Contact = 2 * time.Second
		r := newRosRobot(t, cfg)
		for _, tt := range []struct {
			name   string
			change func()
			want   string
		}{
			{"wrong topic", func() { r.cfg.Odometry.Topic = "/odometry" }, "nothing comes on /odometry"},
			{"nobody", func() { r.stop() }, "robot at ws://robot: "},
		} {
			tt.change()
			d := newDriver(t, r)
			if err := d.Connect(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
	})
}

func TestConfig(t *testing.T) {
	if err := rosrobot.DefaultConfig().Validate(); err != nil {
		t.Errorf("default: %v", err)
	}
	for want, change := range map[string]func(*rosrobot.Config){
		"url":               func(c *rosrobot.Config) { c.URL = "http://x" },
		"ros":               func(c *rosrobot.Config) { c.ROS = 3 },
		"contact":           func(c *rosrobot.Config) { c.Contact = 0 },
		"cmd_vel":           func(c *rosrobot.Config) { c.CmdVel = "" },
		"cmd_type":          func(c *rosrobot.Config) { c.CmdType = "Twist" },
		"cmd_period":        func(c *rosrobot.Config) { c.CmdPeriod = time.Second },
		"odometry_hz":       func(c *rosrobot.Config) { c.OdometryHz = 0 },
		"odometry.topic":    func(c *rosrobot.Config) { c.Odometry.Topic = "" },
		"odometry.stale":    func(c *rosrobot.Config) { c.Odometry.Stale = 0 },
		"scan.topic":        func(c *rosrobot.Config) { c.Scan.Topic = "/the scan" },
		"image.compression": func(c *rosrobot.Config) { c.Image.Compression = "zip" },
		"points.throttle":   func(c *rosrobot.Config) { c.Points.Throttle = -1 },
		"e_stop.release":    func(c *rosrobot.Config) { c.EStop.Engage = "/stop" },
		"skills[0].service": func(c *rosrobot.Config) { c.Skills = []rosrobot.Skill{{Name: "dock"}} },
		"skills[0].name":    func(c *rosrobot.Config) { c.Skills = []rosrobot.Skill{{Name: "emergency_stop", Service: "/x"}} },
		"skills[1].name": func(c *rosrobot.Config) {
			c.Skills = []rosrobot.Skill{{Name: "a", Service: "/x"}, {Name: "a", Service: "/y"}}
		},
		"skill_timeout": func(c *rosrobot.Config) { c.SkillTimeout = 0 },
	} {
		c := rosrobot.DefaultConfig()
		change(&c)
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := rosrobot.New(rosrobot.DefaultConfig(), rosrobot.Body{}, rosrobot.Deps{}); err == nil {
		t.Error("a body without a kind")
	}
}

// TestConfigFromYAML has the keys that Validate names.
func TestConfigFromYAML(t *testing.T) {
	const text = `
url: ws://10.0.0.7:9090
token_env: ROBOT_TOKEN
ros: 1
cmd_vel: /base/cmd_vel
cmd_type: geometry_msgs/Twist
cmd_period: 100ms
odometry_hz: 30
odometry: {topic: /base/odom, compression: cbor, stale: 1s}
imu: {topic: /imu/data, frame: imu_link}
camera_info: {topic: /camera/info, throttle: 1s}
e_stop: {held: /base/button, engage: /base/stop, release: /base/go}
skills:
  - {name: dock, service: /base/dock}
skill_timeout: 1m
`
	c := rosrobot.DefaultConfig()
	if err := config.Decode("robot.yaml", []byte(text), &c); err != nil {
		t.Fatal(err)
	}
	want := rosrobot.DefaultConfig()
	want.URL, want.TokenEnv, want.ROS, want.CmdVel, want.CmdPeriod = "ws://10.0.0.7:9090", "ROBOT_TOKEN", 1, "/base/cmd_vel", 100*time.Millisecond
	want.OdometryHz, want.SkillTimeout = 30, time.Minute
	want.Odometry.Topic, want.Odometry.Compression, want.Odometry.Stale = "/base/odom", rosbridge.CompressionCBOR, time.Second
	want.IMU.Topic, want.IMU.Frame = "/imu/data", "imu_link"
	want.CameraInfo.Topic, want.CameraInfo.Throttle = "/camera/info", time.Second
	want.EStop = rosrobot.EStop{Held: "/base/button", Engage: "/base/stop", Release: "/base/go"}
	want.Skills = []rosrobot.Skill{{Name: "dock", Service: "/base/dock"}}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
}
