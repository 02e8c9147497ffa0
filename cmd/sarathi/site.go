package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/profile"
	"sarathi/internal/site"
)

// siteCommands is `sarathi site`.
type siteCommands struct {
	List   siteList   `cmd:"" help:"List the sites."`
	Show   siteShow   `cmd:"" help:"Show what a site has: map, POIs, tours, tags, routes, backups."`
	Check  siteCheck  `cmd:"" help:"Report everything that is inconsistent in sites, and repair it."`
	Export siteExport `cmd:"" help:"Write a site to a tar archive."`
	Import siteImport `cmd:"" help:"Make a site of a tar archive, or of a map file."`
}

// sitesFolder says which sites.
type sitesFolder struct {
	overrides

	Profile string `default:"molly" placeholder:"NAME|FILE" help:"Profile of the robot whose sites they are (${default})."`
	Dir     string `placeholder:"DIR" help:"Sites folder (default: sites.dir of the profile)."`
}

// sites are the sites of a robot, and what it remembers.
type sites struct {
	name   string // of the folder, for a person
	store  *site.Store
	state  *site.State // nil: nothing is known of it
	active string
	close  func() error
}

// look opens the folders that are there, to read them.
func (f *sitesFolder) look() (*sites, error) { return f.open(site.LookIntoFolder) }

// change opens the folders, and makes sure that no robot uses them.
func (f *sitesFolder) change() (*sites, error) {
	return f.open(func(dir string) (*site.Folder, error) {
		folder, err := site.OpenFolder(dir)
		if err != nil {
			return nil, err
		}
		if err := folder.Claim(); err != nil {
			return nil, errors.Join(err, folder.Close())
		}
		return folder, nil
	})
}

func (f *sitesFolder) open(openSites func(string) (*site.Folder, error)) (*sites, error) {
	p, err := profile.Load(f.Profile, f.Set)
	if err != nil {
		return nil, err
	}
	s, dir := &sites{name: f.Dir, close: func() error { return nil }}, f.Dir
	if dir == "" {
		s.name = p.Sites.Dir
		if dir, err = p.Sites.Path(); err != nil {
			return nil, err
		}
		if failure := s.openState(p); failure != nil {
			return nil, failure
		}
	}
	folder, err := openSites(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.Dir == "":
		s.store = site.NewStore(site.NewMemory()) // no robot has had a site here
		return s, nil
	case err != nil:
		return nil, usage("%w", err)
	}
	s.store, s.close = site.NewStore(folder), folder.Close
	return s, nil
}

// openState reads which site is active. That nothing is remembered is no failure.
func (s *sites) openState(p *profile.Profile) error {
	dir, err := p.State.Path()
	if err != nil {
		return err
	}
	folder, err := site.LookIntoFolder(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return usage("%w", err)
	}
	remembered := site.NewMemory()
	for _, name := range []string{"site", "last_route"} {
		if err := copyFile(folder, remembered, name); err != nil {
			return errors.Join(err, folder.Close())
		}
	}
	s.state = site.NewState(remembered)
	s.active, _ = s.state.Active() // what is wrong with it is for `site check` to say
	return folder.Close()
}

