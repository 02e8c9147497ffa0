package site

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/geom"
)

// Finding is something about a site that a person should know.
type Finding struct {
	Fault bool   `json:"fault"` // something is broken; else it is only odd
	Text  string `json:"text"`  // what, where, and what to do
}

// tagMargin is how far outside of the map a tag may hang [m]: walls are at its edge.
const tagMargin = 1.0

// Check reports everything that is inconsistent in a site, and changes nothing.
func (s *Store) Check(site string) ([]Finding, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.exists(site); err != nil {
		return nil, err
	}
	c := checker{reader: reader{fs: s.fs, site: site}}
	if err := c.check(); err != nil {
		return nil, err
	}
	return c.found, nil
}

// Strangers lists what lies in the sites folder and is no site.
func (s *Store) Strangers() ([]Finding, error) {
	list, err := s.fs.List(".")
	if err != nil {
		return nil, fmt.Errorf("list the sites: %w", err)
	}
	var out []Finding
	for _, e := range list {
		if e.Folder && !ValidName(e.Name) && !strings.HasPrefix(e.Name, ".") {
			out = append(out, Finding{Text: fmt.Sprintf("folder %q is no site: its name is not made of a-z, 0-9, _ and -", e.Name)})
		}
	}
	return out, nil
}

// checker collects findings.
type checker struct {
	reader
	found []Finding
}

func (c *checker) fault(format string, args ...any) {
	c.found = append(c.found, Finding{Fault: true, Text: fmt.Sprintf(format, args...)})
}

func (c *checker) odd(format string, args ...any) {
	c.found = append(c.found, Finding{Text: fmt.Sprintf(format, args...)})
}

func (c *checker) check() error {
	site, err := c.all()
	if err != nil {
		return err
	}
	for _, n := range c.notes {
		c.fault("%s", n)
	}
	if failure := c.files(); failure != nil {
		return failure
	}
	src, err := c.source()
	if err != nil {
		return err
	}
	c.plan(site, src)
	for i := range site.Content.Tours {
		if t := &site.Content.Tours[i]; len(t.POIIDs) == 0 {
			c.odd("%s: tour %q has no POIs: give it some, or delete it", c.site, t.ID)
		}
	}
	for _, r := range site.Routes {
		if err := c.route(r, site.Map); err != nil {
			return err
		}
	}
	return nil
}

// files looks for what belongs to no site.
func (c *checker) files() error {
	list, err := c.fs.List(c.site)
	if err != nil {
		return fmt.Errorf("site %s: %w", c.site, err)
	}
	known := []string{mapFile, imageFile, graphFile, tagsFile, poisFile, toursFile, routesDir}
	has := func(name string) bool { return slices.ContainsFunc(list, func(e Entry) bool { return e.Name == name }) }
	for _, e := range list {
		at := path.Join(c.site, e.Name)
		switch {
		case e.Name == journalFile, e.Name == stageDir && !has(journalFile), leftover(e):
			c.fault("%s: a change was interrupted: --repair, or a robot that loads the site, finishes it", at)
		case strings.HasPrefix(e.Name, backupPrefix) && e.Folder, slices.Contains(known, strings.TrimSuffix(e.Name, bakSuffix)), e.Name == stageDir:
		case strings.Contains(e.Name, ".damaged"):
			c.odd("%s was damaged and is kept aside: delete it when nothing in it is worth to be saved", at)
		case !c.isImage(e.Name):
			c.odd("%s belongs to no site: the robot does not use it", at)
		}
	}
	if !has(mapFile) && !has(mapFile+bakSuffix) {
		if has(imageFile) {
			c.fault("%s has no %s: import the map again", path.Join(c.site, imageFile), mapFile)
		} else {
			c.odd("%s has no map", c.site)
		}
		if has(graphFile) {
			c.fault("%s has no map to go with it: map the site anew", path.Join(c.site, graphFile))
		}
	}
	return nil
}

// isImage reports whether a file is the image of the map, under a name that somebody else gave it.
func (c *checker) isImage(name string) bool {
	yaml, missing, err := c.read(path.Join(c.site, mapFile), maxJSON)
	if err != nil || missing {
		return false
	}
	meta, err := mapfile.ParseMeta(mapFile, yaml)
	return err == nil && name == meta.Image
}

