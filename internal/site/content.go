package site

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"sarathi/internal/geom"
)

// The most letters of texts (specification 000, "Session"), and the most POIs and tours that one site has.
const (
	MaxNameText    = 64
	MaxDescription = 1000
	MaxNarration   = 2000
	MaxPOIs        = 1000
	MaxTours       = 200
	MaxTourPOIs    = 500
	MaxDwell       = 600.0 // [s]
)

// POI is a point of interest: a named pose of a site, with what the robot does there.
type POI struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"` // for people
	Description string  `json:"description"`
	X           float64 `json:"x"`   // [m] in map
	Y           float64 `json:"y"`   // [m] in map
	Yaw         float64 `json:"yaw"` // [rad] in map, -π to π
	Narration   string  `json:"narration"`
	Language    string  `json:"language"` // of the narration; empty: the robot's
	Gesture     string  `json:"gesture"`  // before it speaks; empty: none
	Dwell       float64 `json:"dwell_sec"`
}

// Tour is a list of POIs to show in order.
type Tour struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"` // for people
	Description string   `json:"description"`
	POIIDs      []string `json:"poi_ids"`       // one may come several times
	ReturnPOIID string   `json:"return_poi_id"` // where to walk at the end; empty: stay
}

// Content is what people put into a site, in list order. Its methods return a changed copy and never alter the receiver.
type Content struct {
	POIs  []POI
	Tours []Tour
}

// Equal reports whether two contents are the same, in the same order.
func (c Content) Equal(d Content) bool {
	return slices.Equal(c.POIs, d.POIs) && slices.EqualFunc(c.Tours, d.Tours, func(a, b Tour) bool {
		return a.ID == b.ID && a.Name == b.Name && a.Description == b.Description && a.ReturnPOIID == b.ReturnPOIID &&
			slices.Equal(a.POIIDs, b.POIIDs)
	})
}

// clone returns a copy that shares nothing.
func (c Content) clone() Content {
	c.POIs, c.Tours = slices.Clone(c.POIs), slices.Clone(c.Tours)
	for i := range c.Tours {
		c.Tours[i].POIIDs = slices.Clone(c.Tours[i].POIIDs)
	}
	return c
}

// POI finds a point of interest.
func (c Content) POI(id string) (POI, bool) {
	i := c.poiIndex(id)
	if i < 0 {
		return POI{}, false
	}
	return c.POIs[i], true
}

func (c Content) poiIndex(id string) int {
	return slices.IndexFunc(c.POIs, func(p POI) bool { return p.ID == id })
}

func (c Content) tourIndex(id string) int {
	return slices.IndexFunc(c.Tours, func(t Tour) bool { return t.ID == id })
}

// SavePOI replaces the POI of the same id in its place, or adds one at the end; an empty id makes a new one of its name. Texts are
// trimmed and cut to their limits, of which notes tell. A pose that is not finite, a wrong id and an empty name are refused.
func (c Content) SavePOI(p POI) (out Content, saved POI, notes []string, err error) {
	if p.ID != "" {
		if err := checkName("POI", p.ID); err != nil {
			return c, POI{}, nil, err
		}
	}
	p, notes = p.tidy()
	switch {
	case p.Name == "":
		return c, POI{}, nil, errors.New("a POI needs a name")
	case !geom.Finite(p.X, p.Y, p.Yaw):
		return c, POI{}, nil, fmt.Errorf("POI %q: its pose (%g, %g, %g) is not finite", p.Name, p.X, p.Y, p.Yaw)
	case !(p.Dwell >= 0 && p.Dwell <= MaxDwell):
		return c, POI{}, nil, fmt.Errorf("POI %q: dwell is %g s: choose 0 to %g s", p.Name, p.Dwell, MaxDwell)
	}
	i := c.poiIndex(p.ID)
	if p.ID == "" || i < 0 {
		if len(c.POIs) >= MaxPOIs {
			return c, POI{}, nil, fmt.Errorf("the site has %d POIs already, which is the most: delete one first", MaxPOIs)
		}
	}
	if p.ID == "" {
		p.ID = newID("poi", p.Name, func(id string) bool { return c.poiIndex(id) >= 0 })
	}
	c.POIs = slices.Clone(c.POIs)
	if i >= 0 {
		c.POIs[i] = p
	} else {
		c.POIs = append(c.POIs, p)
	}
	return c, p, notes, nil
}

