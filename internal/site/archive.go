package site

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"sarathi/internal/algo/mapfile"
)

// Limits of an archive that is read.
const (
	maxArchive = 1 << 30 // [bytes]
	maxEntries = 10000
)

// Export writes the files of a site, without backups and previous versions, as a tar archive whose entries begin with the name of the
// site. now is the time of the entries: the same site at the same time gives the same archive.
func (s *Store) Export(w io.Writer, site string, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.exists(site); err != nil {
		return err
	}
	r := reader{fs: s.fs, site: site}
	state, err := r.all()
	if err != nil {
		return err
	}
	if len(r.damaged) > 0 {
		return fmt.Errorf("site %s is damaged: %s: repair it first", site, strings.Join(r.notes, "; "))
	}
	names := []string{mapFile, imageFile, graphFile, tagsFile, poisFile, toursFile}
	if src, err := r.source(); err == nil && src != nil && src.Meta.Image != imageFile {
		names = append(names, src.Meta.Image)
	}
	for _, route := range state.Routes {
		names = append(names, strings.TrimPrefix(route, site+"/"))
	}
	slices.Sort(names)
	t := tar.NewWriter(w)
	for _, name := range names {
		data, missing, err := r.read(path.Join(site, name), maxGraph)
		if err != nil {
			return err
		}
		if missing {
			continue
		}
		h := &tar.Header{
			Typeflag: tar.TypeReg, Name: path.Join(site, name), Size: int64(len(data)), Mode: fileMode,
			ModTime: now.UTC().Truncate(time.Second), Format: tar.FormatUSTAR,
		}
		if err := t.WriteHeader(h); err != nil {
			return fmt.Errorf("export site %s: %w", site, err)
		}
		if _, err := t.Write(data); err != nil {
			return fmt.Errorf("export site %s: %w", site, err)
		}
	}
	if err := t.Close(); err != nil {
		return fmt.Errorf("export site %s: %w", site, err)
	}
	return nil
}

// Target says where something is imported to.
type Target struct {
	Site    string    // name; "": that of the archive
	Replace bool      // a site of that name moves into a backup
	Now     time.Time // of the backup
}

// Imported is what came of an import.
type Imported struct {
	Site   string   `json:"site"`
	Backup string   `json:"backup,omitempty"` // folder of the site that has what was replaced
	Notes  []string `json:"notes"`            // what was left out or changed
}

// Import makes a site of an archive that [Store.Export] wrote, or that somebody made of the folder of a site. It is checked before
// anything is written. A map that is not as a robot writes it is read by the rule of Nav2 and rewritten.
func (s *Store) Import(in io.Reader, to Target) (Imported, error) {
	name, files, notes, err := unpack(in)
	if err != nil {
		return Imported{}, err
	}
	if to.Site == "" {
		to.Site = name
	}
	if wrong := checkName("site", to.Site); wrong != nil {
		return Imported{}, wrong
	}
	files, more, err := proven(to.Site, files)
	if err != nil {
		return Imported{}, err
	}
	return s.place(files, to, append(notes, more...))
}

// ImportMap makes a site of a map from elsewhere, which is to be read by the rule of Nav2, or of a robot's own map. to must name the site.
func (s *Store) ImportMap(src *mapfile.Source, rule mapfile.Rule, to Target) (Imported, error) {
	if err := checkName("site", to.Site); err != nil {
		return Imported{}, err
	}
	files, notes := rewritten(src, rule)
	return s.place(files, to, notes)
}

