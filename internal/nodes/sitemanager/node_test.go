package sitemanager_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/nodes/sitemanager"
	"sarathi/internal/site"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/nav"
	"sarathi/msg/stdsrvs"
)

// bench is a robot of which only the site manager is real. It has the site "museum" with a map of three cells, a tag and a route.
type bench struct {
	*nodetest.Rig
	t      *testing.T
	disk   *site.Memory
	store  *site.Store
	state  *site.State
	maps   *nodetest.Collector[nav.OccupancyGrid]
	status *nodetest.Collector[dharma.SiteStatus]
	calls  []string // what the other nodes were asked for
	refuse string   // the call that they refuse
}

func newBench(t *testing.T) *bench {
	t.Helper()
	disk := site.NewMemory()
	b := &bench{
		Rig: nodetest.New(t, nodetest.Options{}), t: t, disk: disk,
		store: site.NewStore(disk), state: site.NewState(site.NewMemory()),
	}
	if err := errors.Join(
		b.store.Create("museum"), b.store.Create("annexe"),
		b.store.SaveMap("museum", &mapfile.Map{
			Meta: mapfile.Meta{Resolution: 0.05, Origin: geom.Pose2{X: 1, Theta: 0.5}}, Width: 3, Height: 1, Cells: []int8{0, 100, -1},
		}, nil),
		b.store.SaveTags("museum", []site.Tag{{Frame: "base_map", Pose: geom.IdentityTransform()}}),
	); err != nil {
		t.Fatal(err)
	}
	b.put("museum/routes/20260101_100000.csv", "0,0,0,0\n")
	b.maps, b.status = nodetest.Collect(b.Rig, topics.Map), nodetest.Collect(b.Rig, topics.SiteStatus)
	return b
}

// put writes a file as another program does.
func (b *bench) put(name, text string) {
	b.t.Helper()
	for i, c := range name {
		if c == '/' {
			if err := b.disk.MakeFolder(name[:i]); err != nil {
				b.t.Fatal(err)
			}
		}
	}
	f, err := b.disk.Create(name)
	if err != nil {
		b.t.Fatal(err)
	}
	_, err = f.Write([]byte(text))
	if err = errors.Join(err, f.Commit()); err != nil {
		b.t.Fatal(err)
	}
}

// start runs the node.
func (b *bench) start(change func(*sitemanager.Config)) {
	b.t.Helper()
	cfg := sitemanager.DefaultConfig()
	if change != nil {
		change(&cfg)
	}
	n, err := sitemanager.New(cfg, sitemanager.Deps{Sites: b.store, State: b.state, Frame: "map"})
	if err != nil {
		b.t.Fatal(err)
	}
	b.Run(sitemanager.Name, n)
	b.Advance(100 * time.Millisecond)
}

// answer notes a call, and refuses it when it is to.
func (b *bench) answer(call string) (bool, string) {
	b.calls = append(b.calls, call)
	return b.refuse != call, "because"
}

func (b *bench) took() string {
	out := strings.Join(b.calls, ", ")
	b.calls = nil
	return out
}

func (b *bench) localization() {
	for s, call := range map[*bus.Service[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]]string{
		topics.ResetLocalization: "forget", topics.AssumeOrigin: "origin",
	} {
		nodetest.Serve(b.Rig, s, func(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
			ok, message := b.answer(call)
			return stdsrvs.TriggerResponse{Success: ok, Message: message}, nil
		})
	}
	nodetest.Serve(b.Rig, topics.LoadTags, func(r dharma.LoadFileRequest) (dharma.LoadFileResponse, error) {
		ok, message := b.answer("tags " + r.File)
		return dharma.LoadFileResponse{Success: ok, Message: message}, nil
	})
}

// mapper answers as grid_mapper_node; what it saves is a map of one free cell.
func (b *bench) mapper() {
	nodetest.Serve(b.Rig, topics.StartGrid, func(r dharma.StartMappingRequest) (dharma.StartMappingResponse, error) {
		ok, message := b.answer(fmt.Sprintf("map %s %v", r.Site, r.Reset))
		return dharma.StartMappingResponse{Success: ok, Message: message}, nil
	})
	nodetest.Serve(b.Rig, topics.StopGrid, func(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
		ok, message := b.answer("stop")
		return stdsrvs.TriggerResponse{Success: ok, Message: message}, nil
	})
	nodetest.Serve(b.Rig, topics.SaveGrid, func(r dharma.LoadSiteRequest) (dharma.LoadSiteResponse, error) {
		ok, message := b.answer("save " + r.Site)
		if !ok {
			return dharma.LoadSiteResponse{Message: message}, nil
		}
		err := b.store.SaveMap(r.Site, &mapfile.Map{Meta: mapfile.Meta{Resolution: 0.1}, Width: 1, Height: 1, Cells: []int8{0}}, []byte("graph"))
		return dharma.LoadSiteResponse{Success: err == nil}, err
	})
}