// DeletePOI removes a POI, also from the tours; notes name the tours.
func (c Content) DeletePOI(id string) (out Content, notes []string, err error) {
	i := c.poiIndex(id)
	if i < 0 {
		return c, nil, fmt.Errorf("the site has no POI %q", id)
	}
	c.POIs = slices.Delete(slices.Clone(c.POIs), i, i+1)
	c.Tours = slices.Clone(c.Tours)
	for k := range c.Tours {
		t := c.Tours[k]
		t.POIIDs = slices.DeleteFunc(slices.Clone(t.POIIDs), func(p string) bool { return p == id })
		if t.ReturnPOIID == id {
			t.ReturnPOIID = ""
		} else if len(t.POIIDs) == len(c.Tours[k].POIIDs) {
			continue
		}
		c.Tours[k] = t
		notes = append(notes, fmt.Sprintf("removed from tour %s", t.ID))
	}
	return c, notes, nil
}

// SaveTour replaces the tour of the same id in its place, or adds one at the end; an empty id makes a new one of its name. A tour
// whose POIs the site does not have is refused.
func (c Content) SaveTour(t Tour) (out Content, saved Tour, notes []string, err error) {
	if t.ID != "" {
		if err := checkName("tour", t.ID); err != nil {
			return c, Tour{}, nil, err
		}
	}
	t, notes = t.tidy()
	switch {
	case t.Name == "":
		return c, Tour{}, nil, errors.New("a tour needs a name")
	case len(t.POIIDs) == 0:
		return c, Tour{}, nil, fmt.Errorf("tour %q has no POIs: name at least one", t.Name)
	case len(t.POIIDs) > MaxTourPOIs:
		return c, Tour{}, nil, fmt.Errorf("tour %q has %d POIs: %d is the most", t.Name, len(t.POIIDs), MaxTourPOIs)
	}
	for _, id := range t.POIIDs {
		if c.poiIndex(id) < 0 {
			return c, Tour{}, nil, fmt.Errorf("tour %q: the site has no POI %q", t.Name, id)
		}
	}
	if t.ReturnPOIID != "" && c.poiIndex(t.ReturnPOIID) < 0 {
		return c, Tour{}, nil, fmt.Errorf("tour %q: the site has no POI %q to return to", t.Name, t.ReturnPOIID)
	}
	i := c.tourIndex(t.ID)
	if t.ID == "" || i < 0 {
		if len(c.Tours) >= MaxTours {
			return c, Tour{}, nil, fmt.Errorf("the site has %d tours already, which is the most: delete one first", MaxTours)
		}
	}
	if t.ID == "" {
		t.ID = newID("tour", t.Name, func(id string) bool { return c.tourIndex(id) >= 0 })
	}
	c.Tours = slices.Clone(c.Tours)
	if i >= 0 {
		c.Tours[i] = t
	} else {
		c.Tours = append(c.Tours, t)
	}
	return c, t, notes, nil
}

// DeleteTour removes a tour.
func (c Content) DeleteTour(id string) (Content, error) {
	i := c.tourIndex(id)
	if i < 0 {
		return c, fmt.Errorf("the site has no tour %q", id)
	}
	c.Tours = slices.Delete(slices.Clone(c.Tours), i, i+1)
	return c, nil
}

// tidy trims texts and cuts them to their limits, and brings the heading to -π to π.
func (p POI) tidy() (POI, []string) {
	var cut cutter
	cut.text("name", &p.Name, MaxNameText)
	cut.text("description", &p.Description, MaxDescription)
	cut.text("narration", &p.Narration, MaxNarration)
	cut.text("language", &p.Language, MaxNameText)
	cut.text("gesture", &p.Gesture, MaxNameText)
	if !math.IsInf(p.Yaw, 0) && math.Abs(p.Yaw) > math.Pi {
		p.Yaw = geom.NormalizeAngle(p.Yaw)
	}
	return p, cut.notes
}

func (t Tour) tidy() (Tour, []string) {
	var cut cutter
	cut.text("name", &t.Name, MaxNameText)
	cut.text("description", &t.Description, MaxDescription)
	t.POIIDs = slices.Clone(t.POIIDs)
	return t, cut.notes
}

// cutter cuts texts and notes which.
type cutter struct{ notes []string }

func (c *cutter) text(field string, s *string, limit int) {
	text := strings.TrimSpace(strings.ToValidUTF8(*s, "\uFFFD"))
	if n := utf8.RuneCountInString(text); n > limit {
		text = strings.TrimSpace(string([]rune(text)[:limit]))
		c.notes = append(c.notes, fmt.Sprintf("%s cut from %d to %d letters", field, n, limit))
	}
	*s = text
}
