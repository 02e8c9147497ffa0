package rosrobot_test

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sarathi/driver"
	"sarathi/internal/body/rosrobot"
	"sarathi/internal/body/simulated"
	"sarathi/internal/config"
	"sarathi/internal/idl"
	"sarathi/internal/rosconv"
	"sarathi/internal/sim"
	"sarathi/internal/sim/scenes"
	"sarathi/msg/builtin"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
	"sarathi/rosbridge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// rosRobot is a robot with ROS: its rosbridge server, and behind it a base with the simulator's physics, which knows nothing of Sarathi but
// what comes on its topics.
type rosRobot struct {
	tb    testing.TB
	cfg   rosrobot.Config
	pipes *pipes
	stop  func() // of the server

	mu     sync.Mutex
	body   *simulated.Driver
	plant  *simulated.Plant
	client *rosbridge.Client
	out    map[driver.Stream]func(idl.Message)
	held   rosbridge.TypedPublisher[std.Bool, *std.Bool]
	skew   time.Duration // of the robot's clock
	calls  []string      // of services
	refuse string        // what services answer
	deaf   bool          // services answer nothing
	quiet  map[driver.Stream]bool
	asked  driver.Velocity   // the last one
	heard  []driver.Velocity // commands
}

// names are those of another robot than the default.
func names(ros int, cmdType string) rosrobot.Config {
	c := rosrobot.DefaultConfig()
	c.URL, c.ROS, c.CmdType, c.CmdVel, c.OdometryHz = "ws://robot", ros, cmdType, "/base/cmd_vel", 25
	c.Odometry.Topic, c.IMU.Topic, c.Scan.Topic, c.Battery.Topic = "/base/odom", "/imu/data", "/lidar", "/battery"
	c.Joints.Topic, c.Points.Topic, c.Image.Topic, c.CameraInfo.Topic = "joint_states", "", "", ""
	c.Scan.Frame = "scan_frame"
	c.EStop.Held = "/base/button"
	c.Skills = []rosrobot.Skill{{Name: "dock", Service: "/base/dock"}}
	return c
}

// limits of the body, as the profile has them.
func limits() driver.Limits { return driver.Limits{VX: 0.8, WZ: 1.5} }

func newRosRobot(tb testing.TB, cfg rosrobot.Config) *rosRobot {
	tb.Helper()
	scene, err := scenes.Load("empty", func(path string, data []byte, into any) error { return config.Decode(path, data, into) })
	if err != nil {
		tb.Fatal(err)
	}
	b, c := simulated.Zelpi()
	b.Limits = driver.Limits{VX: 2, WZ: 4} // faster than it is to be driven
	c.Odometry.Rate, c.IMU.Rate, c.Scan.Rate, c.Scan.Beams, c.Camera.Rate, c.Points.Rate = cfg.OdometryHz, 5, 2, 16, 0, 0
	c.Accel, c.Decel, c.Lag, c.Latency = [3]float64{8, 8, 16}, [3]float64{8, 8, 16}, 10*time.Millisecond, 0
	c.Joints = simulated.Joints{Rate: 2, Wheels: []string{"left", "right"}, WheelRadius: 0.05, Track: 0.3}
	plant, err := simulated.NewPlant(scene, 1, b, c)
	if err != nil {
		tb.Fatal(err)
	}
	r := &rosRobot{
		tb: tb, cfg: cfg, plant: plant, body: simulated.NewDriver(plant), pipes: newPipes(), quiet: map[driver.Stream]bool{},
		out: map[driver.Stream]func(idl.Message){},
	}
	r.serve()
	r.client = r.join(nil)
	r.advertise()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.live(ctx)
	}()
	tb.Cleanup(func() {
		cancel()
		<-done
		r.client.Close()
		r.stop()
	})
	return r
}

// serve starts the robot's rosbridge server.
func (r *rosRobot) serve() {
	cfg := rosbridge.DefaultConfig()
	cfg.Dialect = dialect(r.cfg.ROS)
	broker, err := rosbridge.NewBroker(cfg)
	if err != nil {
		r.tb.Fatal(err)
	}
	l := r.pipes.listen()
	server := &http.Server{Handler: broker, ReadHeaderTimeout: patience}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l)
	}()
	r.stop = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := broker.Close(ctx); err != nil {
			r.tb.Error(err)
		}
		_ = server.Close()
		<-done
	})
}

