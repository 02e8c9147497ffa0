package main

import (
	"fmt"
	"strings"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/site"
)

// siteShow is `sarathi site show`.
type siteShow struct {
	sitesFolder

	Site string `arg:"" help:"Name of the site."`
}

// siteReport is a site for programs.
type siteReport struct {
	Name    string      `json:"name"`
	Active  bool        `json:"active"`
	Map     *sitePlan   `json:"map"`   // null: none
	Graph   bool        `json:"graph"` // mapping can go on
	POIs    []site.POI  `json:"pois"`
	Tours   []site.Tour `json:"tours"`
	Tags    []tagLine   `json:"tags"`
	Routes  []string    `json:"routes"`
	Backups []string    `json:"backups"`
	Notes   []string    `json:"notes"`
}

// sitePlan is the map of a site, by the rule of sites.
type sitePlan struct {
	Width      int        `json:"width"`
	Height     int        `json:"height"`
	Resolution float64    `json:"resolution"`
	Origin     [3]float64 `json:"origin"`
	cellCounts
}

// tagLine is where a tag is.
type tagLine struct {
	Frame string  `json:"frame"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Z     float64 `json:"z"`
	Yaw   float64 `json:"yaw"`
}

// Run prints the site.
func (c *siteShow) Run(e *env) error {
	s, err := c.look()
	if err != nil {
		return err
	}
	defer s.close() //nolint:errcheck // it was only read
	st, err := s.store.Look(c.Site)
	if err != nil {
		return wrong(err)
	}
	r := siteReport{
		Name: st.Name, Active: st.Name == s.active, Map: planOf(st.Map), Graph: st.Graph,
		POIs: orEmpty(st.Content.POIs), Tours: orEmpty(st.Content.Tours), Tags: []tagLine{},
		Routes: orEmpty(st.Routes), Backups: orEmpty(st.Backups), Notes: orEmpty(st.Notes),
	}
	for _, t := range st.Tags {
		r.Tags = append(r.Tags, tagLine{t.Frame, t.Pose.T.X, t.Pose.T.Y, t.Pose.T.Z, t.Pose.R.Yaw()})
	}
	if e.json {
		return e.printJSON(r)
	}
	return r.print(e)
}

func planOf(m *mapfile.Map) *sitePlan {
	if m == nil {
		return nil
	}
	o := m.Meta.Origin
	return &sitePlan{m.Width, m.Height, m.Meta.Resolution, [3]float64{o.X, o.Y, o.Theta}, cellsOf(m.Count())}
}

// orEmpty makes a list of nothing.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (r *siteReport) print(e *env) error {
	active := ""
	if r.Active {
		active = ", which is active"
	}
	fmt.Fprintf(e.stdout, "site %s%s\n", r.Name, active)
	if m := r.Map; m != nil {
		fmt.Fprintf(e.stdout, "map: %d × %d cells of %g m, origin (%g, %g) %s; %d free, %d occupied, %d unknown\n",
			m.Width, m.Height, m.Resolution, m.Origin[0], m.Origin[1], degrees(m.Origin[2]), m.Free, m.Occupied, m.Unknown)
	} else {
		fmt.Fprintln(e.stdout, "map: none")
	}
	pois, tours, tags := [][]string{{"POI", "NAME", "X", "Y", "YAW", "DWELL"}}, [][]string{{"TOUR", "NAME", "POIS", "RETURNS TO"}},
		[][]string{{"TAG", "X", "Y", "Z", "YAW"}}
	for i := range r.POIs {
		p := &r.POIs[i]
		pois = append(pois, []string{p.ID, p.Name, metres(p.X), metres(p.Y), degrees(p.Yaw), fmt.Sprintf("%g s", p.Dwell)})
	}
	for i := range r.Tours {
		t := &r.Tours[i]
		tours = append(tours, []string{t.ID, t.Name, strings.Join(t.POIIDs, " "), orDash(t.ReturnPOIID)})
	}
	for _, t := range r.Tags {
		tags = append(tags, []string{t.Frame, metres(t.X), metres(t.Y), metres(t.Z), degrees(t.Yaw)})
	}
	for _, table := range [][][]string{pois, tours, tags} {
		if len(table) == 1 {
			continue
		}
		fmt.Fprintln(e.stdout)
		if err := e.printTable(table); err != nil {
			return err
		}
	}
	r.printLists(e)
	return nil
}

func (r *siteReport) printLists(e *env) {
	if len(r.Routes)+len(r.Backups)+len(r.Notes) > 0 {
		fmt.Fprintln(e.stdout)
	}
	for _, route := range r.Routes {
		fmt.Fprintf(e.stdout, "route: %s\n", route)
	}
	for _, backup := range r.Backups {
		fmt.Fprintf(e.stdout, "backup: %s/%s\n", r.Name, backup)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(e.stdout, "damaged: %s\n", n)
	}
}

func metres(v float64) string { return fmt.Sprintf("%.2f", v) }
