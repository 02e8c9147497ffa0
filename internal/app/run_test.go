package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sarathi/internal/body/simulated"
	"sarathi/internal/bus"
	"sarathi/internal/config"
	"sarathi/internal/node"
	"sarathi/internal/nodes/controlmux"
	"sarathi/internal/profile"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
)

// patience is how long a test waits for what takes milliseconds, on a machine with much else to do.
const patience = 20 * time.Second

// load returns a profile whose folders are the test's.
func load(t *testing.T, sets ...string) *profile.Profile {
	t.Helper()
	dir := t.TempDir()
	p, err := profile.Load("molly", append([]string{
		"simulated.world=empty", "state.dir=" + filepath.Join(dir, "state"), "sites.dir=" + filepath.Join(dir, "sites"),
		"teleop.bind=127.0.0.1", "teleop.molly.port=0", "rosbridge.port=0",
	}, sets...))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// witness is a node that outlives the mux and remembers what it hears of it.
type witness struct {
	mu       sync.Mutex
	commands []geometry.Twist
	statuses []dharma.ControlStatus
	first    chan struct{} // closed at the first status
	once     sync.Once
}

func (w *witness) Setup(c *node.Context) error {
	bus.Subscribe(c, topics.BodyCmdVel, func(m geometry.Twist) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.commands = append(w.commands, m)
	})
	bus.Subscribe(c, topics.ControlStatus, func(m dharma.ControlStatus) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.statuses = append(w.statuses, m)
		w.once.Do(func() { close(w.first) })
	})
	return nil
}

// robot is a running robot of a test.
type robot struct {
	witness *witness
	plant   *simulated.Plant
	stop    context.CancelFunc
	ended   chan error
}

// startRobot runs a robot and waits for its first status. change may change its nodes.
func startRobot(t *testing.T, p *profile.Profile, change func([]node.Spec) []node.Spec) *robot {
	t.Helper()
	plant, err := newPlant(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &robot{witness: &witness{first: make(chan struct{})}, plant: plant, stop: cancel, ended: make(chan error, 1)}
	started := make(chan struct{})
	go func() {
		r.ended <- runWith(ctx, p, onPlant(plant), RunOptions{Started: func() { close(started) }}, func(specs []node.Spec) []node.Spec {
			specs = append(specs, node.Spec{
				Name: "witness", Stage: node.StageBody, New: func() (node.Node, error) { return r.witness, nil },
			})
			if change != nil {
				specs = change(specs)
			}
			return specs
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-r.ended
	})
	for _, c := range []chan struct{}{started, r.witness.first} {
		select {
		case <-c:
		case err := <-r.ended:
			r.ended <- err
			t.Fatalf("the robot ended at once: %v", err)
		case <-time.After(patience):
			t.Fatal("the robot does not start")
		}
	}
	return r
}

// wait waits for the end of the robot.
func (r *robot) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.ended:
		r.ended <- err // for the cleanup
		return err
	case <-time.After(patience):
		t.Fatal("the robot does not end")
		return nil
	}
}

func TestRunStartsAndStopsInOrder(t *testing.T) {
	before := goleak.IgnoreCurrent()
	p := load(t)
	r := startRobot(t, p, nil)
	asked := time.Now()
	r.stop()
	if err := r.wait(t); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(asked); took > 2*time.Second {
		t.Errorf("stopping took %v", took)
	}
	w := r.witness
	if last := w.commands[len(w.commands)-1]; last != (geometry.Twist{}) {
		t.Errorf("the last command is %+v", last)
	}
	if last := w.statuses[len(w.statuses)-1]; !last.Estop || !strings.Contains(strings.Join(last.EstopReasons, ";"), "shutting down") {
		t.Errorf("the last status is %+v", last)
	}
	if !r.plant.EStopState().Engaged {
		t.Error("the body is not latched")
	}
	goleak.VerifyNone(t, before)
}

