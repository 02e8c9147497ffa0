package main

import (
	"fmt"
	"os"

	"sarathi/internal/algo/mapfile"
)

// mapCommands is `sarathi map`.
type mapCommands struct {
	Info mapInfo `cmd:"" help:"Tell what a map file has: size, place, cells by the rules of Nav2 and of sites, and what is odd about it."`
}

// mapInfo is `sarathi map info`.
type mapInfo struct {
	PNG  string `name:"png" placeholder:"FILE" help:"Draw the map: occupied black, free white, unknown grey."`
	Rule string `enum:"nav2,site" default:"nav2" placeholder:"nav2|site" help:"Rule by which it is drawn (${default})."`

	File string `arg:"" name:"file.yaml" help:"Description of a map in the format of map_server."`
}

// cellCounts are numbers of cells.
type cellCounts struct {
	Free     int `json:"free"`
	Occupied int `json:"occupied"`
	Unknown  int `json:"unknown"`
	Other    int `json:"other"`
}

func cellsOf(c mapfile.Counts) cellCounts {
	return cellCounts{c.Free, c.Occupied, c.Unknown, c.Between}
}

// mapReport is what is told of a map file.
type mapReport struct {
	File       string     `json:"file"`
	Image      string     `json:"image"`
	Width      int        `json:"width"`  // cells
	Height     int        `json:"height"` // cells
	Resolution float64    `json:"resolution"`
	Origin     [3]float64 `json:"origin"` // x, y [m], yaw [rad]
	Mode       string     `json:"mode"`
	Negate     bool       `json:"negate"`
	Occupied   float64    `json:"occupied_thresh"`
	Free       float64    `json:"free_thresh"`
	cellCounts            // by the rule of Nav2
	Site       cellCounts `json:"site_rule"`
	NotSite    string     `json:"not_in_site_form,omitempty"`
	Warnings   []string   `json:"warnings"`
}

// Run reads the map and prints the report. A map that cannot be read ends with exit code 2.
func (c *mapInfo) Run(e *env) error {
	src, err := mapfile.Open(c.File)
	if err != nil {
		return usage("%w", err)
	}
	if c.PNG != "" {
		if err := c.draw(src); err != nil {
			return err
		}
	}
	m := src.Meta
	r := mapReport{
		File: c.File, Image: m.Image, Width: src.Width, Height: src.Height, Resolution: m.Resolution,
		Origin: [3]float64{m.Origin.X, m.Origin.Y, m.Origin.Theta}, Mode: string(m.Mode), Negate: m.Negate,
		Occupied: m.OccupiedThresh, Free: m.FreeThresh, cellCounts: cellsOf(src.Count(mapfile.Nav2)), Site: cellsOf(src.Count(mapfile.Site)),
		NotSite: src.InSiteForm(), Warnings: append([]string{}, src.Warnings()...),
	}
	if e.json {
		return e.printJSON(r)
	}
	return r.print(e)
}

// ruleOf is the rule of a flag.
func ruleOf(flag string) mapfile.Rule {
	if flag == "site" {
		return mapfile.Site
	}
	return mapfile.Nav2
}

// draw writes the picture of the map.
func (c *mapInfo) draw(src *mapfile.Source) error {
	data, err := mapfile.EncodePNG(src.Map(ruleOf(c.Rule)))
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.PNG, data, 0o644); err != nil { //nolint:gosec // a picture for everybody
		return usage("--png %s: %w: name a file that can be written, in a folder that exists", c.PNG, cause(err))
	}
	return nil
}

func (r *mapReport) print(e *env) error {
	negate := ""
	if r.Negate {
		negate = ", negated"
	}
	rows := [][]string{
		{"file", r.File},
		{"image", r.Image},
		{"size", fmt.Sprintf("%d × %d cells, %.2f × %.2f m", r.Width, r.Height, float64(r.Width)*r.Resolution, float64(r.Height)*r.Resolution)},
		{"resolution", fmt.Sprintf("%g m", r.Resolution)},
		{"origin", fmt.Sprintf("x %g m, y %g m, yaw %g rad", r.Origin[0], r.Origin[1], r.Origin[2])},
		{"mode", fmt.Sprintf("%s%s, occupied from %g, free up to %g", r.Mode, negate, r.Occupied, r.Free)},
	}
	if err := e.printTable(rows); err != nil {
		return err
	}
	fmt.Fprintln(e.stdout)
	row := func(rule string, c cellCounts) []string {
		return []string{rule, fmt.Sprint(c.Free), fmt.Sprint(c.Occupied), fmt.Sprint(c.Unknown), fmt.Sprint(c.Other)}
	}
	if err := e.printTable([][]string{{"RULE", "FREE", "OCCUPIED", "UNKNOWN", "OTHER"}, row("Nav2", r.cellCounts), row("site", r.Site)}); err != nil {
		return err
	}
	if r.NotSite != "" {
		fmt.Fprintf(e.stdout, "\nnot in the form of a site: %s: `sarathi site import` rewrites it\n", r.NotSite)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(e.stdout, "warning: %s\n", w)
	}
	return nil
}
