package healthmonitor_test

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/clock"
	"sarathi/internal/node"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/nodes/healthmonitor"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
)

// machine is a probe that says what the test wants.
type machine struct {
	system healthmonitor.System
	err    error
	reads  int
}

func (m *machine) Read(context.Context) (healthmonitor.System, error) {
	m.reads++
	return m.system, m.err
}

type rig struct {
	*nodetest.Rig
	machine *machine
	status  *nodetest.Collector[dharma.HealthStatus]
}

func newRig(t *testing.T, cfg healthmonitor.Config) *rig {
	t.Helper()
	m := &machine{system: healthmonitor.System(healthmonitor.Idle())}
	n, err := healthmonitor.New(cfg, healthmonitor.Deps{Probe: m})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Rig: nodetest.New(t, nodetest.Options{}), machine: m}
	r.status = nodetest.Collect(r.Rig, topics.HealthStatus)
	r.Run(healthmonitor.Name, n)
	return r
}

// sensors publishes what the sensors of a healthy robot do for d: everything at 10 Hz, but for those left out.
func (r *rig) sensors(d time.Duration, without ...string) {
	left := strings.Join(without, " ")
	for range int(d / (100 * time.Millisecond)) {
		send(r, left, "scan", topics.BodyScan, sensor.LaserScan{})
		send(r, left, "safety", topics.SafetyScan, dharma.SectorScan{})
		send(r, left, "odometry", topics.BodyOdometry, nav.Odometry{})
		send(r, left, "imu", topics.BodyIMU, sensor.Imu{})
		r.Advance(100 * time.Millisecond)
	}
}

func send[T any](r *rig, left, name string, t *bus.Topic[T], v T) {
	if !strings.Contains(left, name) {
		nodetest.Publish(r.Rig, t, v)
	}
}

// A monitor that was restarted on a hot computer must not say that all is well before it has looked.
func TestStatusOnceTheProbeHasAnsweredAndEverySecond(t *testing.T) {
	r := newRig(t, healthmonitor.DefaultConfig())
	r.Advance(500 * time.Millisecond)
	if early := r.status.Take(); len(early) != 0 {
		t.Errorf("said %+v before anybody has looked", early)
	}
	r.Advance(2500 * time.Millisecond)
	said := r.status.Take()
	if len(said) != 3 || said[0].Value.SpeedScale != 1 || math.IsNaN(float64(said[0].Value.RAM)) {
		t.Errorf("said %+v", said)
	}
	for i, m := range said {
		if want := time.Duration(i+1) * time.Second; m.At != want {
			t.Errorf("status %d at %v, want %v", i, m.At, want)
		}
	}
	if r.machine.reads != 4 {
		t.Errorf("the probe was asked %d times in 4 checks", r.machine.reads)
	}
}

func TestStatusOfAHealthyRobot(t *testing.T) {
	r := newRig(t, healthmonitor.DefaultConfig())
	r.sensors(10 * time.Second)
	got := r.status.Latest().Value
	if got.Level != dharma.HealthStatusLevelOk || len(got.Issues) != 0 || got.SpeedScale != 1 {
		t.Errorf("level %d, issues %q, speed %g", got.Level, got.Issues, got.SpeedScale)
	}
	if got.CPU != 10 || !math.IsNaN(float64(got.GPU)) || got.RAM != 25 || got.RAMUsed != 2 || got.RAMTotal != 8 ||
		got.Temp != 45 || got.DiskFree != 100 || got.Load != 0.5 {
		t.Errorf("system %+v", got)
	}
	wantTopics := []string{"/robot/scan", "/perception/safety_scan", "/robot/odom", "/robot/imu", "/robot/camera/image/compressed"}
	wantNames := []string{"scan", "safety_scan", "odometry", "imu", "camera"}
	if len(got.Sensors) != len(wantTopics) {
		t.Fatalf("%d sensors", len(got.Sensors))
	}
	for i, s := range got.Sensors {
		if s.Name != wantNames[i] || s.Topic != wantTopics[i] || !s.Ok {
			t.Errorf("sensor %d: %+v", i, s)
		}
	}
	if s := got.Sensors[0]; s.Rate != 10 || s.MinRate != 5 || s.Age > 0.2 {
		t.Errorf("scan %+v", s)
	}
	if s := got.Sensors[4]; s.MinRate != 0 || !math.IsNaN(float64(s.Age)) {
		t.Errorf("a camera that nobody wants and that never sent: %+v", s)
	}
}