func (b *bench) localize(state string) {
	nodetest.Publish(b.Rig, topics.LocalizationStatus, dharma.LocalizationStatus{State: state})
	b.Advance(0)
}

func (b *bench) load(name string) dharma.LoadSiteResponse {
	b.t.Helper()
	resp, err := nodetest.Call(b.Rig, topics.LoadSite, dharma.LoadSiteRequest{Site: name})
	if err != nil {
		b.t.Fatal(err)
	}
	return resp
}

func (b *bench) begin(name string, reset bool) dharma.StartMappingResponse {
	b.t.Helper()
	resp, err := nodetest.Call(b.Rig, topics.StartMapping, dharma.StartMappingRequest{Site: name, Reset: reset})
	if err != nil {
		b.t.Fatal(err)
	}
	return resp
}

func (b *bench) trigger(s *bus.Service[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]) stdsrvs.TriggerResponse {
	b.t.Helper()
	resp, err := nodetest.Call(b.Rig, s, stdsrvs.TriggerRequest{})
	if err != nil {
		b.t.Fatal(err)
	}
	return resp
}

func (b *bench) remembered() string {
	b.t.Helper()
	name, err := b.state.Active()
	if err != nil {
		b.t.Fatal(err)
	}
	return name
}

func live(cells ...int8) nav.OccupancyGrid {
	return nav.OccupancyGrid{Info: nav.MapMetaData{Resolution: 0.1, Width: uint32(len(cells)), Height: 1}, Data: cells}
}

func TestWithoutASite(t *testing.T) {
	b := newBench(t)
	b.start(nil)
	want := dharma.SiteStatus{Sites: []string{"annexe", "museum"}, Tags: []string{}, Routes: []string{}}
	got := b.status.Latest().Value
	got.Header = want.Header
	if d := cmp.Diff(want, got); d != "" || b.maps.Len() != 0 {
		t.Errorf("%d maps, status (-want +got)\n%s", b.maps.Len(), d)
	}
	b.Advance(time.Minute)
	if b.status.Len() != 1 {
		t.Errorf("the same status was published %d times", b.status.Len())
	}
}

func TestLoad(t *testing.T) {
	b := newBench(t)
	b.localization()
	b.start(nil)
	list, err := nodetest.Call(b.Rig, topics.ListSites, dharma.ListSitesRequest{})
	if want := (dharma.ListSitesResponse{Success: true, Sites: []string{"annexe", "museum"}}); err != nil || cmp.Diff(want, list) != "" {
		t.Errorf("list %+v, %v", list, err)
	}
	if resp := b.load("museum"); !resp.Success ||
		resp.Message != "site museum: a map of 3 × 1 cells, POIs: 0, tours: 0, tags: 1, routes: 1" {
		t.Errorf("answer %+v", resp)
	}
	if got := b.took(); got != "forget, tags museum/tags.json" {
		t.Errorf("calls: %s", got)
	}
	m := b.maps.Latest().Value
	if d := cmp.Diff([]int8{0, 100, -1}, m.Data); d != "" || m.Header.FrameID != "map" || m.Info.Width != 3 || m.Info.Resolution != 0.05 ||
		m.Info.Origin.Position.X != 1 || m.Info.Origin.Orientation.Z == 0 {
		t.Errorf("map %+v", m)
	}
	s := b.status.Latest().Value
	want := dharma.SiteStatus{
		Header: s.Header, Site: "museum", Sites: []string{"annexe", "museum"}, HasMap: true, Tags: []string{"base_map"},
		Routes: []string{"museum/routes/20260101_100000.csv"},
	}
	if d := cmp.Diff(want, s); d != "" || b.remembered() != "museum" {
		t.Errorf("remembered %q, status (-want +got)\n%s", b.remembered(), d)
	}
	told := b.status.Len()
	if resp := b.load("museum"); !resp.Success || b.took() != "tags museum/tags.json" || b.maps.Len() != 1 || b.status.Len() != told+1 {
		t.Errorf("loading it again: %+v, %d maps, %d statuses", resp, b.maps.Len(), b.status.Len()-told)
	}
	if resp := b.load("annexe"); !resp.Success || !strings.Contains(resp.Message, "no map") || b.took() != "forget, tags annexe/tags.json" {
		t.Errorf("answer %+v", resp)
	}
	if m := b.maps.Latest().Value; len(m.Data) != 0 || m.Info.Width != 0 {
		t.Errorf("a site without a map shows %+v", m)
	}
	for _, name := range []string{"nowhere", "../museum", ""} {
		if resp := b.load(name); resp.Success || resp.Message == "" || b.remembered() != "annexe" || b.status.Latest().Value.Site != "annexe" {
			t.Errorf("%q: %+v", name, resp)
		}
	}
	b.refuse = "tags museum/tags.json"
	if resp := b.load("museum"); !resp.Success || !strings.HasSuffix(resp.Message, "; localization has no tags: because") {
		t.Errorf("answer %+v", resp)
	}
}

