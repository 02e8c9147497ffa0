package site

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"sarathi/internal/algo/mapfile"
)

// ErrNoSite says that there is no site of a name.
var ErrNoSite = errors.New("there is no such site")

// Store is a sites folder. Use [NewStore]. Any goroutine may use it.
type Store struct {
	fs FS
	mu sync.Mutex // one change at a time
}

// NewStore returns the sites in a folder.
func NewStore(folder FS) *Store { return &Store{fs: folder} }

// Site is what a site has on disk.
type Site struct {
	Name    string
	Map     *mapfile.Map // by the rule of sites; nil: none
	Content Content
	Tags    []Tag    // in the order of their frames
	Routes  []string // relative to the sites folder, newest first
	Graph   bool     // mapping can go on
	Backups []string // of resets, newest first
	Notes   []string // for a person: what was damaged or had to be repaired
}

// List returns the names of the sites in sorted order.
func (s *Store) List() ([]string, error) {
	list, err := s.fs.List(".")
	if err != nil {
		return nil, fmt.Errorf("list the sites: %w", err)
	}
	out := []string{}
	for _, e := range list {
		if e.Folder && ValidName(e.Name) {
			out = append(out, e.Name)
		}
	}
	return out, nil
}

// Create makes a site that has nothing; one that is there is no error.
func (s *Store) Create(site string) error {
	if err := checkName("site", site); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.create(site)
}

func (s *Store) create(site string) error {
	if err := errors.Join(s.fs.MakeFolder(site), s.fs.Sync(".")); err != nil {
		return fmt.Errorf("make site %s: %w", site, err)
	}
	return nil
}

// Overview is what is quickly told of the sites and of one of them.
type Overview struct {
	Sites  []string // in sorted order
	HasMap bool     // the site has a map, which may be damaged
	Tags   []string // frames of its tags, in sorted order
	Routes []string // of it, relative to the sites folder, newest first
}

// Overview looks at the sites, and at one of them unless it is "". A site that is not there has nothing.
func (s *Store) Overview(site string) (Overview, error) {
	out := Overview{Tags: []string{}, Routes: []string{}}
	var err error
	if out.Sites, err = s.List(); err != nil || !slices.Contains(out.Sites, site) {
		return out, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list, err := s.fs.List(site)
	if err != nil {
		return out, fmt.Errorf("site %s: %w", site, err)
	}
	out.HasMap = slices.ContainsFunc(list, func(e Entry) bool { return e.Name == mapFile })
	r := reader{fs: s.fs, site: site}
	tags, err := r.tags()
	if err != nil {
		return out, err
	}
	for _, t := range tags {
		out.Tags = append(out.Tags, t.Frame)
	}
	routes, err := r.routes()
	out.Routes = append(out.Routes, routes...)
	return out, err
}

// Open reads a site for a robot that is going to use it: it first finishes what was interrupted, keeps damaged files aside (now is in
// their names) and puts their previous versions in their place.
func (s *Store) Open(site string, now time.Time) (*Site, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.exists(site); err != nil {
		return nil, err
	}
	notes, err := s.recover(site)
	if err != nil {
		return nil, err
	}
	r := reader{fs: s.fs, site: site}
	out, err := r.all()
	if err != nil {
		return nil, err
	}
	for _, d := range r.damaged {
		if err := s.restore(site, d, now); err != nil {
			return nil, err
		}
	}
	out.Notes = append(notes, out.Notes...)
	return out, nil
}

// Look reads a site and changes nothing.
func (s *Store) Look(site string) (*Site, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.exists(site); err != nil {
		return nil, err
	}
	r := reader{fs: s.fs, site: site}
	return r.all()
}

// exists reports an error unless the site is there.
func (s *Store) exists(site string) error {
	if err := checkName("site", site); err != nil {
		return err
	}
	_, err := s.fs.List(site)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("site %s: %w", site, ErrNoSite)
	}
	if err != nil {
		return fmt.Errorf("site %s: %w", site, err)
	}
	return nil
}

// restore keeps a damaged file aside and puts its previous version in its place.
func (s *Store) restore(site string, d damage, now time.Time) error {
	at := path.Join(site, d.name)
	if !d.missing {
		if err := s.fs.Rename(at, at+".damaged-"+stamp(now)); err != nil {
			return fmt.Errorf("keep damaged %s aside: %w", at, err)
		}
	}
	if d.previous != nil {
		if err := s.write(at, d.previous); err != nil {
			return err
		}
	}
	if err := s.fs.Sync(site); err != nil {
		return fmt.Errorf("restore %s: %w", at, err)
	}
	return nil
}

