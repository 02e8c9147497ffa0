package teleop_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"sarathi/teleop"
)

// From the socket to a subscriber's handler a joystick message allocates nothing.
func TestJoyAllocatesNothing(t *testing.T) {
	cfg := config()
	cfg.TelemetryHz = 1
	r := newRobot(t, cfg, nil)
	d := newDevice(t, "127.0.0.1", r.gateway.Addr(teleop.MollyName))
	d.send(`{"t":"hello"}`)
	d.expect(`"t":"welcome"`)
	joy := []byte(`{"t":"joy","vx":0.1,"vy":0,"wz":-0.25}`)
	run := func() {
		if _, err := d.conn.Write(joy); err != nil {
			t.Fatal(err)
		}
		<-r.fixture.asked
	}
	r.asks(still) // the beginning of the session
	run()
	if n := testing.AllocsPerRun(2000, run); n != 0 {
		t.Errorf("%g allocations for each message", n)
	}
}

// Garbage, wrong tokens and foreign hellos do not keep the driver from driving, nor its state from coming.
func TestGarbageDoesNotStarveTheDriver(t *testing.T) {
	cfg := config()
	cfg.Token = "t"
	r := newRobot(t, cfg, nil)
	d := newDevice(t, "127.0.0.1", r.gateway.Addr(teleop.MollyName))
	d.send(`{"t":"hello","k":"t"}`)
	d.expect(`"t":"welcome"`)
	noise := newDevice(t, "127.0.0.2", r.gateway.Addr(teleop.MollyName))
	began := time.Now()
	var slowest time.Duration
	const rounds = 100
	for i := range rounds {
		for _, datagram := range []string{
			``, `{`, `{"t":"hello"}`, `{"t":"hello","k":"x"}`, `{"t":"hello","k":"t","name":"foreign"}`, `{"t":"joy","vx":1}`,
			`{"t":"joy","vx":1,"k":"t"}`, "\xff\xfe", `[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[`, fmt.Sprintf(`{"t":%q}`, slices.Repeat([]byte("x"), 1400)),
		} {
			noise.send("%s", datagram)
		}
		sent := time.Now()
		d.send(`{"t":"joy","vx":%g,"k":"t"}`, 0.2+float64(i)/1000)
		v := await(t, "the velocity", r.fixture.asked)
		if still(v) { // the beginning of the session
			v = await(t, "the velocity", r.fixture.asked)
		}
		if want := 0.2 + float64(i)/1000; v.Linear.X != want {
			t.Fatalf("asked for %g, want %g", v.Linear.X, want)
		}
		slowest = max(slowest, time.Since(sent))
	}
	if slowest > time.Second {
		t.Errorf("a velocity took %v", slowest)
	}
	t.Logf("%d datagrams of garbage in %v, slowest velocity %v", 10*rounds, time.Since(began), slowest)
}