func TestTheLastSiteIsLoadedAtTheStart(t *testing.T) {
	b := newBench(t)
	if err := b.state.SetActive("museum"); err != nil {
		t.Fatal(err)
	}
	b.start(nil)
	if s := b.status.Latest().Value; s.Site != "museum" || !s.HasMap || b.maps.Len() != 1 {
		t.Errorf("status %+v", s)
	}
	b.localization() // which starts later
	b.Advance(3 * time.Second)
	if got := b.took(); got != "tags museum/tags.json" {
		t.Errorf("calls: %s", got)
	}
	b.Advance(10 * time.Second)
	if got := b.took(); got != "" || b.status.Len() != 1 {
		t.Errorf("calls later: %s; %d messages", got, b.status.Len())
	}
}

func TestTheLastSiteIsGone(t *testing.T) {
	b := newBench(t)
	if err := b.state.SetActive("gone"); err != nil {
		t.Fatal(err)
	}
	b.start(nil)
	if s := b.status.Latest().Value; s.Site != "" || s.Message != "the last site gone: there is no such site" || len(s.Sites) != 2 {
		t.Errorf("status %+v", s)
	}
}

func TestDamageIsTold(t *testing.T) {
	b := newBench(t)
	b.put("museum/tags.json", "{")
	b.start(nil)
	if resp := b.load("museum"); !resp.Success || !strings.Contains(resp.Message, "museum/tags.json:1: unexpected end of JSON input: the file is damaged") {
		t.Errorf("answer %+v", resp)
	}
	if s := b.status.Latest().Value; !strings.Contains(s.Message, "is damaged") {
		t.Errorf("status %+v", s)
	}
}

func TestWhatOthersPutIntoTheSiteIsSeen(t *testing.T) {
	b := newBench(t)
	b.localization()
	b.start(nil)
	b.load("museum")
	b.took()
	b.put("museum/routes/20260202_100000.csv", "0,0,0,0\n")
	if err := errors.Join(
		b.store.SaveTags("museum", []site.Tag{{Frame: "a", Pose: geom.IdentityTransform()}, {Frame: "b", Pose: geom.IdentityTransform()}}),
		b.store.Create("third"),
	); err != nil {
		t.Fatal(err)
	}
	b.status.Take()
	b.Advance(3 * time.Second)
	s := b.status.Latest().Value
	if len(s.Sites) != 3 || len(s.Tags) != 2 || len(s.Routes) != 2 || s.Routes[0] != "museum/routes/20260202_100000.csv" {
		t.Errorf("status %+v", s)
	}
	if got := b.took(); got != "tags museum/tags.json" {
		t.Errorf("calls: %s", got)
	}
}

func TestTheLastRouteIsRemembered(t *testing.T) {
	b := newBench(t)
	b.start(nil)
	for _, name := range []string{"museum/routes/20260101_100000.csv", "lobby", "../x.csv"} {
		nodetest.Publish(b.Rig, topics.Waypoints, dharma.WaypointPath{Name: name})
		b.Advance(100 * time.Millisecond)
	}
	if route, err := b.state.LastRoute(); err != nil || route != "museum/routes/20260101_100000.csv" {
		t.Errorf("remembered %q, %v", route, err)
	}
}

func TestConfig(t *testing.T) {
	for text, change := range map[string]func(*sitemanager.Config){
		"refresh": func(c *sitemanager.Config) { c.Refresh = 0 },
		"map":     func(c *sitemanager.Config) { c.Map = "A b" },
		"reset":   func(c *sitemanager.Config) { c.Reset = true },
	} {
		cfg := sitemanager.DefaultConfig()
		change(&cfg)
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := sitemanager.New(sitemanager.DefaultConfig(), sitemanager.Deps{}); err == nil {
		t.Error("a node without folders was made")
	}
}
