package sitemanager_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/nodes/sitemanager"
	"sarathi/internal/site"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
)

func TestMappingANewSite(t *testing.T) {
	b := newBench(t)
	b.localization()
	b.mapper()
	b.start(nil)
	nodetest.Publish(b.Rig, topics.MappingGrid, live(50, 50)) // of an earlier session
	b.Advance(time.Second)
	if resp := b.begin("hall", true); !resp.Success || resp.Message != "mapping into site hall" {
		t.Errorf("answer %+v", resp)
	}
	if got := b.took(); got != "forget, tags hall/tags.json, origin, map hall true" {
		t.Errorf("calls: %s", got)
	}
	if s := b.status.Latest().Value; s.Site != "hall" || !s.Mapping || s.HasMap || len(s.Sites) != 3 || b.remembered() != "hall" || b.maps.Len() != 0 {
		t.Errorf("status %+v, %d maps", s, b.maps.Len())
	}
	nodetest.Publish(b.Rig, topics.MappingGrid, live(0, 100, -1, -1))
	b.Advance(0)
	if m := b.maps.Latest().Value; len(m.Data) != 4 {
		t.Errorf("map %+v", m)
	}
	for name, resp := range map[string]string{"load": b.load("museum").Message, "start": b.begin("annexe", true).Message} {
		if resp != "mapping of hall is going on: stop it first (/mapping/stop)" {
			t.Errorf("%s while mapping: %q", name, resp)
		}
	}
	if resp := b.trigger(topics.SaveMapping); !resp.Success || !strings.HasPrefix(resp.Message, "site hall: a map of 1 × 1 cells") {
		t.Errorf("answer %+v", resp)
	}
	if s := b.status.Latest().Value; !s.Mapping || !s.HasMap {
		t.Errorf("after saving %+v", s)
	}
	if m := b.maps.Latest().Value; len(m.Data) != 4 {
		t.Errorf("after saving the live grid is shown no longer, but %+v", m)
	}
	if graph, err := b.store.Graph("hall"); err != nil || string(graph) != "graph" {
		t.Errorf("graph %q, %v", graph, err)
	}
	if resp := b.trigger(topics.StopMapping); !resp.Success {
		t.Errorf("answer %+v", resp)
	}
	if m, s := b.maps.Latest().Value, b.status.Latest().Value; len(m.Data) != 1 || s.Mapping {
		t.Errorf("after the end map %+v, status %+v", m, s)
	}
	b.maps.Take()
	nodetest.Publish(b.Rig, topics.MappingGrid, live(0, 0))
	b.Advance(0)
	if b.maps.Len() != 0 {
		t.Error("a grid is shown while nothing is mapped")
	}
}

func TestGoingOnWithAMap(t *testing.T) {
	b := newBench(t)
	b.localization()
	b.mapper()
	b.start(nil)
	const refusal = "site museum has a map: load it and localize the robot on it to go on, or start with reset to begin anew"
	b.localize(dharma.LocalizationStatusStateLocalized) // on something else
	if resp := b.begin("museum", false); resp.Success || resp.Message != refusal || b.remembered() != "" {
		t.Errorf("answer %+v", resp)
	}
	b.load("museum")
	b.localize(dharma.LocalizationStatusStateNone)
	if resp := b.begin("museum", false); resp.Success || resp.Message != refusal {
		t.Errorf("answer %+v", resp)
	}
	b.localize(dharma.LocalizationStatusStateLocalized)
	b.took()
	if resp := b.begin("museum", false); !resp.Success || b.took() != "tags museum/tags.json, map museum false" {
		t.Errorf("answer %+v", resp)
	}
	if s := b.status.Latest().Value; !s.HasMap || !s.Mapping {
		t.Errorf("status %+v", s)
	}
}

func TestBeginningAnew(t *testing.T) {
	b := newBench(t)
	b.localization()
	b.mapper()
	b.start(nil)
	b.load("museum")
	b.took()
	resp := b.begin("museum", true)
	backup := "backup-20260101_000000"
	if !resp.Success || resp.Message != "mapping into site museum; what it had is in "+backup {
		t.Errorf("answer %+v", resp)
	}
	if got := b.took(); got != "tags museum/tags.json, origin, map museum true" {
		t.Errorf("calls: %s", got)
	}
	if s := b.status.Latest().Value; s.HasMap || len(s.Tags) != 0 || len(s.Routes) != 0 {
		t.Errorf("status %+v", s)
	}
	if m := b.maps.Latest().Value; len(m.Data) != 0 {
		t.Errorf("the old map is shown: %+v", m)
	}
	if old, err := b.disk.Read("museum/"+backup+"/routes/20260101_100000.csv", 100); err != nil || len(old) == 0 {
		t.Errorf("the route is not in the backup: %v", err)
	}
}

// A site without a map may have POIs all the same: that a reset took them must be told, even if mapping then does not start.
func TestAResetOfASiteWithoutAMapIsTold(t *testing.T) {
	b := newBench(t)
	b.localization()
	b.mapper()
	b.start(nil)
	b.load("annexe")
	told := b.status.Len()
	b.refuse = "map annexe true"
	if resp := b.begin("annexe", true); resp.Success || b.status.Len() != told+1 {
		t.Errorf("answer %+v, %d statuses", resp, b.status.Len()-told)
	}
}