func dialect(ros int) rosbridge.Dialect {
	if ros == 1 {
		return rosbridge.ROS1
	}
	return rosbridge.ROS2
}

// join returns a client of the robot's server.
func (r *rosRobot) join(change func(*rosbridge.ClientConfig)) *rosbridge.Client {
	cfg := rosbridge.ClientConfig{URL: "ws://robot", Dialect: dialect(r.cfg.ROS), MaxBackoff: 300 * time.Millisecond}
	r.reach(&cfg)
	if change != nil {
		change(&cfg)
	}
	c, err := rosbridge.NewClient(cfg)
	if err != nil {
		r.tb.Fatal(err)
	}
	return c
}

func (r *rosRobot) reach(cfg *rosbridge.ClientConfig) {
	transport := &http.Transport{DialContext: r.pipes.dial, DisableKeepAlives: true}
	cfg.HTTP = &http.Client{Transport: transport}
}

// streamTopic is a stream that the robot publishes.
type streamTopic struct {
	stream driver.Stream
	topic  string
}

func streams(c rosrobot.Config) []streamTopic {
	return []streamTopic{
		{driver.StreamOdometry, c.Odometry.Topic},
		{driver.StreamIMU, c.IMU.Topic},
		{driver.StreamScan, c.Scan.Topic},
		{driver.StreamJoints, c.Joints.Topic},
		{driver.StreamBattery, c.Battery.Topic},
	}
}

func typeName(s driver.Stream, ros int) string {
	if ros == 1 {
		return s.Type().ROS1Name()
	}
	return s.Type().ROS2Name()
}

// skewed returns m with the stamp of a clock that differs.
func skewed(m idl.Message, by time.Duration) idl.Message {
	move := func(t *builtin.Time) { *t = rosconv.Stamp(rosconv.FromStamp(*t).Add(by)) }
	switch m := m.(type) {
	case *nav.Odometry:
		c := *m
		c.Header.FrameID, c.ChildFrameID = "base/odom", "base/base_footprint"
		move(&c.Header.Stamp)
		return &c
	case *sensor.LaserScan:
		c := *m
		c.Header.FrameID = "laser"
		move(&c.Header.Stamp)
		return &c
	}
	return m
}

// live lets the robot go on.
func (r *rosRobot) live(ctx context.Context) {
	r.mu.Lock()
	if err := r.body.Start(time.Now(), r); err != nil {
		r.tb.Error(err)
	}
	r.mu.Unlock()
	tick := time.NewTicker(2 * simulated.Period)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		r.mu.Lock()
		_ = r.body.Command(time.Now(), r.asked) // a base without a watchdog of its own goes on for ever
		r.body.Step(time.Now())
		r.mu.Unlock()
	}
}

// must returns v, or fails the test.
func must[T any](tb testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return v
	}
}

// advertise offers the robot's topics and services.
func (r *rosRobot) advertise() {
	for _, s := range streams(r.cfg) {
		p := must[*rosbridge.Publisher](r.tb)(r.client.Advertise(s.topic, typeName(s.stream, r.cfg.ROS), rosbridge.AdvertiseOptions{}))
		r.out[s.stream] = func(m idl.Message) { _ = p.Publish(m.AppendJSON(nil)) }
	}
	r.held = must[rosbridge.TypedPublisher[std.Bool, *std.Bool]](r.tb)(
		rosbridge.AdvertiseAs[std.Bool](r.client, r.cfg.EStop.Held, rosbridge.AdvertiseOptions{Latch: true}))
	if r.cfg.CmdType == "geometry_msgs/TwistStamped" {
		must[*rosbridge.Subscription](r.tb)(rosbridge.SubscribeAs(r.client, r.cfg.CmdVel, rosbridge.SubscribeOptions{},
			func(m *geometry.TwistStamped) { r.obey(&m.Twist) }))
	} else {
		must[*rosbridge.Subscription](r.tb)(rosbridge.SubscribeAs(r.client, r.cfg.CmdVel, rosbridge.SubscribeOptions{}, r.obey))
	}
	services := []string{r.cfg.EStop.Engage, r.cfg.EStop.Release}
	for _, s := range r.cfg.Skills {
		services = append(services, s.Service)
	}
	for _, name := range services {
		if name == "" {
			continue
		}
		must[*rosbridge.ServiceServer](r.tb)(rosbridge.ServeAs(r.client, name, stdsrvs.TriggerService,
			func(ctx context.Context, _ stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
				return r.serveTrigger(ctx, name)
			}))
	}
}

