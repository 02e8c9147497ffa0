package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/bus"
	"sarathi/internal/config"
	"sarathi/internal/node"
	"sarathi/internal/site"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/molly"
	"sarathi/msg/nav"
)

// curator loads the site museum as soon as it hears of it, and puts a POI there.
type curator struct {
	maps  chan nav.OccupancyGrid
	pois  chan molly.PoiArray
	saved chan molly.SavePoiResponse
}

func newCurator() *curator {
	const room = 16
	return &curator{make(chan nav.OccupancyGrid, room), make(chan molly.PoiArray, room), make(chan molly.SavePoiResponse, 1)}
}

func (c *curator) Setup(ctx *node.Context) error {
	load, save := bus.NewCaller(ctx, topics.LoadSite), bus.NewCaller(ctx, topics.SavePoi)
	begun := false
	bus.Subscribe(ctx, topics.SiteStatus, func(m dharma.SiteStatus) {
		if m.Site == "" {
			load.Call(dharma.LoadSiteRequest{Site: "museum"}, patience, func(dharma.LoadSiteResponse, error) {})
		}
	})
	bus.Subscribe(ctx, topics.Map, func(m nav.OccupancyGrid) { c.maps <- m })
	bus.Subscribe(ctx, topics.SitePois, func(m molly.PoiArray) {
		c.pois <- m
		if m.Site == "" || begun || len(m.Pois) > 0 {
			return
		}
		begun = true
		save.Call(molly.SavePoiRequest{Poi: molly.Poi{Name: "Lobby"}}, patience, func(r molly.SavePoiResponse, err error) {
			if err != nil {
				r.Message = err.Error()
			}
			c.saved <- r
		})
	})
	return nil
}

// await takes what comes, until match reports true.
func await[T any](t *testing.T, what string, from chan T, match func(T) bool) T {
	t.Helper()
	limit := time.After(patience)
	for {
		select {
		case v := <-from:
			if match(v) {
				return v
			}
		case <-limit:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func TestARobotRemembersItsSite(t *testing.T) {
	p := load(t)
	disk, err := site.OpenFolder(p.Sites.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	store := site.NewStore(disk)
	plan := &mapfile.Map{Meta: mapfile.Meta{Resolution: 0.1}, Width: 2, Height: 1, Cells: []int8{0, 100}}
	if err := errors.Join(store.Create("museum"), store.SaveMap("museum", plan, nil)); err != nil {
		t.Fatal(err)
	}
	curator := func(c *curator) func([]node.Spec) []node.Spec {
		return func(specs []node.Spec) []node.Spec {
			return append(specs, node.Spec{Name: "curator", Stage: node.StageBody, New: func() (node.Node, error) { return c, nil }})
		}
	}
	first := newCurator()
	r := startRobot(t, p, curator(first))
	if m := await(t, "the map", first.maps, func(nav.OccupancyGrid) bool { return true }); len(m.Data) != 2 || m.Header.FrameID != "map" {
		t.Errorf("map %+v", m)
	}
	if saved := await(t, "an answer", first.saved, func(molly.SavePoiResponse) bool { return true }); !saved.Success || saved.Poi.ID != "lobby" {
		t.Errorf("answer %+v", saved)
	}
	if content, _, err := store.Content("museum"); err != nil || len(content.POIs) != 1 {
		t.Errorf("on disk when the answer is there: %+v, %v", content, err)
	}
	if err := disk.Claim(); !errors.Is(err, site.ErrInUse) {
		t.Errorf("the sites of a robot that runs can be claimed: %v", err)
	}
	r.stop()
	if err := r.wait(t); err != nil {
		t.Fatal(err)
	}
	second := newCurator()
	startRobot(t, p, curator(second))
	pois := await(t, "the POIs of the last site", second.pois, func(m molly.PoiArray) bool { return m.Site == "museum" })
	if len(pois.Pois) != 1 || pois.Pois[0].Name != "Lobby" {
		t.Errorf("POIs %+v", pois)
	}
}

func TestSitesUnderRepair(t *testing.T) {
	p := load(t)
	tool, err := site.OpenFolder(p.Sites.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tool.Close()
	if err := tool.Claim(); err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), p, RunOptions{}); !errors.Is(err, site.ErrInUse) {
		t.Errorf("a robot starts while its sites are repaired: %v", err)
	}
}

// A simulation works on a copy of its sites, and says what is wrong with them.
func TestSitesOfASimulationAreCopies(t *testing.T) {
	dir := t.TempDir()
	const route = "hall/routes/2026-01-01_08-00-00.csv"
	if err := os.MkdirAll(filepath.Join(dir, "hall", "routes"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, route), []byte("0,0\n1,0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	at, err := simulatedPlaces(dir, "hall")
	if err != nil {
		t.Fatal(err)
	}
	if active, err := at.state.Active(); err != nil || active != "hall" {
		t.Errorf("active is %q, %v", active, err)
	}
	if err := at.sites.SaveRoute("hall/routes/2026-01-02_08-00-00.csv", []byte("0,0\n2,0\n")); err != nil {
		t.Fatal(err)
	}
	if routes, err := at.sites.Routes("hall"); err != nil || len(routes) != 2 {
		t.Errorf("routes %q, %v", routes, err)
	}
	if files, err := os.ReadDir(filepath.Join(dir, "hall", "routes")); err != nil || len(files) != 1 {
		t.Errorf("the folder has %d files, %v", len(files), err)
	}
	for _, tt := range []struct{ dir, site, want string }{{dir, "attic", "world.site"}, {filepath.Join(dir, "none"), "", "world.sites"}} {
		if _, err := simulatedPlaces(tt.dir, tt.site); !errors.Is(err, config.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s in %s: %v", tt.site, tt.dir, err)
		}
	}
}
