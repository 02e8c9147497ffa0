package pathloader_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sarathi/internal/node/nodetest"
	"sarathi/internal/nodes/pathloader"
	"sarathi/internal/site"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
)

// bench is a loader with a sites folder of two sites, and a follower that takes every path but those called refused.
type bench struct {
	*nodetest.Rig
	t     *testing.T
	dir   string
	sites *site.Store
	state *site.State
	paths []dharma.WaypointPath
}

const older, newer, other = "hall/routes/2026-01-01_08-00-00.csv", "hall/routes/2026-01-02_08-00-00.csv", "yard/routes/2026-01-01_09-00-00.csv"

func newBench(t *testing.T, last string) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir()}
	folder, err := site.OpenFolder(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	memory, err := site.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close(); memory.Close() })
	b.sites, b.state = site.NewStore(folder), site.NewState(memory)
	for _, name := range []string{"hall", "yard"} {
		if err := b.sites.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	for i, file := range []string{older, newer, other} {
		b.save(file, fmt.Sprintf("x,y,yaw_deg,dwell_sec\n0,0,0,0\n%d,0,90,5\n6,0,0,0\n", i+2))
	}
	if last != "" {
		if err := b.state.SetLastRoute(last); err != nil {
			t.Fatal(err)
		}
	}
	n, err := pathloader.New(pathloader.Deps{Sites: b.sites, SitesDir: b.dir, State: b.state, Frame: "map"})
	if err != nil {
		t.Fatal(err)
	}
	b.Rig = nodetest.New(t, nodetest.Options{})
	nodetest.Serve(b.Rig, topics.SetPath, func(q dharma.SetPathRequest) (dharma.SetPathResponse, error) {
		if strings.Contains(q.Path.Name, "refused") {
			return dharma.SetPathResponse{Message: "not this one"}, nil
		}
		b.paths = append(b.paths, q.Path)
		return dharma.SetPathResponse{Success: true}, nil
	})
	b.Run(pathloader.Name, n)
	b.Advance(0)
	return b
}

func (b *bench) save(file, text string) {
	b.t.Helper()
	if err := b.sites.SaveRoute(file, []byte(text)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) active(name string) {
	nodetest.Publish(b.Rig, topics.SiteStatus, dharma.SiteStatus{Site: name})
	b.Advance(time.Second)
}

func (b *bench) load(file string) dharma.LoadPathResponse {
	b.t.Helper()
	r, err := nodetest.Call(b.Rig, topics.LoadPath, dharma.LoadPathRequest{File: file})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func TestLoadsARoute(t *testing.T) {
	b := newBench(t, "")
	b.active("hall")
	r := b.load(older)
	if !r.Success || r.Points != 61 || r.Stops != 1 || r.Length < 5.99 || r.Length > 6.01 || !strings.Contains(r.Message, "smoothing moved it by up to 0.00 m") {
		t.Fatalf("%+v", r)
	}
	p := b.paths[0]
	if p.Name != older || p.Header.FrameID != "map" || p.Loop || !slices.ContainsFunc(p.Points, func(w dharma.Waypoint) bool { return w.X == 2 && w.DwellSec == 5 }) {
		t.Errorf("path %s, loop %t, frame %s", p.Name, p.Loop, p.Header.FrameID)
	}
	if r := b.load(filepath.Join(b.dir, filepath.FromSlash(newer))); !r.Success || b.paths[1].Name != newer {
		t.Errorf("by its absolute path: %+v", r)
	}
	b.save("hall/routes/ring.csv", "0,0\n4,0\n4,4\n0,4\n0,0.5\n")
	if r := b.load("hall/routes/ring.csv"); !r.Success || !b.paths[2].Loop || !strings.Contains(r.Message, "a loop") {
		t.Errorf("a loop: %+v", r)
	}
}

func TestRefusals(t *testing.T) {
	b := newBench(t, "")
	b.active("hall")
	b.save("hall/routes/bad.csv", "0,0,0,0\n1,x,0,0\n")
	b.save("hall/routes/point.csv", "1,1,0,0\n1,1,0,0\n")
	b.save("hall/routes/refused.csv", "0,0\n3,0\n")
	outside := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(outside, []byte("0,0\n1,0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(b.dir, "hall", "routes", "link.csv")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ file, want string }{
		{"hall/routes/none.csv", "there is no route hall/routes/none.csv"},
		{"hall/routes/bad.csv", "line 2: y is \"x\""},
		{"hall/routes/point.csv", "no length"},
		{"hall/routes/refused.csv", "not this one"},
		{"hall/routes/link.csv", "link.csv"},
		{other, "is a route of site yard: load that site first"},
		{"hall/../../secret.csv", "load that site first"},
		{"hall/routes/../../yard/routes/2026-01-01_09-00-00.csv", "site yard"},
		{outside, "is not inside the sites folder"},
		{"hall/map.yaml", "is no route of a site"},
		{"", "load that site first"},
	} {
		if r := b.load(tt.file); r.Success || !strings.Contains(r.Message, tt.want) {
			t.Errorf("%q: %+v, want %q", tt.file, r, tt.want)
		}
	}
	if len(b.paths) != 0 {
		t.Errorf("%d paths were loaded", len(b.paths))
	}
}

func TestListsNewestFirst(t *testing.T) {
	b := newBench(t, "")
	for _, tt := range []struct {
		site string
		want []string
	}{{"hall", []string{newer, older}}, {"yard", []string{other}}, {"", []string{newer, other, older}}} {
		r, err := nodetest.Call(b.Rig, topics.ListRoutes, dharma.ListRoutesRequest{Site: tt.site})
		if err != nil || !r.Success || !slices.Equal(r.Routes, tt.want) {
			t.Errorf("%q: %+v, %v", tt.site, r, err)
		}
	}
	if r, err := nodetest.Call(b.Rig, topics.ListRoutes, dharma.ListRoutesRequest{Site: "moon"}); err != nil || r.Success || r.Routes == nil {
		t.Errorf("an unknown site: %+v, %v", r, err)
	}
}

func TestLastRouteIsLoadedAgain(t *testing.T) {
	b := newBench(t, newer)
	b.active("yard")
	if len(b.paths) != 0 {
		t.Fatal("a route of another site is loaded")
	}
	b.active("hall")
	if len(b.paths) != 1 || b.paths[0].Name != newer {
		t.Fatalf("%d paths", len(b.paths))
	}
	// Not over what somebody else loaded.
	b = newBench(t, newer)
	nodetest.Publish(b.Rig, topics.Waypoints, dharma.WaypointPath{Name: "fountain"})
	b.active("hall")
	if len(b.paths) != 0 {
		t.Errorf("%d paths over another", len(b.paths))
	}
}

func TestDepsAreChecked(t *testing.T) {
	if _, err := pathloader.New(pathloader.Deps{Frame: "map"}); err == nil {
		t.Error("nothing is given, and accepted")
	}
}
