package hal

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"sarathi/driver"
	"sarathi/internal/body/simulated"
)

func percentile(sorted []time.Duration, p int) float64 {
	return float64(sorted[min(len(sorted)*p/100, len(sorted)-1)].Nanoseconds())
}

// BenchmarkCmdToDriver measures the time from writing a cmd frame to a socket until the driver is called. The yardstick is the round trip
// of the same bytes through a plain WebSocket echo; both go in turns, so that they find the machine in the same mood.
func BenchmarkCmdToDriver(b *testing.B) {
	s, url := serveToy(b, AgentConfig{})
	called := make(chan time.Time, 1)
	s.do(func(d *toy) {
		d.moved = func() {
			select {
			case called <- time.Now():
			default:
			}
		}
	})
	c := dial(b, url)
	echo := newEcho(b)
	ctx := context.Background()
	frames := make([]byte, 0, 256)
	const period = 2 * time.Millisecond
	ours, plain := make([]time.Duration, 0, b.N), make([]time.Duration, 0, b.N)
	go drain(c)
	pause := time.NewTicker(period)
	defer pause.Stop()
	for seq := int64(1); b.Loop(); seq++ {
		frames = Append(frames[:0], Cmd{ID: "toy", V: 0.48312345, W: -0.125, Seq: seq})
		<-pause.C
		sent := time.Now()
		if err := echo.Write(ctx, websocket.MessageText, frames); err != nil {
			b.Fatal(err)
		}
		if _, _, err := echo.Read(ctx); err != nil {
			b.Fatal(err)
		}
		plain = append(plain, time.Since(sent))
		<-pause.C
		sent = time.Now()
		if err := c.conn.Write(ctx, websocket.MessageText, frames); err != nil {
			b.Fatal(err)
		}
		ours = append(ours, (<-called).Sub(sent))
	}
	slices.Sort(ours)
	slices.Sort(plain)
	b.ReportMetric(percentile(ours, 50), "p50-ns")
	b.ReportMetric(percentile(ours, 99), "p99-ns")
	b.ReportMetric(percentile(plain, 50), "echo-p50-ns")
	b.ReportMetric(percentile(ours, 50)/percentile(plain, 50), "p50/echo")
	b.ReportMetric(1, "p50/echo:max")
}

// drain reads and forgets what an agent sends.
func drain(c *client) {
	for {
		if _, err := c.raw(); err != nil {
			return
		}
	}
}

// newEcho returns a link to a plain WebSocket echo.
func newEcho(tb testing.TB) *websocket.Conn {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		for {
			kind, data, err := conn.Read(context.Background())
			if err != nil || conn.Write(context.Background(), kind, data) != nil {
				return
			}
		}
	}))
	tb.Cleanup(server.Close)
	conn, _, err := websocket.Dial(context.Background(), server.URL, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { conn.CloseNow() })
	return conn
}

func cpu(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// listenerProcess is the environment variable that makes this test binary a controller that reads telemetry.
const listenerProcess = "HAL_TEST_LISTEN"

// listen reads until it is killed.
func listen(url string) {
	ctx := context.Background()
	conn, _, err := websocket.Dial(ctx, url, nil)
	if err != nil {
		panic(err)
	}
	if err := conn.Write(ctx, websocket.MessageText, Append(nil, Welcome{Accept: true, Controller: "listener"})); err != nil {
		panic(err)
	}
	for err == nil {
		_, _, err = conn.Read(ctx)
	}
}

// BenchmarkArmTelemetry measures what a robot's computer pays for the telemetry of a 6-dof arm at 500 Hz, in parts of a core: agent and
// socket, and the simulation of the arm, which a real one would not need. The controller is another process.
func BenchmarkArmTelemetry(b *testing.B) {
	cfg := simulated.SixAxisArm()
	cfg.Rate = 500
	arm, err := simulated.NewArm(cfg)
	if err != nil {
		b.Fatal(err)
	}
	ln := socket(b)
	a := serveAgent(b, arm, AgentConfig{}, ln)
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), listenerProcess+"=ws://"+ln.Addr().String())
	if err := process.Start(); err != nil {
		b.Fatal(err)
	}
	defer process.Wait()
	defer process.Process.Kill()
	eventually(b, "telemetry is sent", func() bool { return a.Stats().Telemetry > 0 })
	before, began, frames := cpu(b), time.Now(), a.Stats().Telemetry
	for b.Loop() {
		time.Sleep(20 * time.Millisecond) // ten frames
	}
	wall := time.Since(began)
	b.ReportMetric(float64(a.Stats().Telemetry-frames)/wall.Seconds(), "frames/s")
	b.ReportMetric(100*(cpu(b)-before).Seconds()/wall.Seconds(), "%core")
	b.ReportMetric(5, "%core:max")
}

// day drives an agent and a controller in memory for d of virtual time, a command and a telemetry frame each second, and returns how much
// more memory is in use at the end than after the first tenth.
func day(t testing.TB, d time.Duration) (growth int64) {
	p := newPipes(nil)
	body := newToy()
	body.caps.RateHz = 1
	slow := &slowToy{toy: body}
	serveAgent(t, slow, AgentConfig{LinkTimeout: time.Minute}, p)
	c := newContractController(t, ControllerConfig{
		URL: "ws://robot", HTTP: p.client(), PingPeriod: 10 * time.Second, LinkTimeout: time.Minute,
	})
	ctx, cancel := context.WithCancel(t.Context())
	if err := c.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(time.Now(), nobody{}); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	var first uint64
	seconds := int(d / time.Second)
	for i := range seconds {
		if err := c.Command(time.Now(), driver.Velocity{VX: 0.1}); err != nil {
			t.Fatal(err)
		}
		if i%60 == 0 {
			if err := c.Skill(time.Now(), driver.SkillRequest{Name: "wave", ReqID: "w"}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		if i == seconds/10 {
			first = heap()
		}
	}
	growth = int64(heap()) - int64(first)
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return growth
}

// slowToy is a toy that steps ten times a second and does not remember its commands.
type slowToy struct{ *toy }

func (s *slowToy) Period() time.Duration { return 100 * time.Millisecond }

func (s *slowToy) Step(now time.Time) {
	s.mu.Lock()
	s.commands, s.times = s.commands[:0], s.times[:0]
	s.mu.Unlock()
	s.toy.Step(now)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// grown is how much an agent and a controller may seem to grow [B]: what the runtime and the HTTP server keep for themselves.
const grown = 256 << 10

func TestMemoryDoesNotGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if g := day(t, 10*time.Minute); g > grown {
			t.Errorf("%d bytes more than at the beginning", g)
		}
	})
}

// BenchmarkDay is a whole simulated day with a command and telemetry each second.
func BenchmarkDay(b *testing.B) {
	for b.Loop() {
		var g int64
		ok := testing.RunTests(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "day", F: func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { g = day(t, 24*time.Hour) })
		}}})
		if !ok {
			b.Fatal("the day went wrong")
		}
		b.ReportMetric(float64(g), "grown-B")
		b.ReportMetric(grown, "grown-B:max")
	}
}

func BenchmarkDecodeCmd(b *testing.B) {
	text := []byte(`{"v":1,"op":"cmd","id":"robot-1","V":0.48312345678901,"w":-0.125,"seq":123456}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(text); err != nil {
			b.Fatal(err)
		}
	}
}