// unpack reads an archive into the files of one site. What does not belong to one is left out.
func unpack(in io.Reader) (site string, files []content, notes []string, err error) {
	fault := func(format string, args ...any) (string, []content, []string, error) {
		return "", nil, nil, fmt.Errorf("read the archive: "+format, args...)
	}
	t, total := tar.NewReader(in), int64(0)
	for entries := 0; ; entries++ {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && entries == 0 {
			return fault("it is no tar archive: %w", err)
		}
		if err != nil {
			return fault("%w", err)
		}
		if total += max(h.Size, 0); total > maxArchive || entries > maxEntries {
			return fault("it holds more than a site has (%d MB, %d files)", maxArchive>>20, maxEntries)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if isSparse(h) { // a few bytes could stand for a gigabyte
			return fault("%s is stored with holes: pack it without (tar without --sparse)", h.Name)
		}
		top, name, found := strings.Cut(path.Clean(h.Name), "/")
		switch {
		case !found || !ValidName(top):
			return fault("%q is not in the folder of a site: pack the folder itself, as in tar -c museum", h.Name)
		case site != "" && top != site:
			return fault("it holds the sites %s and %s: pack one", site, top)
		}
		site = top
		if !ours(name) {
			notes = append(notes, fmt.Sprintf("%s is left out", h.Name))
			continue
		}
		data, err := io.ReadAll(t)
		if err != nil {
			return fault("%s: %w", h.Name, err)
		}
		if slices.ContainsFunc(files, func(f content) bool { return f.name == name }) {
			return fault("%s is in it twice", h.Name)
		}
		files = append(files, content{name, data})
	}
	if len(files) == 0 {
		return fault("it holds no files of a site")
	}
	return site, files, notes, nil
}

// isSparse reports whether an entry is stored with holes.
func isSparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// ours reports whether a file may be part of a site.
func ours(name string) bool {
	switch {
	case slices.Contains([]string{mapFile, graphFile, tagsFile, poisFile, toursFile}, name):
		return true
	case strings.HasPrefix(name, "."):
		return false
	}
	dir, base := path.Split(name)
	switch path.Ext(base) {
	case ".csv":
		return dir == routesDir+"/" && !strings.HasPrefix(base, ".")
	case ".pgm", ".png", ".bmp":
		return dir == ""
	}
	return false
}

// proven checks files as those of a site, and returns them as a robot writes them.
func proven(site string, files []content) (out []content, notes []string, err error) {
	m := NewMemory()
	for _, dir := range []string{site, path.Join(site, routesDir)} {
		if failure := m.MakeFolder(dir); failure != nil {
			return nil, nil, failure
		}
	}
	trial := Store{fs: m}
	for _, f := range files {
		if failure := trial.write(path.Join(site, f.name), f.data); failure != nil {
			return nil, nil, failure
		}
	}
	r := reader{fs: m, site: site}
	state, err := r.all()
	if err != nil {
		return nil, nil, err
	}
	if len(r.damaged) > 0 {
		return nil, nil, fmt.Errorf("the archive is damaged: %s", strings.Join(r.notes, "; "))
	}
	src, err := r.source()
	if err != nil {
		return nil, nil, err
	}
	notes = r.notes
	if src != nil && (src.InSiteForm() != "" || src.Meta.Image != imageFile) {
		rule := mapfile.Nav2
		if src.InSiteForm() == "" { // only the image has another name
			rule = mapfile.Site
		}
		var more []string
		out, more = rewritten(src, rule)
		notes = append(notes, more...)
	}
	for _, f := range files {
		switch {
		case f.name == poisFile && r.changed:
			f.data = encodePOIs(state.Content.POIs)
		case f.name == toursFile && r.changed:
			f.data = encodeTours(state.Content.Tours)
		case f.name == tagsFile && r.changed:
			f.data = encodeTags(state.Tags)
		case path.Dir(f.name) == routesDir:
			if _, err := parseRoute(path.Join(site, f.name), f.data); err != nil {
				return nil, nil, fmt.Errorf("the archive is damaged: %w", err)
			}
		case len(out) > 0 && out[0].name == mapFile && (f.name == mapFile || isPicture(f.name)):
			continue // the map was rewritten
		case isPicture(f.name) && (src == nil || f.name != src.Meta.Image):
			notes = append(notes, fmt.Sprintf("%s is left out: it is not the map's image", f.name))
			continue
		}
		out = append(out, f)
	}
	return out, notes, nil
}

func isPicture(name string) bool {
	return slices.Contains([]string{".pgm", ".png", ".bmp"}, path.Ext(name))
}

// rewritten gives the two files of a map as a robot writes them, read by a rule, with what a person should know.
func rewritten(src *mapfile.Source, rule mapfile.Rule) ([]content, []string) {
	name, warnings := "of sites", []string(nil)
	if rule == mapfile.Nav2 {
		name, warnings = "of Nav2", src.Warnings()
	}
	c := src.Count(rule)
	notes := []string{fmt.Sprintf("the map was read by the rule %s: %d free, %d occupied, %d unknown, %d other cells",
		name, c.Free, c.Occupied, c.Unknown, c.Between)}
	yaml, pgm := mapfile.EncodeSite(src.Map(rule), imageFile)
	return []content{{mapFile, yaml}, {imageFile, pgm}}, append(notes, warnings...)
}

// place writes the files of a site at once.
func (s *Store) place(files []content, to Target, notes []string) (Imported, error) {
	out := Imported{Site: to.Site, Notes: append([]string{}, notes...)}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := change{files: files}
	err := s.exists(to.Site)
	if errors.Is(err, ErrNoSite) {
		err = s.create(to.Site)
	}
	if err == nil {
		_, err = s.recover(to.Site)
	}
	if err == nil {
		c.backup, err = s.backupName(to.Site, to.Now)
	}
	if err != nil {
		return out, err
	}
	if c.backup != "" && !to.Replace {
		return out, fmt.Errorf("there is a site %s already: import under another name (--as), or replace it (--replace)", to.Site)
	}
	out.Backup = c.backup
	return out, s.commit(to.Site, c)
}