func (r *rosRobot) serveTrigger(ctx context.Context, name string) (stdsrvs.TriggerResponse, error) {
	r.mu.Lock()
	r.calls = append(r.calls, name)
	refuse, deaf := r.refuse, r.deaf
	r.mu.Unlock()
	if deaf {
		<-ctx.Done()
	}
	work, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	if name == "/base/dock" {
		<-work.Done()
	}
	return stdsrvs.TriggerResponse{Success: refuse == "", Message: refuse}, nil
}

// obey is what a base controller does.
func (r *rosRobot) obey(m *geometry.Twist) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = driver.Velocity{VX: m.Linear.X, VY: m.Linear.Y, WZ: m.Angular.Z}
	r.heard = append(r.heard, r.asked)
}

// press presses the robot's button, or pulls it out.
func (r *rosRobot) press(pressed bool) {
	r.plant.Press(pressed)
	if !pressed { // a base whose button is out drives again
		r.mu.Lock()
		_ = r.body.Release(time.Now())
		r.mu.Unlock()
	}
	_ = r.held.Publish(&std.Bool{Data: pressed})
}

// velocity is how the robot really moves.
func (r *rosRobot) velocity() driver.Velocity {
	var v driver.Velocity
	_ = r.plant.Do(func(_ *sim.World, robot *sim.Robot) error {
		v = driver.Velocity(robot.Truth().Velocity)
		return nil
	})
	return v
}

// The robot is the sink of its simulated base.

func (r *rosRobot) Publish(s driver.Stream, m idl.Message) {
	publish := r.out[s]
	if publish == nil || r.quiet[s] {
		return
	}
	publish(skewed(m, r.skew))
}

func (r *rosRobot) SkillResult(driver.SkillResult) {}
func (r *rosRobot) Fault(driver.Fault)             {}
func (r *rosRobot) EStop(driver.EStopState)        {}
func (r *rosRobot) Wanted(driver.Stream) bool      { return true }

// locked changes the robot.
func (r *rosRobot) locked(fn func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fn()
}

// pipes connect clients with the servers that listen, in memory.
type pipes struct {
	mu    sync.Mutex
	conns chan net.Conn
	done  chan struct{}
	open  []net.Conn
	ice   chan struct{} // not nil: what is written waits until it is closed
}

func newPipes() *pipes { return &pipes{} }

// listener is one server's.
type listener struct {
	p     *pipes
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (p *pipes) listen() net.Listener {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns, p.done = make(chan net.Conn), make(chan struct{})
	return &listener{p: p, conns: p.conns, done: p.done}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "robot", Net: "pipe"} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	p.mu.Lock()
	conns, done := p.conns, p.done
	p.mu.Unlock()
	client, server := net.Pipe()
	select {
	case conns <- server:
		p.mu.Lock()
		p.open = append(p.open, client)
		p.mu.Unlock()
		return &freezing{Conn: client, p: p, closed: make(chan struct{})}, nil
	case <-done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// cut loses all links without a word.
func (p *pipes) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.open {
		_ = c.Close()
	}
	p.open = nil
}

// freeze holds up all that is written on all links, as a cable that is pulled does, or lets it go on.
func (p *pipes) freeze(frozen bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if frozen {
		p.ice = make(chan struct{})
		return
	}
	close(p.ice)
	p.ice = nil
}

// freezing is a link that can freeze.
type freezing struct {
	net.Conn
	p      *pipes
	closed chan struct{}
	once   sync.Once
}

func (f *freezing) Write(b []byte) (int, error) {
	f.p.mu.Lock()
	ice := f.p.ice
	f.p.mu.Unlock()
	if ice != nil {
		select {
		case <-ice:
		case <-f.closed:
			return 0, net.ErrClosed
		}
	}
	return f.Conn.Write(b)
}

func (f *freezing) Close() error {
	f.once.Do(func() { close(f.closed) })
	return f.Conn.Close()
}
