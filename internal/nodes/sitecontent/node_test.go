package sitecontent_test

import (
	"errors"
	"io/fs"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/nodes/sitecontent"
	"sarathi/internal/rosconv"
	"sarathi/internal/site"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/molly"
)

type bench struct {
	*nodetest.Rig
	disk  *site.Memory
	store *site.Store
	pois  *nodetest.Collector[molly.PoiArray]
	tours *nodetest.Collector[molly.TourArray]
}

// newBench has the site "museum" with two POIs and a tour of them, and an empty site "annexe".
func newBench(t *testing.T) *bench {
	t.Helper()
	disk := site.NewMemory()
	b := &bench{Rig: nodetest.New(t, nodetest.Options{}), disk: disk, store: site.NewStore(disk)}
	if err := errors.Join(b.store.Create("museum"), b.store.Create("annexe")); err != nil {
		t.Fatal(err)
	}
	_, err := b.store.Edit("museum", b.Now(), func(site.Content) (site.Content, error) {
		return site.Content{
			POIs:  []site.POI{{ID: "lobby", Name: "Lobby", X: 1}, {ID: "vase", Name: "Vase"}},
			Tours: []site.Tour{{ID: "all", Name: "All", POIIDs: []string{"lobby", "vase"}}},
		}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	n, err := sitecontent.New(sitecontent.DefaultConfig(), sitecontent.Deps{Sites: b.store, Frame: "map"})
	if err != nil {
		t.Fatal(err)
	}
	b.pois, b.tours = nodetest.Collect(b.Rig, topics.SitePois), nodetest.Collect(b.Rig, topics.SiteTours)
	b.Run(sitecontent.Name, n)
	return b
}

func (b *bench) activate(name string) {
	nodetest.Publish(b.Rig, topics.SiteStatus, dharma.SiteStatus{Site: name})
	b.Advance(100 * time.Millisecond)
}

// onDisk is what another process would find.
func (b *bench) onDisk(t *testing.T) site.Content {
	t.Helper()
	c, notes, err := b.store.Content("museum")
	if err != nil || notes != nil {
		t.Fatal(notes, err)
	}
	return c
}

func ids(m molly.PoiArray) string {
	var out []string
	for i := range m.Pois {
		out = append(out, m.Pois[i].ID)
	}
	return strings.Join(out, " ")
}

func call[Req, Resp any](t *testing.T, b *bench, s *bus.Service[Req, Resp], req Req) Resp {
	t.Helper()
	resp, err := nodetest.Call(b.Rig, s, req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func TestTheActiveSiteIsPublished(t *testing.T) {
	b := newBench(t)
	b.Advance(time.Second)
	if b.pois.Len() > 0 {
		t.Error("POIs were published before a site was known")
	}
	b.activate("museum")
	p, s := b.pois.Latest().Value, b.tours.Latest().Value
	if p.Site != "museum" || ids(p) != "lobby vase" || p.Header.FrameID != "map" || p.Pois[0].X != 1 {
		t.Errorf("POIs %+v", p)
	}
	if s.Site != "museum" || len(s.Tours) != 1 || cmp.Diff([]string{"lobby", "vase"}, s.Tours[0].PoiIds) != "" {
		t.Errorf("tours %+v", s)
	}
	b.activate("museum")
	if b.pois.Len() != 1 || b.tours.Len() != 1 {
		t.Errorf("the same content was published again: %d and %d messages", b.pois.Len(), b.tours.Len())
	}
	b.activate("annexe")
	if p := b.pois.Latest().Value; p.Site != "annexe" || len(p.Pois) != 0 || b.tours.Latest().Value.Site != "annexe" {
		t.Errorf("of an empty site %+v", p)
	}
	b.activate("")
	if p := b.pois.Latest().Value; p.Site != "" || len(p.Pois) != 0 {
		t.Errorf("without a site %+v", p)
	}
}

func TestSavePOI(t *testing.T) {
	b := newBench(t)
	b.activate("museum")
	b.pois.Take()
	b.tours.Take()
	resp := call(t, b, topics.SavePoi, molly.SavePoiRequest{Poi: molly.Poi{Name: "Exit", X: 3, Yaw: 0.5, DwellSec: 4, Narration: " Bye "}})
	want := molly.Poi{ID: "exit", Name: "Exit", X: 3, Yaw: 0.5, DwellSec: 4, Narration: "Bye"}
	if !resp.Success || resp.Message != "POI exit is saved" || cmp.Diff(want, resp.Poi) != "" {
		t.Errorf("answer %+v", resp)
	}
	if c := b.onDisk(t); len(c.POIs) != 3 || c.POIs[2].Narration != "Bye" {
		t.Errorf("on disk when the answer is there: %+v", c)
	}
	if got := ids(b.pois.Latest().Value); got != "lobby vase exit" || b.tours.Len() != 0 {
		t.Errorf("published %s, and %d times tours", got, b.tours.Len())
	}
	b.pois.Take()
	if resp := call(t, b, topics.SavePoi, molly.SavePoiRequest{Poi: want}); !resp.Success || b.pois.Len() != 0 {
		t.Errorf("saving it as it is: %+v, %d messages", resp, b.pois.Len())
	}
	for text, p := range map[string]molly.Poi{
		"a POI needs a name": {ID: "x"},
		"is not finite":      {Name: "N", X: math.NaN()},
		"is no name":         {ID: "../x", Name: "N"},
	} {
		if resp := call(t, b, topics.SavePoi, molly.SavePoiRequest{Poi: p}); resp.Success || !strings.Contains(resp.Message, text) {
			t.Errorf("answer %+v, want %q", resp, text)
		}
	}
	cut := call(t, b, topics.SavePoi, molly.SavePoiRequest{Poi: molly.Poi{Name: strings.Repeat("n", 70)}})
	if !cut.Success || !strings.HasSuffix(cut.Message, "; name cut from 70 to 64 letters") {
		t.Errorf("answer %+v", cut)
	}
}

func TestAtRobotPose(t *testing.T) {
	b := newBench(t)
	b.activate("museum")
	save := func() molly.SavePoiResponse {
		t.Helper()
		return call(t, b, topics.SavePoi, molly.SavePoiRequest{Poi: molly.Poi{Name: "Here", X: 99}, AtRobotPose: true})
	}
	see := func(state string, p geom.Pose2) {
		nodetest.Publish(b.Rig, topics.LocalizationStatus, dharma.LocalizationStatus{State: state})
		nodetest.Publish(b.Rig, topics.LocalizationPose, geometry.PoseWithCovarianceStamped{
			Pose: geometry.PoseWithCovariance{Pose: rosconv.Pose(p.Transform())},
		})
		b.Advance(0)
	}
	if resp := save(); resp.Success || !strings.Contains(resp.Message, "does not know where it is") {
		t.Errorf("before the first pose: %+v", resp)
	}
	see(dharma.LocalizationStatusStateNone, geom.Pose2{X: 1})
	if resp := save(); resp.Success {
		t.Errorf("while it is not localized: %+v", resp)
	}
	see(dharma.LocalizationStatusStateLocalized, geom.Pose2{X: 4, Y: -2, Theta: 1})
	if resp := save(); !resp.Success || resp.Poi.X != 4 || resp.Poi.Y != -2 || math.Abs(resp.Poi.Yaw-1) > 1e-12 {
		t.Errorf("answer %+v", resp)
	}
	b.Advance(1100 * time.Millisecond)
	if resp := save(); resp.Success {
		t.Errorf("with an old pose: %+v", resp)
	}
	see(dharma.LocalizationStatusStateLocalized, geom.Pose2{X: math.NaN()})
	if resp := save(); resp.Success || !strings.Contains(resp.Message, "cannot be used") {
		t.Errorf("with a pose that is none: %+v", resp)
	}
}

func TestDeleteAndTours(t *testing.T) {
	b := newBench(t)
	b.activate("museum")
	saved := call(t, b, topics.SaveTour, molly.SaveTourRequest{Tour: molly.Tour{Name: "Second", PoiIds: []string{"vase", "vase"}, ReturnPoiID: "lobby"}})
	if !saved.Success || saved.Tour.ID != "second" || len(b.tours.Latest().Value.Tours) != 2 {
		t.Errorf("tour %+v", saved)
	}
	if bad := call(t, b, topics.SaveTour, molly.SaveTourRequest{Tour: molly.Tour{Name: "N", PoiIds: []string{"gone"}}}); bad.Success ||
		bad.Message != `tour "N": the site has no POI "gone"` {
		t.Errorf("dangling: %+v", bad)
	}
	b.pois.Take()
	b.tours.Take()
	if resp := call(t, b, topics.DeletePoi, molly.DeleteByIdRequest{ID: "lobby"}); !resp.Success ||
		resp.Message != "POI lobby is deleted; removed from tour all; removed from tour second" {
		t.Errorf("delete: %+v", resp)
	}
	if got := b.tours.Latest().Value.Tours; b.pois.Len() != 1 || cmp.Diff([]string{"vase"}, got[0].PoiIds) != "" || got[1].ReturnPoiID != "" {
		t.Errorf("tours %+v", got)
	}
	if c := b.onDisk(t); len(c.POIs) != 1 || len(c.Tours[0].POIIDs) != 1 {
		t.Errorf("on disk %+v", c)
	}
	for range 2 {
		resp := call(t, b, topics.DeleteTour, molly.DeleteByIdRequest{ID: "all"})
		if left := len(b.onDisk(t).Tours); left != 1 {
			t.Errorf("answer %+v, %d tours on disk", resp, left)
		}
	}
	if resp := call(t, b, topics.DeletePoi, molly.DeleteByIdRequest{ID: "lobby"}); resp.Success || resp.Message != `the site has no POI "lobby"` {
		t.Errorf("delete again: %+v", resp)
	}
}

func TestWithoutASite(t *testing.T) {
	b := newBench(t)
	for range 2 {
		if resp := call(t, b, topics.DeleteTour, molly.DeleteByIdRequest{ID: "all"}); resp.Success || !strings.Contains(resp.Message, "no site is active") {
			t.Errorf("answer %+v", resp)
		}
		b.activate("")
	}
}

func TestAResetIsSeen(t *testing.T) {
	b := newBench(t)
	b.activate("museum")
	if _, err := b.store.Reset("museum", b.Now()); err != nil {
		t.Fatal(err)
	}
	b.activate("museum")
	if got := b.pois.Latest().Value; len(got.Pois) != 0 || got.Site != "museum" || len(b.tours.Latest().Value.Tours) != 0 {
		t.Errorf("after the reset %+v", got)
	}
}

func TestRepairedContent(t *testing.T) {
	b := newBench(t)
	damaged, err := b.disk.Create("museum/pois.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := damaged.Write([]byte(`{"pois": [{"id": "lobby", "name": "A"}, {"id": "lobby", "name": "B"}]}`)); err != nil {
		t.Fatal(err)
	}
	if err := damaged.Commit(); err != nil {
		t.Fatal(err)
	}
	b.activate("museum")
	if got := ids(b.pois.Latest().Value); got != "lobby b" {
		t.Errorf("published %s", got)
	}
	if got := b.tours.Latest().Value.Tours[0].PoiIds; cmp.Diff([]string{"lobby"}, got) != "" {
		t.Errorf("tour of %q", got)
	}
}

// brokenDisk refuses to create files.
type brokenDisk struct{ site.FS }

func (brokenDisk) Create(name string) (site.Pending, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("no space left on device")}
}

func TestAChangeThatCannotBeWritten(t *testing.T) {
	b := newBench(t)
	n, err := sitecontent.New(sitecontent.DefaultConfig(), sitecontent.Deps{Sites: site.NewStore(brokenDisk{b.disk}), Frame: "map"})
	if err != nil {
		t.Fatal(err)
	}
	r := nodetest.New(t, nodetest.Options{})
	pois := nodetest.Collect(r, topics.SitePois)
	r.Run(sitecontent.Name, n)
	nodetest.Publish(r, topics.SiteStatus, dharma.SiteStatus{Site: "museum"})
	r.Advance(time.Second)
	resp, err := nodetest.Call(r, topics.DeletePoi, molly.DeleteByIdRequest{ID: "lobby"})
	if err != nil || resp.Success || !strings.Contains(resp.Message, "no space left") {
		t.Errorf("answer %+v, %v", resp, err)
	}
	if pois.Len() != 1 || ids(pois.Latest().Value) != "lobby vase" {
		t.Errorf("published %s", ids(pois.Latest().Value))
	}
}

func TestManyChangesAtOnce(t *testing.T) {
	b := newBench(t)
	b.activate("museum")
	crowd := &crowd{}
	b.Run("crowd", crowd)
	b.Advance(5 * time.Second)
	if crowd.saved < 32 || crowd.saved+crowd.refused != 60 || crowd.refused == 0 {
		t.Errorf("%d saved, %d refused", crowd.saved, crowd.refused)
	}
	if c := b.onDisk(t); len(c.POIs) != 2+crowd.saved || len(b.pois.Latest().Value.Pois) != len(c.POIs) {
		t.Errorf("%d POIs on disk, %d published", len(c.POIs), len(b.pois.Latest().Value.Pois))
	}
}

func TestConfig(t *testing.T) {
	store := site.NewStore(site.NewMemory())
	if _, err := sitecontent.New(sitecontent.Config{}, sitecontent.Deps{Sites: store, Frame: "map"}); err == nil || !strings.Contains(err.Error(), "pose_max_age") {
		t.Errorf("empty configuration: %v", err)
	}
	if _, err := sitecontent.New(sitecontent.DefaultConfig(), sitecontent.Deps{}); err == nil {
		t.Error("a node without a store was made")
	}
}