// TestNobodyIsMadeToWork: counting is not subscribing, or the camera would be computed for the monitor's sake.
func TestNobodyIsMadeToWork(t *testing.T) {
	r := newRig(t, healthmonitor.DefaultConfig())
	r.Advance(time.Second)
	for _, top := range r.Bus.Graph().Topics {
		for _, s := range top.Subscribers {
			if s.Node == healthmonitor.Name && top.Name != "/robot/battery" {
				t.Errorf("the monitor subscribes to %s", top.Name)
			}
		}
	}
}

func TestSafetyScanThatStops(t *testing.T) {
	r := newRig(t, healthmonitor.DefaultConfig())
	r.sensors(10 * time.Second)
	r.sensors(5*time.Second, "safety")
	got := r.status.Latest().Value
	if got.Level != dharma.HealthStatusLevelError || got.SpeedScale != 0.5 || len(got.Issues) != 1 || got.Sensors[1].Ok {
		t.Fatalf("level %d, speed %g, issues %q", got.Level, got.SpeedScale, got.Issues)
	}
	r.sensors(10 * time.Second)
	if got := r.status.Latest().Value; got.Level != dharma.HealthStatusLevelOk || got.SpeedScale != 1 {
		t.Errorf("after it came back: level %d, issues %q", got.Level, got.Issues)
	}
}

func TestCameraIsWatchedWhileWanted(t *testing.T) {
	r := newRig(t, healthmonitor.DefaultConfig())
	r.sensors(10 * time.Second)
	nodetest.Collect(r.Rig, topics.BodyImage)
	r.sensors(10 * time.Second)
	if got := r.status.Latest().Value; len(got.Issues) != 1 || got.Issues[0] != "camera has sent nothing yet" {
		t.Errorf("issues %q", got.Issues)
	}
}

func TestBattery(t *testing.T) {
	r := newRig(t, healthmonitor.DefaultConfig())
	tests := []struct {
		name    string
		battery sensor.BatteryState
		want    string
	}{
		{"none fitted", sensor.BatteryState{Percentage: 0.01}, ""},
		{"low", sensor.BatteryState{Present: true, Percentage: 0.125}, "battery at 12 %, low below 20 %; charge it"},
		{"full", sensor.BatteryState{Present: true, Percentage: 1}, ""},
		{"low again", sensor.BatteryState{Present: true, Percentage: 0.05}, "battery at 5 %, low below 20 %; charge it"},
		{"on the charger", sensor.BatteryState{
			Present: true, Percentage: 0.05, PowerSupplyStatus: sensor.BatteryStatePowerSupplyStatusCharging,
		}, ""},
	}
	for _, tt := range tests {
		nodetest.Publish(r.Rig, topics.BodyBattery, tt.battery)
		r.sensors(6 * time.Second)
		if got := strings.Join(r.status.Latest().Value.Issues, "\n"); got != tt.want {
			t.Errorf("%s: issues %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestHeatStopsTheRobot(t *testing.T) {
	r := newRig(t, healthmonitor.DefaultConfig())
	r.sensors(3 * time.Second)
	r.machine.system.Temp = 99
	hot := r.Elapsed()
	m := r.status.Await(3*time.Second, func(s dharma.HealthStatus) bool { return s.SpeedScale == 0 })
	if m.At > hot+2*time.Second || m.Value.Level != dharma.HealthStatusLevelError {
		t.Errorf("stopped %v after it was hot, level %d", m.At-hot, m.Value.Level)
	}
}

// TestFaultyProbe: what it can tell is shown, and what it cannot is an issue once it was known.
func TestFaultyProbe(t *testing.T) {
	r := newRig(t, healthmonitor.DefaultConfig())
	r.sensors(3 * time.Second)
	r.machine.system.DiskFree, r.machine.err = math.NaN(), errors.New("read the space left at /: input/output error")
	r.sensors(5 * time.Second)
	got := r.status.Latest().Value
	if !math.IsNaN(float64(got.DiskFree)) || got.RAM != 25 || len(got.Issues) != 1 || got.Issues[0] != "cannot be read any more: disk" {
		t.Errorf("disk %g, memory %g, issues %q", got.DiskFree, got.RAM, got.Issues)
	}
}

// TestClockJump: a clock that is corrected is no silence of the sensors.
func TestClockJump(t *testing.T) {
	r := newRig(t, healthmonitor.DefaultConfig())
	r.sensors(10 * time.Second)
	for _, jump := range []time.Duration{time.Hour, -2 * time.Hour} {
		r.Exec.Jump(jump)
		r.status.Take()
		r.sensors(5 * time.Second)
		for _, m := range r.status.Take() {
			if m.Value.Level != dharma.HealthStatusLevelOk || m.Value.RAM != 25 {
				t.Errorf("after a jump of %v: issues %q, memory %g", jump, m.Value.Issues, m.Value.RAM)
			}
		}
	}
}

// hanging answers once and then waits for the end, as a read of a dead network disk does.
type hanging struct{ asked int }

func (h *hanging) Read(ctx context.Context) (healthmonitor.System, error) {
	if h.asked++; h.asked > 1 {
		<-ctx.Done()
	}
	return healthmonitor.System(healthmonitor.Idle()), ctx.Err()
}

// TestHangingProbe: the status goes on in real time, the probe is not asked again, and its old answer is not shown for ever.
func TestHangingProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		probe := &hanging{}
		n, err := healthmonitor.New(healthmonitor.DefaultConfig(), healthmonitor.Deps{Probe: probe})
		if err != nil {
			t.Fatal(err)
		}
		var got []dharma.HealthStatus
		b := bus.New(bus.Options{Clock: clock.Real{}, RobotNS: "robot"})
		exec := node.NewRealtime(node.Options{Bus: b})
		err = exec.Start(t.Context(),
			node.Spec{Name: "listener", New: func() (node.Node, error) {
				return listener(func(s dharma.HealthStatus) { got = append(got, s) }), nil
			}},
			node.Spec{Name: healthmonitor.Name, Policy: node.Halt, New: func() (node.Node, error) { return n, nil }},
		)
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(12*time.Second + 500*time.Millisecond) // virtual
		synctest.Wait()
		if err := exec.Stop(); err != nil {
			t.Error(err)
		}
		if len(got) < 12 || probe.asked != 2 {
			t.Fatalf("%d statuses in 12 s, the probe was asked %d times", len(got), probe.asked)
		}
		if got[0].RAM != 25 || got[4].RAM != 25 || !math.IsNaN(float64(got[5].RAM)) {
			t.Errorf("memory %g, %g and then %g %%, want it to be known for five checks", got[0].RAM, got[4].RAM, got[5].RAM)
		}
		const lost = "cannot be read any more: processor, memory, temperature, disk, load"
		if issues := got[11].Issues; len(issues) == 0 || issues[len(issues)-1] != lost {
			t.Errorf("issues %q", issues)
		}
	})
}