func TestMappingIsRefused(t *testing.T) {
	tests := []struct {
		name, refuse    string
		mapper, located bool
		site, want      string
	}{
		{"without the mapper", "", false, true, "hall", "mapping needs grid_mapper_node, which is not running"},
		{"wrong name", "", true, true, "Hall 1", `"Hall 1" is no name of a site`},
		{"no origin", "origin", true, true, "hall", "the map would have no origin: because"},
		{"nobody who localizes", "", true, false, "hall", "the map would have no origin: "},
		{"the mapper refuses", "map hall true", true, true, "hall", "because"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			b.refuse = tt.refuse
			if tt.mapper {
				b.mapper()
			}
			if tt.located {
				b.localization()
			}
			b.start(nil)
			if resp := b.begin(tt.site, true); resp.Success || !strings.HasPrefix(resp.Message, tt.want) {
				t.Errorf("answer %+v, want %q", resp, tt.want)
			}
			if s := b.status.Latest().Value; s.Mapping {
				t.Errorf("status %+v", s)
			}
			if resp := b.load("museum"); !resp.Success {
				t.Errorf("afterwards: %+v", resp)
			}
		})
	}
}

func TestStopAndSaveAreRefused(t *testing.T) {
	b := newBench(t)
	b.start(nil)
	if resp := b.trigger(topics.StopMapping); resp.Success || !strings.Contains(resp.Message, "grid_mapper_node") {
		t.Errorf("stop: %+v", resp)
	}
	if resp := b.trigger(topics.SaveMapping); resp.Success || !strings.Contains(resp.Message, "grid_mapper_node") {
		t.Errorf("save: %+v", resp)
	}
	b.mapper()
	if resp := b.trigger(topics.SaveMapping); resp.Success || !strings.Contains(resp.Message, "no site is active") {
		t.Errorf("save: %+v", resp)
	}
	b.load("museum")
	b.refuse = "save museum"
	if resp := b.trigger(topics.SaveMapping); resp.Success || resp.Message != "because" {
		t.Errorf("save: %+v", resp)
	}
	b.refuse = "stop"
	if resp := b.trigger(topics.StopMapping); resp.Success || resp.Message != "because" {
		t.Errorf("stop: %+v", resp)
	}
}

func TestTheMapperLeads(t *testing.T) {
	b := newBench(t)
	if err := b.state.SetActive("museum"); err != nil {
		t.Fatal(err)
	}
	// The mapper was at work when this node was started anew.
	nodetest.Publish(b.Rig, topics.MappingStatus, dharma.MappingStatus{Active: true, Site: "museum"})
	nodetest.Publish(b.Rig, topics.MappingGrid, live(0, 0))
	b.start(nil)
	if m, s := b.maps.Latest().Value, b.status.Latest().Value; len(m.Data) != 2 || !s.Mapping {
		t.Errorf("map %+v, status %+v", m, s)
	}
	nodetest.Publish(b.Rig, topics.MappingStatus, dharma.MappingStatus{Site: "museum"})
	b.Advance(0)
	if m, s := b.maps.Latest().Value, b.status.Latest().Value; len(m.Data) != 3 || s.Mapping {
		t.Errorf("when it has ended by itself: map %+v, status %+v", m, s)
	}
}

// impatient is a node that asks for two things at the same instant.
type impatient struct{ answers []string }

func (n *impatient) Setup(c *node.Context) error {
	load, start := bus.NewCaller(c, topics.LoadSite), bus.NewCaller(c, topics.StartMapping)
	c.After(0, func(time.Time) {
		load.Call(dharma.LoadSiteRequest{Site: "museum"}, time.Second, func(r dharma.LoadSiteResponse, _ error) {
			n.answers = append(n.answers, r.Message)
		})
		start.Call(dharma.StartMappingRequest{Site: "hall", Reset: true}, time.Second, func(r dharma.StartMappingResponse, _ error) {
			n.answers = append(n.answers, r.Message)
		})
	})
	return nil
}

func TestOneOperationAtATime(t *testing.T) {
	b := newBench(t)
	b.mapper()
	b.start(nil)
	n := &impatient{}
	b.Run("impatient", n)
	b.Advance(time.Second)
	if len(n.answers) != 2 || n.answers[0] != "site museum is being loaded: try again" || !strings.HasPrefix(n.answers[1], "site museum: a map") {
		t.Errorf("answers %q", n.answers)
	}
}

func TestMappingFromTheStart(t *testing.T) {
	b := newBench(t)
	b.localization()
	b.start(func(c *sitemanager.Config) { c.Map, c.Reset = "hall", true })
	b.Advance(5 * time.Second)
	if got := b.took(); got != "" {
		t.Errorf("calls without a mapper: %s", got)
	}
	b.mapper()
	b.Advance(3 * time.Second)
	if got := b.took(); got != "forget, tags hall/tags.json, origin, map hall true" || !b.status.Latest().Value.Mapping {
		t.Errorf("calls: %s", got)
	}
	b.trigger(topics.StopMapping)
	b.took()
	b.Advance(10 * time.Second)
	if got := b.took(); got != "" {
		t.Errorf("calls after the end: %s", got)
	}
}

// A site that was left half changed is made whole when it is loaded.
func TestLoadingFinishesWhatWasInterrupted(t *testing.T) {
	b := newBench(t)
	b.put("museum/.new/0", `{"pois": [{"id": "a", "name": "A"}]}`)
	b.put("museum/.journal", `{"files": ["pois.json"]}`)
	b.start(nil)
	if resp := b.load("museum"); !strings.Contains(resp.Message, "POIs: 1") || !strings.Contains(resp.Message, "interrupted change of the site was finished") {
		t.Errorf("answer %+v", resp)
	}
	c, _, err := b.store.Content("museum")
	if d := cmp.Diff([]site.POI{{ID: "a", Name: "A"}}, c.POIs); err != nil || d != "" {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
}
