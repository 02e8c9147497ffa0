package bus_test

import (
	"testing"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/bus/bustest"
	"sarathi/internal/clock"
	"sarathi/msg/geometry"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

var (
	latest  = bus.NewTopic[std.Float64]("/latest", bus.Latest, "the newest")
	queued  = bus.NewTopic[std.Float64]("/queued", bus.Queue(3), "the last three")
	latched = bus.NewTopic[std.Float64]("/latched", bus.Latched, "the newest, for all times")
	twists  = bus.NewTopic[geometry.Twist]("/{robot_ns}/cmd_vel", bus.Latest, "velocity")
	trigger = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/trigger", stdsrvs.TriggerService, "do it")
	enable  = bus.NewService[stdsrvs.SetBoolRequest, stdsrvs.SetBoolResponse]("/{robot_ns}/enable", stdsrvs.SetBoolService, "switch")
)

const ms = time.Millisecond

func epoch() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// world is a bus with a clock that the test moves.
type world struct {
	*bus.Bus
	clock *clock.Manual
	tb    testing.TB
}

func newWorld(tb testing.TB) *world { return newTappedWorld(tb, nil) }

func newTappedWorld(tb testing.TB, tap func(*bus.Sample)) *world {
	clk := clock.NewManual(epoch())
	return &world{Bus: bus.New(bus.Options{Clock: clk, RobotNS: "molly", Tap: tap}), clock: clk, tb: tb}
}

func (w *world) client(name string) *bustest.Client { return bustest.NewClient(w.tb, w.Bus, name) }

// keep returns a handler that writes down what it is given, and the list.
func keep() (handle func(std.Float64), got *[]float64) {
	got = &[]float64{}
	return func(m std.Float64) { *got = append(*got, m.Data) }, got
}

func say(p *bus.Publisher[std.Float64], values ...float64) {
	for _, v := range values {
		p.Publish(std.Float64{Data: v})
	}
}

// mustPanic runs fn and returns what it panicked with.
func mustPanic(t *testing.T, fn func()) (v any) {
	t.Helper()
	defer func() {
		if v = recover(); v == nil {
			t.Error("no panic")
		}
	}()
	fn()
	return nil
}