func TestASecondRobotIsRefused(t *testing.T) {
	before := goleak.IgnoreCurrent()
	p := load(t)
	r := startRobot(t, p, nil)
	err := Run(t.Context(), p, RunOptions{Started: func() { t.Error("it says that it started") }})
	if !errors.Is(err, ErrRunning) || !errors.Is(err, config.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	for _, want := range []string{p.State.Dir, "--set state.dir=DIR"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	r.stop()
	if err := r.wait(t); err != nil {
		t.Fatalf("the first robot suffered: %v", err)
	}
	goleak.VerifyNone(t, before)
	// The folder is free again.
	again := startRobot(t, p, nil)
	again.stop()
	if err := again.wait(t); err != nil {
		t.Error(err)
	}
}

func TestRunRefusesWhatTheUserCanMend(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	badMap := filepath.Join(dir, "map.yaml")
	for name, text := range map[string]string{
		file: "", badMap: "image: map.pgm\nresolution: 0.05\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n",
		filepath.Join(dir, "map.pgm"): "P5\n100 100\n255\ntoo short", filepath.Join(dir, "scene.yaml"): "wals: []\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ name, set, want string }{
		{"sites folder that is a file", "sites.dir=" + file, "sites.dir: mkdir " + file + ": not a directory: make the folder writable or choose another with --set sites.dir=PATH"},
		{"state folder below a file", "state.dir=" + filepath.Join(file, "x"), "choose another with --set state.dir=PATH"},
		{"no such world", "simulated.world=" + filepath.Join(dir, "none.yaml"), "none.yaml: no such file or directory; give the path of a scene or of a map, or one of: corridor, empty, house"},
		{"malformed PGM", "simulated.world=" + badMap, "map.pgm"},
		{"scene with an unknown key", "simulated.world=" + filepath.Join(dir, "scene.yaml"), "scene.yaml:1: wals: unknown key: did you mean walls?"},
		{"sensor that cannot be", "simulated.scan.beams=0", "beams"},
		{"body that cannot move", "simulated.accel=[0, 0, 0]", "accel"},
		{"body that fills its world", "robot.footprint=[[4, 4], [-4, 4], [-4, -4], [4, -4]]", "footprint"},
		{"tilted lidar", "robot.frames.links[2].rpy_deg=[0, 20, 0]", "scan_frame is tilted"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			var err error
			p, err := profile.Load("molly", append([]string{
				"simulated.world=house", "state.dir=" + filepath.Join(t.TempDir(), "s"), "sites.dir=" + t.TempDir(),
			}, tt.set))
			if err == nil {
				err = Run(t.Context(), p, RunOptions{Started: func() { t.Error("it says that it started") }})
			}
			if err == nil {
				t.Fatal("it ran")
			}
			if !errors.Is(err, config.ErrInvalid) {
				t.Errorf("not marked as a fault of the user: %v", err)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v\nwant %q in it", err, tt.want)
			}
			goleak.VerifyNone(t, before)
		})
	}
}

// A world that does not exist must not leave folders behind.
func TestARefusedRobotMakesNoFolders(t *testing.T) {
	p := load(t, "simulated.world=/nowhere/at/all.yaml")
	if err := Run(t.Context(), p, RunOptions{}); err == nil {
		t.Fatal("it ran")
	}
	for _, dir := range []string{p.State.Dir, p.Sites.Dir} {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was made", dir)
		}
	}
}

// mortal is a node that panics when it is told to.
type mortal struct {
	node.Node
	die chan *node.Context // gets the context
}

func (m mortal) Setup(c *node.Context) error {
	m.die <- c
	return m.Node.Setup(c)
}

func TestAPanicOfTheMuxEndsTheProgram(t *testing.T) {
	before := goleak.IgnoreCurrent()
	mux := make(chan *node.Context, 1)
	r := startRobot(t, load(t), func(specs []node.Spec) []node.Spec {
		for i, s := range specs {
			if s.Name == controlmux.Name {
				specs[i].New = func() (node.Node, error) {
					n, err := s.New()
					return mortal{n, mux}, err
				}
			}
		}
		return specs
	})
	(<-mux).Post(func() { panic("a bug") })
	err := r.wait(t)
	if err == nil || !strings.Contains(err.Error(), controlmux.Name) || !strings.Contains(err.Error(), "a bug") || errors.Is(err, config.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	goleak.VerifyNone(t, before)
}

func TestAPanicAtTheStartIsNoFaultOfTheUser(t *testing.T) {
	p := load(t)
	plant, err := newPlant(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	before := goleak.IgnoreCurrent()
	err = runWith(t.Context(), p, onPlant(plant), RunOptions{}, func(specs []node.Spec) []node.Spec {
		return append(specs, node.Spec{Name: "faulty", Stage: node.StageGateway, New: func() (node.Node, error) { panic("a bug") }})
	})
	if err == nil || errors.Is(err, config.ErrInvalid) || !strings.Contains(err.Error(), "faulty: panic: a bug") {
		t.Errorf("got %v", err)
	}
	goleak.VerifyNone(t, before)
}
