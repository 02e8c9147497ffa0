package scheduler_test

import (
	"strings"
	"testing"
	"time"

	"sarathi/internal/algo/schedule"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/nodes/scheduler"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/molly"
	"sarathi/msg/sensor"
	"sarathi/msg/stdsrvs"
)

const route = "hall/routes/a.csv"

// bench is the node, and a robot that is ready for a patrol: mux, follower and path loader answer as they do.
type bench struct {
	*nodetest.Rig
	t       *testing.T
	status  *nodetest.Collector[dharma.ScheduleStatus]
	control dharma.ControlStatus
	nav     dharma.NavigationStatus
	calls   []string
	refuse  string // what the path loader says
	loading func() // while a route is loaded
}

// newBench has one patrol, from a minute after now until eleven minutes after.
func newBench(t *testing.T, change ...func(*scheduler.Run)) *bench {
	t.Helper()
	r := nodetest.New(t, nodetest.Options{})
	run := scheduler.Run{Name: "patrol", Route: route}
	run.SetDefaults()
	start := r.Now().UTC().Truncate(time.Minute).Add(time.Minute)
	run.Start = schedule.At(start.Hour(), start.Minute())
	end := start.Add(10 * time.Minute)
	run.Until = schedule.At(end.Hour(), end.Minute())
	for _, f := range change {
		f(&run)
	}
	n, err := scheduler.New(scheduler.Config{Zone: scheduler.ZoneHost, Runs: []scheduler.Run{run}}, scheduler.Deps{Zone: time.UTC, LowBattery: 0.2})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{
		Rig: r, t: t, status: nodetest.Collect(r, topics.ScheduleStatus),
		control: dharma.ControlStatus{Mode: dharma.ControlStatusModeAuto},
		nav:     dharma.NavigationStatus{State: dharma.NavigationStatusStateInactive},
	}
	nodetest.Serve(r, topics.LoadPath, func(q dharma.LoadPathRequest) (dharma.LoadPathResponse, error) {
		b.calls = append(b.calls, "load "+q.File)
		if b.loading != nil {
			b.loading()
		}
		return dharma.LoadPathResponse{Success: b.refuse == "", Message: b.refuse}, nil
	})
	nodetest.Serve(r, topics.StartNavigation, func(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
		b.calls = append(b.calls, "start")
		b.follow(dharma.NavigationStatus{State: dharma.NavigationStatusStateFollowing, Path: route})
		return stdsrvs.TriggerResponse{Success: true}, nil
	})
	nodetest.Serve(r, topics.StopNavigation, func(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
		b.calls = append(b.calls, "stop")
		b.follow(dharma.NavigationStatus{State: dharma.NavigationStatusStateInactive, Path: route})
		return stdsrvs.TriggerResponse{Success: true}, nil
	})
	r.Run(scheduler.Name, n)
	nodetest.Publish(r, topics.SiteStatus, dharma.SiteStatus{Site: "hall"})
	nodetest.Publish(r, topics.LocalizationStatus, dharma.LocalizationStatus{State: dharma.LocalizationStatusStateLocalized})
	b.follow(b.nav)
	return b
}

func (b *bench) follow(m dharma.NavigationStatus) {
	b.nav = m
	nodetest.Publish(b.Rig, topics.NavigationStatus, m)
}

// lead lets time pass; the mux tells its status all the while.
func (b *bench) lead(d time.Duration) {
	for range d / (500 * time.Millisecond) {
		nodetest.Publish(b.Rig, topics.ControlStatus, b.control)
		b.Advance(500 * time.Millisecond)
	}
}

func (b *bench) called(want string) {
	b.t.Helper()
	if got := strings.Join(b.calls, ", "); got != want {
		b.t.Errorf("called %q, want %q", got, want)
	}
	b.calls = nil
}