// plan looks at the map and at what is placed on it.
func (c *checker) plan(site *Site, src *mapfile.Source) {
	if src == nil {
		return
	}
	at := path.Join(c.site, mapFile)
	if why := src.InSiteForm(); why != "" {
		c.odd("%s is not as a robot writes it: %s: --repair rewrites it", at, why)
		for _, w := range src.Warnings() {
			c.odd("%s: %s", at, w)
		}
	}
	m := site.Map
	if m.Count().Free == 0 {
		c.fault("%s: no cell is free: the robot could drive nowhere", at)
	}
	for i := range site.Content.POIs {
		p := &site.Content.POIs[i]
		if where := stands(m, geom.Vec2{X: p.X, Y: p.Y}); where != "" {
			c.odd("%s: POI %q stands %s at (%.2f, %.2f)", c.site, p.ID, where, p.X, p.Y)
		}
	}
	for _, t := range site.Tags {
		if !near(m, t.Pose.T.XY(), tagMargin) {
			c.odd("%s: tag %q is outside of the map at (%.2f, %.2f)", c.site, t.Frame, t.Pose.T.X, t.Pose.T.Y)
		}
	}
}

// stands says why a robot could not stand at a point, or "".
func stands(m *mapfile.Map, p geom.Vec2) string {
	col, row := m.Cell(p)
	switch {
	case col < 0 || row < 0 || col >= m.Width || row >= m.Height:
		return "outside of the map"
	case m.At(col, row) == mapfile.Unknown:
		return "where nothing is known"
	case m.At(col, row) != mapfile.Free:
		return "in an obstacle"
	}
	return ""
}

// near reports whether a point lies on the map, or at most margin outside.
func near(m *mapfile.Map, p geom.Vec2, margin float64) bool {
	q := m.Meta.Origin.Inverse().Apply(p)
	w, h := float64(m.Width)*m.Meta.Resolution, float64(m.Height)*m.Meta.Resolution
	return q.X >= -margin && q.Y >= -margin && q.X <= w+margin && q.Y <= h+margin
}

// route looks at a taught route.
func (c *checker) route(name string, m *mapfile.Map) error {
	data, missing, err := c.read(name, maxRoute)
	if err != nil || missing {
		return err
	}
	if base := path.Base(name); !regexp.MustCompile(`^\d{8}_\d{6}(_[a-z0-9_-]+)?\.csv$`).MatchString(base) {
		c.odd("%s is not called <date>_<time>.csv: it may be sorted wrongly among the routes", name)
	}
	points, err := parseRoute(name, data)
	if err != nil {
		c.fault("%v", err)
		return nil
	}
	if m == nil {
		return nil
	}
	for i, p := range points {
		if where := stands(m, p); where == "outside of the map" {
			c.odd("%s: point %d lies outside of the map at (%.2f, %.2f)", name, i+1, p.X, p.Y)
			break
		}
	}
	return nil
}

// Repair finishes what was interrupted, puts the previous versions of damaged files in their place, and rewrites what had to be
// repaired or is not as a robot writes it. It returns what it found wrong.
func (s *Store) Repair(site string, now time.Time) ([]string, error) {
	opened, err := s.Open(site, now)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	notes, r := opened.Notes, reader{fs: s.fs, site: site}
	again, err := r.all()
	if err != nil {
		return nil, err
	}
	if r.changed {
		err = s.commit(site, change{files: []content{
			{poisFile, encodePOIs(again.Content.POIs)}, {toursFile, encodeTours(again.Content.Tours)}, {tagsFile, encodeTags(again.Tags)},
		}})
		if err != nil {
			return notes, err
		}
	}
	if opened.Graph && opened.Map == nil {
		notes = append(notes, fmt.Sprintf("%s had no map to go with it", path.Join(site, graphFile)))
		return notes, s.commit(site, change{gone: []string{graphFile}})
	}
	src, err := r.source()
	if err != nil || src == nil {
		return notes, err
	}
	if why := src.InSiteForm(); why != "" {
		yaml, pgm := mapfile.EncodeSite(again.Map, imageFile)
		notes = append(notes, fmt.Sprintf("%s was not as a robot writes it: %s", path.Join(site, mapFile), why))
		if err := s.commit(site, change{files: []content{{mapFile, yaml}, {imageFile, pgm}}}); err != nil {
			return notes, err
		}
	}
	return notes, nil
}

// CheckState reports what is wrong with what is remembered, given the sites there are.
func CheckState(state *State, sites *Store) []Finding {
	var out []Finding
	active, err := state.Active()
	if err != nil {
		out = append(out, Finding{Fault: true, Text: err.Error()})
	} else if active != "" {
		if _, missing := sites.Look(active); errors.Is(missing, ErrNoSite) {
			out = append(out, Finding{Fault: true, Text: fmt.Sprintf("the active site %s is gone: load another one", active)})
		}
	}
	route, err := state.LastRoute()
	if err != nil {
		out = append(out, Finding{Fault: true, Text: err.Error()})
	} else if route != "" {
		if _, missing := sites.fs.Read(route, maxRoute); errors.Is(missing, fs.ErrNotExist) {
			out = append(out, Finding{Text: fmt.Sprintf("the route loaded last, %s, is gone", route)})
		}
	}
	return out
}
