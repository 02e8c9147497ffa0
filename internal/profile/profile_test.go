package profile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sarathi/internal/config"
	"sarathi/internal/geom"
)

func TestBuiltinProfilesSurvivePrinting(t *testing.T) {
	t.Setenv(SitesVariable, "")
	if diff := cmp.Diff([]string{"hal", "molly", "pashupati", "zelpi"}, Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for _, name := range Names() {
		want, err := Load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := config.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode("elsewhere/printed.yaml", text, nil)
		if err != nil {
			t.Fatalf("%s, printed: %v", name, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-loaded +printed and loaded):\n%s", name, diff)
		}
	}
}

func TestDefaultIsValid(t *testing.T) {
	p, err := Decode("empty.yaml", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Robot.Name != "Molly" || p.Body.Driver != DriverSimulated {
		t.Errorf("got %+v", p.Robot)
	}
}

func TestRobotForTheMux(t *testing.T) {
	p, err := Load("zelpi", []string{"robot.limits=[0.7, 0, 1.25]"})
	if err != nil {
		t.Fatal(err)
	}
	body := p.Robot.Arbitration()
	if want := (geom.Velocity{VX: 0.7, WZ: 1.25}); body.Limits != want {
		t.Errorf("limits %v, want %v", body.Limits, want)
	}
	if len(body.Footprint) != 4 || body.Footprint[0] != (geom.Vec2{X: 0.2, Y: 0.17}) {
		t.Errorf("footprint %v", body.Footprint)
	}
}

// Every fault that the issue names, and every relation, with the whole message.
func TestBadProfiles(t *testing.T) {
	tests := []struct{ name, yaml, set, want string }{
		{"unknown key", "robot:\n  nmae: x\n", "", "p.yaml:2: robot.nmae: unknown key: did you mean name?"},
		{"wrong unit", "control:\n  remote_timeout: 0.3 m\n", "", "p.yaml:2: control.remote_timeout:"},
		{"no unit", "", "control.remote_timeout=5", "--set control.remote_timeout=5: 5 has no unit: write 5ms or 5s"},
		{"out of range", "control:\n  rate: 5\n", "", "p.yaml:2: control.rate: 5 Hz is out of range 20..200 Hz: write a value between them"},
		{"limit in km/h", "", "robot.limits=[36, 0, 1]", "--set robot.limits=[36, 0, 1]: robot.limits[0]: 36 is out of range 0..10: write a value between them"},
		{"unknown drive", "robot: {drive: holonomc}\n", "", `p.yaml:1: robot.drive: "holonomc" is not known: did you mean holonomic? (one of diff, omni, holonomic)`},
		{
			"sideways diff drive", "robot: {drive: diff}\n", "",
			"p.yaml:1: robot.limits[1]: is not 0: a diff drive cannot move sideways",
		},
		{
			"namespace", "robot: {namespace: /robot}\n", "",
			`p.yaml:1: robot.namespace: "/robot" is no name of a namespace: write lower-case letters, digits and _`,
		},
		{
			"sensor nowhere", "robot:\n  sensors: {scan: laser}\n", "",
			`p.yaml:2: robot.sensors.scan: "laser" is no link of robot.frames: add the link there, with its place`,
		},
		{
			"footprint of two corners", "", "robot.footprint=[[1, 1], [-1, -1]]",
			"--set robot.footprint=[[1, 1], [-1, -1]]: invalid polygon: 2 points, at least 3 are needed: give at least three corners in order, in metres",
		},
		{
			"footprint beside base_link", "", "robot.footprint=[[1, 0.1], [2, 0.1], [2, 1]]",
			"--set robot.footprint=[[1, 0.1], [2, 0.1], [2, 1]]: the origin of base_link is outside: give the corners relative to base_link, around it",
		},
		{
			"footprint in millimetres", "", "robot.footprint=[[300, 400], [-300, 400], [-300, -400], [300, -400]]",
			"reaches 500 m from base_link, at most 5 m are supported: write the corners in metres",
		},
		{
			"self filter beyond the footprint", "robot:\n  footprint: [[0.3, 0.2], [-0.3, 0.2], [-0.3, -0.2], [0.3, -0.2]]\n", "",
			"p.yaml: sectors.self: the box x -0.4..0.4, y -0.28..0.28 reaches beyond robot.footprint (x -0.3..0.3, y -0.2..0.2): an obstacle " +
				"between them is ignored as part of the robot and could be hit: make the box smaller or the footprint larger",
		},
		{
			"body that brakes weakly", "simulated:\n  decel: [0.5, 2, 6]\n", "",
			"p.yaml: control.field.deceleration: 0.8 m/s² is more than the body brakes with forwards (simulated.decel[0] is 0.5 m/s²): " +
				"lower it, or obstacles are reached before the stand",
		},
		{
			"body that brakes turns weakly", "simulated:\n  decel: [2, 2, 1]\n", "",
			"p.yaml: control.field.angular_deceleration: 2.5 rad/s² is more than the body brakes a turn with (simulated.decel[2] is 1 rad/s²): " +
				"lower it, or obstacles are reached before the stand",
		},
		{
			"body that answers late", "simulated:\n  latency: 180ms\n", "",
			"p.yaml: control.field.latency: 200ms is less than the body takes to follow (simulated.latency and simulated.lag are 260ms together): raise it",
		},
		{
			"ramp that brakes weakly", "", "control.field.deceleration=1.5",
			"1.5 m/s² is more than the ramp brakes with, 1 m/s²: raise ramp.deceleration or lower this",
		},
		{
			"no scan", "simulated:\n  scan: {rate: 0}\n", "",
			"p.yaml: sectors.scan: is used and the body has none (simulated.scan.rate is 0), so the protective field would stop the robot for ever: " +
				"write false, or give the body one",
		},
		{
			"slow cloud", "simulated:\n  points: {rate: 2}\n", "",
			"p.yaml:2: simulated.points.rate: 2 Hz is too slow: the protective field wants news within 300ms (sectors.cloud_max_age), or the robot never moves",
		},
		{"driver", "body: {driver: hall}\n", "", `p.yaml:1: body.driver: "hall" is not known: did you mean hal? (one of simulated, hal, ros)`},
		{
			"avoids what it cannot see", "", "body.driver=hal",
			"p.yaml: follower.avoid: vfh needs a scan, which no HAL agent sends, so that navigation would never move: write none",
		},
		{"agent", "body: {hal: {url: http://x}}\n", "", `p.yaml:1: body.hal.url: url "http://x": write ws://HOST:PORT or wss://HOST:PORT`},
		{"folder of somebody", "", "state.dir=~molly/x", `--set state.dir=~molly/x: "~molly/x" begins with ~ but not with ~/: write ~/ or a whole path`},
		{"no folder", "sites: {dir: ' '}\n", "", "p.yaml:1: sites.dir: is empty: write a value"},
		{"not a profile", "- a\n", "", "p.yaml:1: the file holds a list where keys are wanted: write key: value"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var sets []string
			if tt.set != "" {
				sets = []string{tt.set}
			}
			_, err := Decode("p.yaml", []byte(tt.yaml), sets)
			if !errors.Is(err, config.ErrInvalid) {
				t.Fatalf("got %v", err)
			}
			if lines := strings.Split(err.Error(), "\n"); len(lines) != 1 || !strings.Contains(lines[0], tt.want) {
				t.Errorf("got\n%v\nwant one line with\n%s", err, tt.want)
			}
		})
	}
}

// A relation holds at its limit, and is not looked at when the part that needs it is off.
func TestRelationsThatHold(t *testing.T) {
	for _, sets := range [][]string{
		{"simulated.decel=[0.8, 0.8, 2.5]"},
		{"simulated.latency=120ms"},
		{"robot.footprint=[[0.4, 0.28], [0, 0.5], [-0.4, 0.28], [-0.4, -0.28], [0.4, -0.28]]"},
		{"robot.drive=omni", "simulated.decel=[0.8, 0.1, 2.5]"},
		{"control.field.enabled=false", "simulated.decel=[0.3, 0.3, 1]", "simulated.scan.rate=0"},
		{"sectors.scan=false", "simulated.scan.rate=0"},
	} {
		if _, err := Decode("p.yaml", nil, sets); err != nil {
			t.Errorf("%v: %v", sets, err)
		}
	}
}

func TestCovers(t *testing.T) {
	square := func(r float64) geom.Polygon {
		return geom.Polygon{{X: r, Y: r}, {X: -r, Y: r}, {X: -r, Y: -r}, {X: r, Y: -r}}
	}
	notched := geom.Polygon{{X: 1, Y: 1}, {X: 0.1, Y: 1}, {X: 0.1, Y: -0.8}, {X: -0.1, Y: -0.8}, {X: -0.1, Y: 1}, {X: -1, Y: 1}, {X: -1, Y: -1}, {X: 1, Y: -1}}
	for _, tt := range []struct {
		name         string
		outer, inner geom.Polygon
		want         bool
	}{
		{"larger", square(1), square(0.5), true},
		{"the same", square(1), square(1), true},
		{"smaller", square(0.5), square(1), false},
		{"corner cut off", geom.Polygon{{X: 1, Y: 0.9}, {X: 0.9, Y: 1}, {X: -1, Y: 1}, {X: -1, Y: -1}, {X: 1, Y: -1}}, square(1), false},
		{"slot through all corners inside", notched, square(0.7), false},
		{"beside each other", square(0.5).Transform(geom.Pose2{X: 3}), square(0.5), false},
	} {
		if got := covers(tt.outer, tt.inner); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}

func TestPathsStartWhereTheyAreWritten(t *testing.T) {
	t.Setenv(SitesVariable, "")
	dir := t.TempDir()
	file := filepath.Join(dir, "robot.yaml")
	text := "simulated: {world: worlds/flat.yaml}\nstate: {dir: state}\nsites: {dir: ~/maps}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	paths := func(p *Profile) [3]string { return [3]string{p.Simulated.World, p.State.Dir, p.Sites.Dir} }
	for _, tt := range []struct {
		name string
		sets []string
		env  string
		want [3]string
	}{
		{"file", nil, "", [3]string{filepath.Join(dir, "worlds/flat.yaml"), filepath.Join(dir, "state"), "~/maps"}},
		{"built-in world", []string{"simulated.world=house"}, "", [3]string{"house", filepath.Join(dir, "state"), "~/maps"}},
		{"file named like a world", []string{"simulated.world=./house"}, "", [3]string{"./house", filepath.Join(dir, "state"), "~/maps"}},
		{"command line", []string{"state.dir=s", "sites={dir: m}"}, "", [3]string{filepath.Join(dir, "worlds/flat.yaml"), "s", "m"}},
		{"environment", nil, "/srv/sites", [3]string{filepath.Join(dir, "worlds/flat.yaml"), filepath.Join(dir, "state"), "/srv/sites"}},
		{"environment, relative", nil, "sites", [3]string{filepath.Join(dir, "worlds/flat.yaml"), filepath.Join(dir, "state"), "sites"}},
		{"command line over environment", []string{"sites.dir=/mine"}, "/srv", [3]string{filepath.Join(dir, "worlds/flat.yaml"), filepath.Join(dir, "state"), "/mine"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(SitesVariable, tt.env)
			t.Chdir(filepath.Dir(dir))
			relative, err := filepath.Rel(filepath.Dir(dir), file) // whole paths all the same
			if err != nil {
				t.Fatal(err)
			}
			p, err := Load(relative, tt.sets)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, paths(p)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestABadEnvironmentIsNamed(t *testing.T) {
	t.Setenv(SitesVariable, "~root/map")
	_, err := Load("molly", nil)
	if !errors.Is(err, config.ErrInvalid) || !strings.HasPrefix(err.Error(), "environment variable SITES_DIR: dir: ") {
		t.Errorf("got %v", err)
	}
}

func TestLoadOfWhatIsNoProfile(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		"moly": "there is no profile moly: give the path of a file or one of: hal, molly, pashupati, zelpi",
		dir:    "is a directory: give a file that can be read",
	} {
		_, err := Load(path, nil)
		if !errors.Is(err, config.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

func TestFolderPath(t *testing.T) {
	t.Setenv("HOME", "/home/ann")
	for dir, want := range map[string]string{"~/.molly": "/home/ann/.molly", "/var/lib/x": "/var/lib/x"} {
		if got, err := (Folder{Dir: dir}).Path(); err != nil || got != want {
			t.Errorf("%s: %s, %v", dir, got, err)
		}
	}
	t.Setenv("HOME", "")
	if _, err := (Folder{Dir: "~/x"}).Path(); err == nil || !strings.Contains(err.Error(), "folder ~/x") {
		t.Errorf("without a home: %v", err)
	}
}

// FuzzDecode: no profile makes it panic; what is refused is the user's fault; what is accepted survives being printed.
func FuzzDecode(f *testing.F) {
	for _, name := range Names() {
		_, data, err := read(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "seed=3")
	}
	f.Add([]byte("robot: {footprint: [[1e308, 1], [-1e308, 1], [0, -1]]}"), "simulated.world=../x")
	f.Add([]byte("simulated: {scan: {rate: 1e-300}, points: {rate: 5e-324}}"), "sectors.scan=false")
	f.Add([]byte("simulated: {latency: 2540400h, lag: 2540400h}"), "control.field.enabled=false")
	f.Add([]byte("robot: {limits: [0, 0, 0], footprint: []}"), "")
	f.Fuzz(func(t *testing.T, data []byte, set string) {
		p, err := Decode("f.yaml", data, []string{set})
		if err != nil {
			if !errors.Is(err, config.ErrInvalid) {
				t.Fatalf("not marked as a fault of the user: %v", err)
			}
			return
		}
		text, err := config.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode("again.yaml", text, nil)
		if err != nil {
			t.Fatalf("what was printed is refused: %v\n%s", err, text)
		}
		if diff := cmp.Diff(p, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("printing lost something:\n%s", diff)
		}
	})
}