// copyFile copies a small file that may be missing.
func copyFile(from, to site.FS, name string) error {
	const limit = 1 << 16
	data, err := from.Read(name, limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	f, err := to.Create(name)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit()
}

// wrong makes what a person named and what is not there an error of the command line.
func wrong(err error) error {
	if errors.Is(err, site.ErrNoSite) || errors.Is(err, site.ErrInUse) {
		return usage("%w", err)
	}
	return err
}

// siteList is `sarathi site list`.
type siteList struct {
	sitesFolder
}

// siteLine is a site in a list.
type siteLine struct {
	Name   string `json:"name"`
	Active bool   `json:"active"`
	Map    string `json:"map"` // size
	POIs   int    `json:"pois"`
	Tours  int    `json:"tours"`
	Tags   int    `json:"tags"`
	Routes int    `json:"routes"`
	Notes  int    `json:"notes"` // things that are wrong
}

// Run prints one line a site.
func (c *siteList) Run(e *env) error {
	s, err := c.look()
	if err != nil {
		return err
	}
	defer s.close() //nolint:errcheck // it was only read
	names, err := s.store.List()
	if err != nil {
		return err
	}
	lines, rows := []siteLine{}, [][]string{{"SITE", "MAP", "POIS", "TOURS", "TAGS", "ROUTES", "STATE"}}
	for _, name := range names {
		st, err := s.store.Look(name)
		if err != nil {
			return err
		}
		l := siteLine{
			Name: name, Active: name == s.active, POIs: len(st.Content.POIs), Tours: len(st.Content.Tours),
			Tags: len(st.Tags), Routes: len(st.Routes), Notes: len(st.Notes),
		}
		if m := st.Map; m != nil {
			l.Map = fmt.Sprintf("%d × %d", m.Width, m.Height)
		}
		lines = append(lines, l)
		rows = append(rows, l.row())
	}
	if e.json {
		return e.printJSON(map[string]any{"dir": s.name, "active": s.active, "sites": lines})
	}
	if len(names) == 0 {
		fmt.Fprintf(e.stdout, "there are no sites in %s\n", s.name)
		return nil
	}
	return e.printTable(rows)
}

func (l *siteLine) row() []string {
	var marks []string
	if l.Active {
		marks = append(marks, "active")
	}
	if l.Notes > 0 {
		marks = append(marks, "damaged: `sarathi site check "+l.Name+"`")
	}
	return []string{
		l.Name, orDash(l.Map), fmt.Sprint(l.POIs), fmt.Sprint(l.Tours), fmt.Sprint(l.Tags), fmt.Sprint(l.Routes), orDash(strings.Join(marks, ", ")),
	}
}

// siteExport is `sarathi site export`.
type siteExport struct {
	sitesFolder

	Output string `short:"o" placeholder:"FILE" help:"Archive to write, or - for the standard output (default: SITE.tar)."`
	Site   string `arg:"" help:"Name of the site."`
}

// Run writes the archive. A file that is there is not replaced.
func (c *siteExport) Run(e *env) error {
	s, err := c.look()
	if err != nil {
		return err
	}
	defer s.close() //nolint:errcheck // it was only read
	if c.Output == "-" {
		return wrong(s.store.Export(e.stdout, c.Site, e.now()))
	}
	if _, missing := s.store.Look(c.Site); missing != nil {
		return wrong(missing)
	}
	name := c.Output
	if name == "" {
		name = c.Site + ".tar"
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // as the site's own files
	if err != nil {
		return usage("write %s: %w: name another file with --output", name, cause(err))
	}
	if err := errors.Join(s.store.Export(f, c.Site, e.now()), f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	if e.json {
		return e.printJSON(map[string]any{"site": c.Site, "file": name})
	}
	fmt.Fprintf(e.stdout, "site %s is in %s\n", c.Site, name)
	return nil
}

// siteImport is `sarathi site import`.
type siteImport struct {
	sitesFolder

	As      string `placeholder:"NAME" help:"Name of the new site (default: that of the archive)."`
	Rule    string `enum:"nav2,site" default:"nav2" placeholder:"nav2|site" help:"How a map file is read: as Nav2 does, or as a robot's own map, in which 205 is unknown (${default})."`
	Replace bool   `help:"Replace a site of that name; what it has moves into a backup."`
	File    string `arg:"" help:"Archive that export wrote, - for the standard input, or the YAML file of a map."`
}

// Run reads the archive or the map and makes the site.
func (c *siteImport) Run(e *env) error {
	s, err := c.change()
	if err != nil {
		return wrong(err)
	}
	defer s.close() //nolint:errcheck // what was written is on disk
	to := site.Target{Site: c.As, Replace: c.Replace, Now: e.now()}
	var got site.Imported
	switch filepath.Ext(c.File) {
	case ".yaml", ".yml":
		if c.As == "" {
			return usage("a map has no name for its site: write --as NAME")
		}
		src, failure := mapfile.Open(c.File)
		if failure != nil {
			return usage("%w", failure)
		}
		got, err = s.store.ImportMap(src, ruleOf(c.Rule), to)
	default:
		in, done, failure := c.archive(e)
		if failure != nil {
			return failure
		}
		got, err = s.store.Import(in, to)
		err = errors.Join(err, done())
	}
	if err != nil {
		return usage("import %s: %w", c.File, err)
	}
	if e.json {
		return e.printJSON(got)
	}
	for _, n := range got.Notes {
		fmt.Fprintf(e.stdout, "note: %s\n", n)
	}
	if got.Backup != "" {
		fmt.Fprintf(e.stdout, "what the site had is in %s\n", filepath.Join(got.Site, got.Backup))
	}
	fmt.Fprintf(e.stdout, "site %s is there\n", got.Site)
	return nil
}

// archive opens what is read.
func (c *siteImport) archive(e *env) (in io.Reader, done func() error, err error) {
	if c.File == "-" {
		return e.stdin, func() error { return nil }, nil
	}
	f, err := os.Open(c.File)
	if err != nil {
		return nil, nil, usage("read %s: %w: name an archive or the YAML file of a map", c.File, cause(err))
	}
	return f, f.Close, nil
}

// degrees prints an angle for people.
func degrees(rad float64) string { return fmt.Sprintf("%.1f°", rad*180/math.Pi) }