// Edit changes the POIs and tours of a site: edit gets those on disk and returns what they are to be. When Edit returns without an
// error they are on disk. What edit does not change is not written. A damaged file is kept aside first, with now in its name.
func (s *Store) Edit(site string, now time.Time, edit func(Content) (Content, error)) (Content, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.exists(site); err != nil {
		return Content{}, err
	}
	if _, err := s.recover(site); err != nil {
		return Content{}, err
	}
	r := reader{fs: s.fs, site: site}
	was, err := r.content()
	if err != nil {
		return Content{}, err
	}
	is, err := edit(was.clone()) // which it may alter
	if err != nil {
		return was, err
	}
	for _, d := range r.damaged {
		if err := s.restore(site, d, now); err != nil {
			return was, err
		}
	}
	var c change
	if !(Content{POIs: was.POIs}).Equal(Content{POIs: is.POIs}) {
		c.files = append(c.files, content{poisFile, encodePOIs(is.POIs)})
	}
	if !(Content{Tours: was.Tours}).Equal(Content{Tours: is.Tours}) {
		c.files = append(c.files, content{toursFile, encodeTours(is.Tours)})
	}
	if len(c.files) == 0 {
		return was, nil
	}
	if err := s.commit(site, c); err != nil {
		return was, err
	}
	return is, nil
}

// Content reads the POIs and tours of a site, repaired if need be, with what was repaired.
func (s *Store) Content(site string) (Content, []string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.exists(site); err != nil {
		return Content{}, nil, err
	}
	r := reader{fs: s.fs, site: site}
	c, err := r.content()
	return c, r.notes, err
}

// SaveMap makes m the map of a site. graph is what mapping goes on with later; nil: nothing, and an older graph is put aside.
func (s *Store) SaveMap(site string, m *mapfile.Map, graph []byte) error {
	yaml, pgm := mapfile.EncodeSite(m, imageFile)
	c := change{files: []content{{mapFile, yaml}, {imageFile, pgm}}}
	if graph != nil {
		c.files = append(c.files, content{graphFile, graph})
	} else {
		c.gone = []string{graphFile}
	}
	return s.save(site, c)
}

// Graph reads what mapping goes on with.
func (s *Store) Graph(site string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.exists(site); err != nil {
		return nil, err
	}
	data, err := s.fs.Read(path.Join(site, graphFile), maxGraph)
	if err != nil {
		return nil, fmt.Errorf("site %s: %w", site, err)
	}
	return data, nil
}

// Tags reads the tags of a site, with what could not be used of the file. file is relative to the sites folder: <site>/tags.json.
func (s *Store) Tags(file string) (tags []Tag, notes []string, err error) {
	if !fs.ValidPath(file) || path.Base(file) != tagsFile || !ValidName(path.Dir(file)) {
		return nil, nil, fmt.Errorf("%q is no file of tags: give <site>/%s", file, tagsFile)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := reader{fs: s.fs, site: path.Dir(file)}
	if missing := s.exists(r.site); missing != nil {
		return nil, nil, missing
	}
	tags, err = r.tags()
	return tags, r.notes, err
}

// SaveTags makes tags those of a site.
func (s *Store) SaveTags(site string, tags []Tag) error {
	return s.save(site, change{files: []content{{tagsFile, encodeTags(tags)}}})
}

func (s *Store) save(site string, c change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.exists(site); err != nil {
		return err
	}
	return s.commit(site, c)
}

// Reset moves everything a site has into a folder of it that is called backup-<time>, and returns the name of that folder; "" when
// the site has nothing.
func (s *Store) Reset(site string, now time.Time) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.exists(site); err != nil {
		return "", err
	}
	if _, err := s.recover(site); err != nil {
		return "", err
	}
	backup, err := s.backupName(site, now)
	if err != nil || backup == "" {
		return "", err
	}
	return backup, s.commit(site, change{backup: backup})
}

// backupName is a name that no backup has, or "" when there is nothing to move.
func (s *Store) backupName(site string, now time.Time) (string, error) {
	list, err := s.fs.List(site)
	if err != nil {
		return "", fmt.Errorf("site %s: %w", site, err)
	}
	moves := slices.ContainsFunc(list, func(e Entry) bool { return !strings.HasPrefix(e.Name, backupPrefix) && !strings.HasPrefix(e.Name, ".") })
	if !moves {
		return "", nil
	}
	for n := 1; ; n++ {
		name := backupPrefix + stamp(now)
		if n > 1 {
			name = fmt.Sprintf("%s-%d", name, n)
		}
		if !slices.ContainsFunc(list, func(e Entry) bool { return e.Name == name }) {
			return name, nil
		}
	}
}

// stamp is a time in the names of files.
func stamp(t time.Time) string { return t.Format("20060102_150405") }

// Routes lists the taught routes of a site, or of all sites when it is "", relative to the sites folder, newest first.
func (s *Store) Routes(site string) ([]string, error) {
	sites := []string{site}
	if site == "" {
		var err error
		if sites, err = s.List(); err != nil {
			return nil, err
		}
	} else if err := s.exists(site); err != nil {
		return nil, err
	}
	out := []string{}
	for _, name := range sites {
		r := reader{fs: s.fs, site: name}
		routes, err := r.routes()
		if err != nil {
			return nil, err
		}
		out = append(out, routes...)
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(path.Base(b), path.Base(a)) })
	return out, nil
}