func TestPatrols(t *testing.T) {
	b := newBench(t)
	b.lead(2 * time.Second)
	if s := b.status.Latest().Value; s.State != dharma.ScheduleStatusStateIdle || s.Next != "patrol" || s.NextStart.Sec == 0 || s.Zone != "UTC" {
		t.Errorf("before: %+v", s)
	}
	b.lead(62 * time.Second)
	b.called("load hall/routes/a.csv, start")
	if s := b.status.Latest().Value; s.State != dharma.ScheduleStatusStateRunning || s.Running != "patrol" || s.Route != route || s.Until.Sec == 0 {
		t.Errorf("under way: %+v", s)
	}
	b.follow(dharma.NavigationStatus{State: dharma.NavigationStatusStateFollowing, Path: route, Lap: 3})
	b.lead(10 * time.Minute)
	b.called("")
	if s := b.status.Latest().Value; s.State != dharma.ScheduleStatusStateFinishing {
		t.Errorf("after the window: %+v", s)
	}
	b.follow(dharma.NavigationStatus{State: dharma.NavigationStatusStateFollowing, Path: route, Lap: 4})
	b.lead(3 * time.Second)
	b.called("stop")
	if s := b.status.Latest().Value; s.State != dharma.ScheduleStatusStateIdle || s.Message != "patrol ended: the lap is finished" {
		t.Errorf("after: %+v", s)
	}
	if n := b.status.Len(); n > 8 {
		t.Errorf("the status came %d times, without a change", n)
	}
}

