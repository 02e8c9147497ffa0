package scenes_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/config"
	"sarathi/internal/geom"
	"sarathi/internal/sim/scenes"
)

// decode is the strict decoder that programs pass.
func decode(path string, data []byte, into any) error { return config.Decode(path, data, into) }

func TestBuiltinScenes(t *testing.T) {
	names := scenes.Names()
	if want := []string{"corridor", "empty", "house"}; !cmp.Equal(names, want) {
		t.Fatalf("scenes %q, want %q", names, want)
	}
	for _, name := range names {
		s, err := scenes.Load(name, decode)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s.Name != name || s.Start == nil || s.Charger == nil {
			t.Errorf("%s: name %q, start %v, charger %v", name, s.Name, s.Start, s.Charger)
		}
	}
	if _, ok := scenes.Builtin("../builtin"); ok {
		t.Error("a name reaches out of the folder")
	}
}

func TestDecodeEverything(t *testing.T) {
	s, err := scenes.Load(filepath.Join("testdata", "everything.yaml"), decode)
	if err != nil {
		t.Fatal(err)
	}
	want := scenes.Scene{
		Name: "everything", Bounds: &[4]float64{-1, -2, 10, 8}, MapHeight: 2.5,
		Start: &scenes.Pose{X: 1, Y: 2, YawDeg: 90}, Charger: &scenes.Pose{X: 0.5, Y: 5},
		Walls: []scenes.Wall{
			{Name: "long", Points: [][2]float64{{0, 4}, {5, 4}, {5, 6}}, Height: 2.5},
			{Points: [][2]float64{{6, 6}, {7, 6}, {7, 7}}, Closed: true, Bottom: 0.5, Height: 1},
		},
		Boxes:   []scenes.Box{{Name: "table", X: 3, Y: 2, YawDeg: 15, Size: [2]float64{1.2, 0.8}, Height: 0.8}},
		Circles: []scenes.Circle{{Name: "pillar", X: 6, Y: 3, Radius: 0.2, Height: 2.5}},
		Doors: []scenes.Door{{
			Name: "kitchen", From: [2]float64{5, 1}, To: [2]float64{5, 1.9}, Open: true, Height: 2.1, Travel: time.Second,
			Schedule: []scenes.DoorEvent{{At: 20 * time.Second}, {At: 40 * time.Second, Open: true}}, Repeat: time.Minute,
		}},
		People: []scenes.Person{{
			Name: "anna", Speed: 1.2, SpeedSpread: 0.1, Loop: true, KeepOff: 0.5, Radius: 0.25, Height: 1.7,
			Waypoints: []scenes.Waypoint{{X: 1, Y: 5}, {X: 4, Y: 5, Pause: 2 * time.Second}},
		}},
		Tags: []scenes.Tag{{ID: 2, Size: 0.15, X: 0.02, Y: 5, Z: 0.5}},
	}
	if d := cmp.Diff(want, s); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestEveryFaultAtOnce(t *testing.T) {
	_, err := scenes.Load(filepath.Join("testdata", "faults.yaml"), decode)
	if err == nil {
		t.Fatal("the file was accepted")
	}
	got := strings.ReplaceAll(err.Error(), "testdata"+string(filepath.Separator), "") + "\n"
	want, readErr := os.ReadFile(filepath.Join("testdata", "faults.txt"))
	if readErr != nil {
		t.Fatal(readErr)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if !errors.Is(err, config.ErrInvalid) {
		t.Error("the error does not match config.ErrInvalid")
	}
}

// files writes the files of a test into a folder of its own.
func files(t *testing.T, contents map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range contents {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	mapYAML = "image: m.pgm\nresolution: 0.5\norigin: [1, 2, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n"
	mapPGM  = "P2 2 1 255\n0 254\n"
)

func TestMaps(t *testing.T) {
	dir := files(t, map[string]string{
		"scene.yaml": "name: s\nmap: maps/m.yaml\n", "maps/m.yaml": mapYAML, "maps/m.pgm": mapPGM,
		"lost.yaml": "name: s\nmap: none.yaml\n",
	})
	for _, path := range []string{"scene.yaml", "maps/m.yaml"} {
		s, err := scenes.Load(filepath.Join(dir, path), decode)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if s.Grid == nil || s.Grid.Width != 2 || s.Grid.Meta.Origin != (geom.Pose2{X: 1, Y: 2}) {
			t.Errorf("%s: map %+v", path, s.Grid)
		}
		if s.MapHeight != 2.5 {
			t.Errorf("%s: height %g", path, s.MapHeight)
		}
	}
	for path, want := range map[string]string{"lost.yaml": "none.yaml: cannot be read", "missing.yaml": "or one of: corridor, empty, house"} {
		if _, err := scenes.Load(filepath.Join(dir, path), decode); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
}

func TestDefaultPersonNeedsOnlyANameAndAPlace(t *testing.T) {
	p := scenes.DefaultPerson()
	if p.Validate() == nil {
		t.Error("a person without name and place is valid")
	}
	p.Name, p.Waypoints = "a", []scenes.Waypoint{{}}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, name := range scenes.Names() {
		text, _ := scenes.Builtin(name)
		f.Add(text)
	}
	f.Add([]byte("walls: [{points: [[0, 0]]}]\nboxes: 3\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := scenes.Default()
		if err := decode("s.yaml", data, &s); err == nil && s.Validate() != nil {
			t.Fatalf("accepted although %v", s.Validate())
		}
	})
}