// listener is a node that hears the status.
type listener func(dharma.HealthStatus)

func (l listener) Setup(c *node.Context) error {
	bus.Subscribe(c, topics.HealthStatus, l)
	return nil
}

// TestOnlyChangesAreLogged: an issue is logged when it comes and when it goes, and a probe that complains is quoted once.
func TestOnlyChangesAreLogged(t *testing.T) {
	m := &machine{system: healthmonitor.System(healthmonitor.Idle())}
	cfg := healthmonitor.DefaultConfig()
	cfg.MinRates = healthmonitor.MinRates{}
	n, err := healthmonitor.New(cfg, healthmonitor.Deps{Probe: m})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	clk := clock.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	exec := node.NewLockstep(node.Options{
		Bus: bus.New(bus.Options{Clock: clk, RobotNS: "robot"}), Log: slog.NewTextHandler(&out, nil),
	}, clk)
	if err := exec.Start(node.Spec{Name: healthmonitor.Name, New: func() (node.Node, error) { return n, nil }}); err != nil {
		t.Fatal(err)
	}
	m.system.DiskFree, m.err = 2, errors.New("fan is not there")
	exec.RunFor(10 * time.Second)
	m.system.DiskFree, m.err = 50, nil
	exec.RunFor(10 * time.Second)
	for _, want := range []string{
		`msg="health issue" node=health_monitor_node check=disk issue="2.0 GB of disk left`,
		`msg="health issue over" node=health_monitor_node check=disk`, `error="fan is not there"`,
	} {
		if got := strings.Count(out.String(), want); got != 1 {
			t.Errorf("%s is logged %d times, want once:\n%s", want, got, out.String())
		}
	}
}

func TestNewRefuses(t *testing.T) {
	bad := healthmonitor.DefaultConfig()
	bad.SlowScale = 2
	if _, err := healthmonitor.New(bad, healthmonitor.Deps{Probe: healthmonitor.Idle()}); err == nil || !strings.Contains(err.Error(), "slow_scale") {
		t.Errorf("error %v for a bad scale", err)
	}
	if _, err := healthmonitor.New(healthmonitor.DefaultConfig(), healthmonitor.Deps{}); err == nil || !strings.Contains(err.Error(), "probe") {
		t.Errorf("error %v without a probe", err)
	}
}