func TestSaysWhyItSkips(t *testing.T) {
	for _, c := range []struct {
		name, want string
		make       func(*bench)
	}{
		{"e-stop", "the e-stop is engaged", func(b *bench) { b.control.Estop = true }},
		{"a person drives", "a person drives: the mode is remote", func(b *bench) { b.control.Mode = dharma.ControlStatusModeRemote }},
		{"not localized", "the robot is not localized", func(b *bench) {
			nodetest.Publish(b.Rig, topics.LocalizationStatus, dharma.LocalizationStatus{State: dharma.LocalizationStatusStateNone})
		}},
		{"no site", "no site is active", func(b *bench) { nodetest.Publish(b.Rig, topics.SiteStatus, dharma.SiteStatus{}) }},
		{"mapping", "the site is being mapped", func(b *bench) { nodetest.Publish(b.Rig, topics.MappingStatus, dharma.MappingStatus{Active: true}) }},
		{"teaching", "a route is being taught", func(b *bench) { nodetest.Publish(b.Rig, topics.RouteStatus, dharma.RouteStatus{Recording: true}) }},
		{"planner", "another navigation is active: the planner is planning", func(b *bench) {
			nodetest.Publish(b.Rig, topics.PlannerStatus, dharma.PlannerStatus{State: dharma.PlannerStatusStatePlanning})
		}},
		{"follower", `another navigation is active: "goal"`, func(b *bench) {
			b.follow(dharma.NavigationStatus{State: dharma.NavigationStatusStateBlocked, Path: "goal"})
		}},
		{"paused by a person", `another navigation is active: "goal"`, func(b *bench) {
			b.follow(dharma.NavigationStatus{State: dharma.NavigationStatusStatePaused, Path: "goal"})
		}},
		{"held", "navigation is held by estop: start and resume it once by hand", func(b *bench) {
			b.follow(dharma.NavigationStatus{State: dharma.NavigationStatusStateInactive, PauseReasons: []string{"localization", "estop"}})
		}},
		{"tour", "a tour is under way", func(b *bench) {
			nodetest.Publish(b.Rig, topics.TourState, molly.TourState{State: molly.TourStateStatePaused})
		}},
		{"docked", "the robot is at its charger: docking is docked", func(b *bench) {
			nodetest.Publish(b.Rig, topics.DockingStatus, dharma.DockingStatus{State: dharma.DockingStatusStateDocked})
		}},
		{"charging", "the battery is being charged", func(b *bench) {
			nodetest.Publish(b.Rig, topics.BodyBattery, sensor.BatteryState{
				PowerSupplyStatus: sensor.BatteryStatePowerSupplyStatusCharging, Percentage: 0.9,
			})
		}},
		{"low", "the battery is low: 10 %", func(b *bench) {
			nodetest.Publish(b.Rig, topics.BodyBattery, sensor.BatteryState{
				PowerSupplyStatus: sensor.BatteryStatePowerSupplyStatusDischarging, Percentage: 0.1,
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			c.make(b)
			b.lead(2 * time.Minute)
			b.called("")
			s := b.status.Latest().Value
			if s.State != dharma.ScheduleStatusStateIdle || s.Skipped != "patrol" || s.SkippedAt.Sec == 0 || !strings.HasPrefix(s.SkippedReason, c.want) {
				t.Errorf("%+v", s)
			}
		})
	}
	t.Run("a mux that is silent", func(t *testing.T) {
		b := newBench(t)
		b.lead(2 * time.Second)
		b.Advance(2 * time.Minute)
		b.called("")
		if s := b.status.Latest().Value; s.SkippedReason != "the control mux says nothing" {
			t.Errorf("%+v", s)
		}
	})
	t.Run("a route of another site", func(t *testing.T) {
		b := newBench(t)
		b.refuse = "hall/routes/a.csv is a route of site hall: load that site first"
		b.lead(2 * time.Minute)
		b.called("load hall/routes/a.csv")
		if s := b.status.Latest().Value; s.SkippedReason != b.refuse {
			t.Errorf("%+v", s)
		}
	})
	t.Run("a person takes over while the route is loaded", func(t *testing.T) {
		b := newBench(t)
		b.loading = func() {
			b.control.Estop = true
			nodetest.Publish(b.Rig, topics.ControlStatus, b.control)
		}
		b.lead(2 * time.Minute)
		b.called("load hall/routes/a.csv")
		if s := b.status.Latest().Value; s.SkippedReason != "the e-stop is engaged: release it" {
			t.Errorf("%+v", s)
		}
	})
}

func TestLateWaitsForTheLocalization(t *testing.T) {
	b := newBench(t, func(r *scheduler.Run) { r.Late = "start" })
	nodetest.Publish(b.Rig, topics.LocalizationStatus, dharma.LocalizationStatus{})
	b.lead(2 * time.Minute)
	b.called("")
	if s := b.status.Latest().Value; s.State != dharma.ScheduleStatusStateWaiting || s.Skipped != "" {
		t.Errorf("%+v", s)
	}
	nodetest.Publish(b.Rig, topics.LocalizationStatus, dharma.LocalizationStatus{State: dharma.LocalizationStatusStateLocalized})
	b.lead(2 * time.Second)
	b.called("load hall/routes/a.csv, start")
}

func TestACancelledRunStaysCancelled(t *testing.T) {
	b := newBench(t, func(r *scheduler.Run) { r.Late = "start" })
	b.lead(70 * time.Second)
	b.called("load hall/routes/a.csv, start")
	b.follow(dharma.NavigationStatus{State: dharma.NavigationStatusStateInactive, Path: route})
	b.lead(15 * time.Minute)
	b.called("")
	if s := b.status.Latest().Value; s.Message != "patrol ended: somebody stopped it" || s.State != dharma.ScheduleStatusStateIdle {
		t.Errorf("%+v", s)
	}
}

func TestAPersonWhoHoldsTheRobotEndsTheRunWithItsWindow(t *testing.T) {
	b := newBench(t)
	b.lead(70 * time.Second)
	b.follow(dharma.NavigationStatus{State: dharma.NavigationStatusStatePaused, Path: route, PauseReasons: []string{"remote"}})
	b.lead(8 * time.Minute)
	b.called("load hall/routes/a.csv, start") // it is a run still
	b.lead(3 * time.Minute)
	b.called("stop")
}

func TestAGoalOfAPersonIsNotStopped(t *testing.T) {
	b := newBench(t)
	b.lead(70 * time.Second)
	b.follow(dharma.NavigationStatus{State: dharma.NavigationStatusStateFollowing, Path: "goal"})
	b.lead(20 * time.Minute)
	b.called("load hall/routes/a.csv, start")
	if s := b.status.Latest().Value; s.Message != `patrol ended: navigation follows "goal" now` {
		t.Errorf("%+v", s)
	}
}

func TestOffByDefault(t *testing.T) {
	r := nodetest.New(t, nodetest.Options{})
	status := nodetest.Collect(r, topics.ScheduleStatus)
	n, err := scheduler.New(scheduler.DefaultConfig(), scheduler.Deps{Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	r.Run(scheduler.Name, n)
	r.Advance(time.Minute)
	if s := status.Latest().Value; s.State != dharma.ScheduleStatusStateOff || status.Len() != 1 {
		t.Errorf("%+v, %d times", s, status.Len())
	}
}

func TestRefusesABadConfiguration(t *testing.T) {
	if _, err := scheduler.New(scheduler.Config{Zone: "Berlin"}, scheduler.Deps{Zone: time.UTC}); err == nil || !strings.Contains(err.Error(), "Berlin") {
		t.Errorf("error = %v", err)
	}
	if _, err := scheduler.New(scheduler.DefaultConfig(), scheduler.Deps{}); err == nil {
		t.Error("no time zone was accepted")
	}
}
