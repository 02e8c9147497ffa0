package teleop

import (
	"fmt"

	"sarathi/msg/molly"
	"sarathi/teleop"
)

// The services replace a whole POI or tour, the commands change what they name: what they do not name is taken from the site.

func newPOI(_ *Node, a teleop.Args) (molly.SavePoiRequest, error) {
	p := molly.Poi{Name: a.Text("name")}
	describe(&p, a)
	return molly.SavePoiRequest{Poi: p, AtRobotPose: true}, nil
}

func changedPOI(n *Node, args teleop.Args) (molly.SavePoiRequest, error) {
	a := args.Object("poi")
	p, ok := n.poi(a.Text("id"))
	if !ok {
		return molly.SavePoiRequest{}, fmt.Errorf("the active site has no POI %q", a.Text("id"))
	}
	describe(&p, a)
	if a.Has("name") {
		p.Name = a.Text("name")
	}
	for _, f := range []struct {
		name string
		dst  *float64
	}{{"x", &p.X}, {"y", &p.Y}, {"yaw", &p.Yaw}} {
		if a.Has(f.name) {
			*f.dst = a.Number(f.name)
		}
	}
	return molly.SavePoiRequest{Poi: p, AtRobotPose: a.Flag("here")}, nil
}

// describe sets what both commands may say about a POI.
func describe(p *molly.Poi, a teleop.Args) {
	for _, f := range []struct {
		name string
		dst  *string
	}{{"narration", &p.Narration}, {"language", &p.Language}, {"gesture", &p.Gesture}, {"description", &p.Description}} {
		if a.Has(f.name) {
			*f.dst = a.Text(f.name)
		}
	}
	if a.Has("dwell") {
		p.DwellSec = a.Number("dwell")
	}
}

func changedTour(n *Node, args teleop.Args) (molly.SaveTourRequest, error) {
	a := args.Object("tour")
	t := molly.Tour{}
	if id := a.Text("id"); id != "" {
		var ok bool
		if t, ok = n.tour(id); !ok {
			return molly.SaveTourRequest{}, fmt.Errorf("the active site has no tour %q; leave the id empty for a new one", id)
		}
	}
	for _, f := range []struct {
		name string
		dst  *string
	}{{"name", &t.Name}, {"description", &t.Description}, {"return_poi_id", &t.ReturnPoiID}} {
		if a.Has(f.name) {
			*f.dst = a.Text(f.name)
		}
	}
	if a.Has("poi_ids") {
		t.PoiIds = a.Texts("poi_ids")
	}
	return molly.SaveTourRequest{Tour: t}, nil
}

func savedPOI(r *molly.SavePoiResponse) teleop.Result {
	return withData(r.Success, r.Message, func(dst []byte) []byte { return teleop.AppendPOI(dst, poiOf(&r.Poi)) })
}

func savedTour(r *molly.SaveTourResponse) teleop.Result {
	return withData(r.Success, r.Message, func(dst []byte) []byte { return teleop.AppendTour(dst, tourOf(&r.Tour)) })
}

func byID(a teleop.Args) molly.DeleteByIdRequest { return molly.DeleteByIdRequest{ID: a.Text("id")} }

func deleted(r *molly.DeleteByIdResponse) teleop.Result { return plain(r.Success, r.Message) }

// poi returns a POI of the active site.
func (n *Node) poi(id string) (molly.Poi, bool) {
	m, _, _ := n.sources.pois.Get()
	for i := range m.Pois {
		if m.Pois[i].ID == id {
			return m.Pois[i], true
		}
	}
	return molly.Poi{}, false
}

// tour returns a tour of the active site.
func (n *Node) tour(id string) (molly.Tour, bool) {
	m, _, _ := n.sources.tours.Get()
	for i := range m.Tours {
		if m.Tours[i].ID == id {
			return m.Tours[i], true
		}
	}
	return molly.Tour{}, false
}

func poiOf(p *molly.Poi) teleop.POI {
	return teleop.POI{
		ID: p.ID, Name: p.Name, Description: p.Description, X: p.X, Y: p.Y, Yaw: p.Yaw,
		Narration: p.Narration, Language: p.Language, Gesture: p.Gesture, Dwell: p.DwellSec,
	}
}

func tourOf(t *molly.Tour) teleop.Tour {
	return teleop.Tour{ID: t.ID, Name: t.Name, Description: t.Description, POIIDs: t.PoiIds, ReturnPOIID: t.ReturnPoiID}
}
