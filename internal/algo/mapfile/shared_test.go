package mapfile

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sharedMaps is the folder of real maps that is too large for the repository.
func sharedMaps(t *testing.T) string {
	t.Helper()
	root := os.Getenv("SARATHI_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	dir := filepath.Join(root, "maps")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no maps in %s; set SARATHI_DATA", dir)
		}
		t.Skipf("no maps in %s; set SARATHI_DATA", dir)
	}
	return dir
}

// expectation is one entry of variants/expected.json.
type expectation struct {
	Expect struct {
		Free   *int `json:"free"`
		Occ    int  `json:"occ"`
		Unk    int  `json:"unk"`
		Mid    int  `json:"mid"`
		Error  bool `json:"error"`
		Reject bool `json:"reject_or_warn"`
	} `json:"expect"`
}

func TestVariants(t *testing.T) {
	dir := filepath.Join(sharedMaps(t), "variants")
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for name, raw := range all {
		if strings.HasPrefix(name, "_") || name == "png_red_walls" { // the latter has no counts; see TestRealMaps and TestPNG
			continue
		}
		var want expectation
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		src, err := Open(filepath.Join(dir, name+".yaml"))
		if want.Expect.Error || want.Expect.Reject {
			checkFault(t, name, dir, err)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		e := want.Expect
		if got, want := src.Count(Nav2), (Counts{*e.Free, e.Occ, e.Unk, e.Mid}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		wantWarning := map[string]string{"nan_yaw": "taken as 0", "free_025": "138722 cells of grey 205", "png_alpha": "not fully opaque"}[name]
		if got := strings.Join(src.Warnings(), "\n"); (got != "") != (wantWarning != "") || !strings.Contains(got, wantWarning) {
			t.Errorf("%s: warnings %q, want %q", name, got, wantWarning)
		}
	}
}

func checkFault(t *testing.T, name, dir string, err error) {
	t.Helper()
	var fault *Error
	if !errors.As(err, &fault) {
		t.Errorf("%s: error %v, want one that names file and remedy", name, err)
		return
	}
	if !strings.HasPrefix(err.Error(), dir) || fault.Remedy == "" || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: unclear message %q", name, err)
	}
}

func TestRealMaps(t *testing.T) {
	dir := sharedMaps(t)
	tests := []struct {
		file          string
		width, height int
		want          Counts // zero: not known from elsewhere
	}{
		{"turtlebot3_world/map.yaml", 384, 384, Counts{7939, 795, 138722, 0}},
		{"aws_small_house/map.yaml", 500, 500, Counts{63021, 3442, 183537, 0}},
		{"willow_garage/willow-2010-02-18-0.10.yaml", 0, 0, Counts{109207, 544, 234377, 0}},
		{"f1tenth_columbia/columbia.yaml", 0, 0, Counts{43024, 109212, 14, 0}},
		{"mit_stata_basement/stata_basement.yaml", 1730, 1300, Counts{}},
		{"variants/png_red_walls.yaml", 384, 384, Counts{7939, 795, 138722, 0}},
		{"nav2_bringup/depot_keepout.yaml", 0, 0, Counts{}},
		{"nav2_bringup/depot_speed.yaml", 0, 0, Counts{}},
	}
	for _, tt := range tests {
		m, err := Load(filepath.Join(dir, filepath.FromSlash(tt.file)))
		if err != nil {
			t.Errorf("%s: %v", tt.file, err)
			continue
		}
		if tt.width != 0 && (m.Width != tt.width || m.Height != tt.height) {
			t.Errorf("%s is %d × %d, want %d × %d", tt.file, m.Width, m.Height, tt.width, tt.height)
		}
		if got := m.Count(); tt.want != (Counts{}) && got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.file, got, tt.want)
		}
	}
}

// The README of the maps counts all of them at 0.65/0.196; two of them say otherwise in their own files.
func TestThresholdsOfNav2Maps(t *testing.T) {
	dir := filepath.Join(sharedMaps(t), "nav2_bringup")
	for file, want := range map[string]Counts{
		"depot.yaml":     {170587, 5947, 8894, 0},
		"warehouse.yaml": {1422292, 30951, 230801, 0},
	} {
		src, err := Open(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		src.Meta.FreeThresh = 0.196
		if got := src.Count(Nav2); got != want {
			t.Errorf("%s: %+v, want %+v", file, got, want)
		}
	}
	depot, err := Load(filepath.Join(dir, "depot.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if got := depot.Count(); got.Unknown != 0 {
		t.Errorf("depot as written has %d unknown cells, want none: its 0.25 makes grey 205 free", got.Unknown)
	}
	site, err := LoadSite(filepath.Join(dir, "depot.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := site.Count().Unknown, 8894; got > want || got == 0 {
		t.Errorf("depot as a site has %d unknown cells, want up to %d", got, want)
	}
	if slices.Equal(site.Cells, depot.Cells) {
		t.Error("LoadSite reads 205 as Load does")
	}
}
