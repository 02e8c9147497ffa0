package hal

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"sarathi/driver"
)

// mutate changes a few bytes of a text.
func mutate(rng *rand.Rand, text string) string {
	b := []byte(text)
	const alphabet = `{}[]",:0123456789.eE+-tfnNI\ vop`
	for range 1 + rng.IntN(4) {
		i := rng.IntN(len(b) + 1)
		switch rng.IntN(4) {
		case 0:
			b = append(b[:i], append([]byte{alphabet[rng.IntN(len(alphabet))]}, b[i:]...)...)
		case 1:
			if i < len(b) {
				b = append(b[:i], b[i+1:]...)
			}
		case 2:
			if i < len(b) {
				b[i] = byte(rng.IntN(256))
			}
		default:
			b = b[:i]
		}
	}
	return string(b)
}

// garbage is one of 10,000 frames that nobody should send.
func garbage(rng *rand.Rand, seeds []string) string {
	if rng.IntN(4) > 0 {
		return mutate(rng, seeds[rng.IntN(len(seeds))])
	}
	b := make([]byte, rng.IntN(200))
	for i := range b {
		b[i] = byte(rng.IntN(256))
	}
	return string(b)
}

// An agent outlives 10,000 random and mutated frames, answers the next good one, and nothing it was sent moves its body beyond the limits
// or past an e-stop.
func TestTenThousandBadFrames(t *testing.T) {
	s, url := serveToy(t, AgentConfig{})
	rng := rand.New(rand.NewPCG(7, 7))
	all := slices.DeleteFunc(seeds(), func(s string) bool { return strings.Contains(s, `"accept":false`) }) // which ends the link, rightly
	c := dial(t, url)
	for i := range 10_000 {
		c.text(garbage(rng, all))
		if i%100 == 99 {
			c.sync()
		}
	}
	c.send(Release{}, Cmd{V: 0.25, Seq: 1 << 53})
	c.sync()
	if v, _ := s.toy.heard(); v.VX != 0.25 {
		t.Errorf("after all that it does not obey: %+v", v)
	}
	stats := s.agent.Stats()
	if stats.Frames < 10_000 || stats.Malformed < 5000 {
		t.Errorf("%+v", stats)
	}
	limits := s.toy.caps.Limits
	s.do(func(d *toy) {
		for _, v := range d.commands {
			if !v.IsFinite() || limits.Clamp(v) != v {
				t.Fatalf("the body was told %+v", v)
			}
		}
	})
}

// A controller whose computer has lost its power says nothing any more, not even that it is gone. The body stops by the watchdog, and the
// robot is free when the link has timed out.
func TestHalfOpenLink(t *testing.T) {
	t.Parallel()
	s, url := serveToy(t, AgentConfig{LinkTimeout: 2 * time.Second})
	conn, err := net.Dial("tcp", url[len("ws://"):])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%+v, %v", resp, err)
	}
	say := func(f Frame) {
		text := Append(nil, f)
		if len(text) > 125 {
			t.Fatal("too long for this test")
		}
		head := []byte{0x81, 0x80 | byte(len(text)), 0, 0, 0, 0} // masked by zeros
		if _, err := conn.Write(append(head, text...)); err != nil {
			t.Fatal(err)
		}
	}
	say(Welcome{Accept: true, Controller: "dead soon"})
	say(Cmd{V: 1, Seq: 1})
	eventually(t, "it moves", func() bool { v, _ := s.toy.heard(); return v.VX == 1 })
	eventually(t, "the watchdog stops it", func() bool { return s.agent.Stats().Watchdog == 1 })
	if s.agent.Controller() != "dead soon" {
		t.Error("the robot is free before the link has timed out")
	}
	c := dialFree(t, s.agent, url)
	c.next()
}

// controllerProcess is the environment variable that makes this test binary a controller that drives at full speed.
const controllerProcess = "HAL_TEST_DRIVE"

func TestMain(m *testing.M) {
	if url := os.Getenv(controllerProcess); url != "" {
		drive(url)
		return
	}
	if url := os.Getenv(listenerProcess); url != "" {
		listen(url)
		return
	}
	os.Exit(m.Run())
}

// drive drives until it is killed.
func drive(url string) {
	c, err := NewController(ControllerConfig{URL: url})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	if err := c.Connect(ctx); err != nil {
		panic(err)
	}
	if err := c.Start(time.Now(), nobody{}); err != nil {
		panic(err)
	}
	go func() {
		for range time.Tick(20 * time.Millisecond) {
			_ = c.Command(time.Now(), driver.Velocity{VX: 1})
		}
	}()
	panic(c.Run(ctx))
}

// A controller that is killed at full speed: the body stands within 500 ms, its braking and a period.
func TestKilledController(t *testing.T) {
	t.Parallel()
	s, url := serveToy(t, AgentConfig{})
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), controllerProcess+"="+url)
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	defer process.Wait()
	defer process.Process.Kill()
	eventually(t, "full speed", func() bool { return s.velocity().VX > 0.99 })
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	eventually(t, "it stands", func() bool { return s.velocity() == driver.Velocity{} })
	const load = time.Second // of the machine that tests
	if took, limit := time.Since(killed), driver.WatchdogTimeout+toyBrake+toyPeriod; took > limit+load {
		t.Errorf("it stands after %v, want %v", took, limit)
	} else {
		t.Logf("it stands after %v", took)
	}
}
