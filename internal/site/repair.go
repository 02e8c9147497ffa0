package site

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"sarathi/internal/geom"
)

// Repair makes a content that was read from files one that [Content.SavePOI] and [Content.SaveTour] could have made, and says what it
// changed: wrong and duplicate ids get new ones (the first of two keeps its id, and with it its place in tours), ids of POIs that the
// site does not have leave the tours, POIs without a finite pose are left out.
func (c Content) Repair() (Content, []string) {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	out := Content{}
	for i, was := range c.POIs {
		if len(out.POIs) == MaxPOIs {
			note("more than %d POIs: the last %d are left out", MaxPOIs, len(c.POIs)-i)
			break
		}
		if !geom.Finite(was.X, was.Y, was.Yaw) {
			note("POI %q is left out: its pose is not finite", was.ID)
			continue
		}
		p, changed := was.tidy()
		for _, n := range changed {
			note("POI %q: %s", p.ID, n)
		}
		if id := p.ID; !ValidName(id) || out.poiIndex(id) >= 0 {
			p.ID = newID("poi", cmp.Or(p.Name, id), func(id string) bool { return out.poiIndex(id) >= 0 || c.poiIndex(id) >= 0 })
			note("POI %d: id %q is %s: it is %s now", i+1, id, wrongOr(id, "there twice"), p.ID)
		}
		if p.Name == "" {
			p.Name = p.ID
			note("POI %q has no name: it is called by its id", p.ID)
		}
		if dwell := p.Dwell; !(dwell >= 0 && dwell <= MaxDwell) {
			p.Dwell = min(max(dwell, 0), MaxDwell)
			if math.IsNaN(dwell) {
				p.Dwell = 0
			}
			note("POI %q: dwell is %g s: %g is used", p.ID, dwell, p.Dwell)
		}
		out.POIs = append(out.POIs, p)
	}
	for i, t := range c.Tours {
		if len(out.Tours) == MaxTours {
			note("more than %d tours: the last %d are left out", MaxTours, len(c.Tours)-i)
			break
		}
		out.Tours = append(out.Tours, out.repairTour(i, t, c, note))
	}
	return out, notes
}

// repairTour repairs a tour of was for the POIs and tours that are in c so far.
func (c Content) repairTour(i int, t Tour, was Content, note func(string, ...any)) Tour {
	t, changed := t.tidy()
	for _, n := range changed {
		note("tour %q: %s", t.ID, n)
	}
	if id := t.ID; !ValidName(id) || c.tourIndex(id) >= 0 {
		t.ID = newID("tour", cmp.Or(t.Name, id), func(id string) bool { return c.tourIndex(id) >= 0 || was.tourIndex(id) >= 0 })
		note("tour %d: id %q is %s: it is %s now", i+1, id, wrongOr(id, "there twice"), t.ID)
	}
	if t.Name == "" {
		t.Name = t.ID
		note("tour %q has no name: it is called by its id", t.ID)
	}
	t.POIIDs = slices.DeleteFunc(t.POIIDs, func(id string) bool {
		if c.poiIndex(id) >= 0 {
			return false
		}
		note("tour %q: POI %q is taken out, the site has none of that id", t.ID, id)
		return true
	})
	if n := len(t.POIIDs); n > MaxTourPOIs {
		t.POIIDs = t.POIIDs[:MaxTourPOIs]
		note("tour %q: the last %d of %d POIs are left out", t.ID, n-MaxTourPOIs, n)
	}
	if id := t.ReturnPOIID; id != "" && c.poiIndex(id) < 0 {
		t.ReturnPOIID = ""
		note("tour %q: it returns to no POI, the site has no %q", t.ID, id)
	}
	return t
}

func wrongOr(id, otherwise string) string {
	if !ValidName(id) {
		return "no valid id"
	}
	return otherwise
}
