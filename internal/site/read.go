package site

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"sarathi/internal/algo/mapfile"
)

// reader reads one site, changes nothing, and collects what is wrong.
type reader struct {
	fs      FS
	site    string
	notes   []string
	damaged []damage
	changed bool // what was read of POIs, tours or tags is not what the files say: something was repaired or left out
}

// damage is a file that cannot be used, or is missing while its previous version is there.
type damage struct {
	name     string
	missing  bool
	previous []byte // nil: none that could be used
}

func (r *reader) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

func (r *reader) all() (*Site, error) {
	out := &Site{Name: r.site}
	list, err := r.fs.List(r.site)
	if err != nil {
		return nil, fmt.Errorf("site %s: %w", r.site, err)
	}
	for _, e := range list {
		switch {
		case e.Folder && strings.HasPrefix(e.Name, backupPrefix):
			out.Backups = append(out.Backups, e.Name)
		case e.Name == graphFile && !e.Folder:
			out.Graph = true
		}
	}
	slices.Reverse(out.Backups)
	if out.Content, err = r.content(); err != nil {
		return nil, err
	}
	if out.Tags, err = r.tags(); err != nil {
		return nil, err
	}
	if out.Routes, err = r.routes(); err != nil {
		return nil, err
	}
	src, err := r.source()
	if err != nil {
		return nil, err
	}
	if src != nil {
		out.Map = src.Map(mapfile.Site)
	}
	out.Notes = r.notes
	return out, nil
}

func (r *reader) content() (Content, error) {
	pois, err := document(r, poisFile, decodePOIs)
	if err != nil {
		return Content{}, err
	}
	tours, err := document(r, toursFile, decodeTours)
	if err != nil {
		return Content{}, err
	}
	c, notes := Content{POIs: pois, Tours: tours}.Repair()
	for _, n := range notes {
		r.note("%s: %s", r.site, n)
		r.changed = true
	}
	return c, nil
}

func (r *reader) tags() ([]Tag, error) {
	return document(r, tagsFile, func(name string, data []byte) ([]Tag, error) {
		tags, notes, err := decodeTags(name, data)
		r.notes = append(r.notes, notes...)
		r.changed = r.changed || len(notes) > 0
		return tags, err
	})
}

// document reads a file, or its previous version when it is damaged or missing. A file that neither is there nor was is empty.
func document[T any](r *reader, name string, decode func(string, []byte) (T, error)) (T, error) {
	var none T
	at := path.Join(r.site, name)
	data, missing, err := r.read(at, maxJSON)
	if err != nil {
		return none, err
	}
	var why error
	if !missing {
		var v T
		if v, why = decode(at, data); why == nil {
			return v, nil
		}
	}
	previous, gone, err := r.read(at+bakSuffix, maxJSON)
	if err != nil {
		return none, err
	}
	if missing && gone {
		return none, nil
	}
	d := damage{name: name, missing: missing}
	if missing {
		r.note("%s is missing", at)
	} else {
		r.note("%v: the file is damaged", why)
	}
	if !gone {
		if v, err := decode(at+bakSuffix, previous); err == nil {
			d.previous = previous
			r.damaged = append(r.damaged, d)
			r.note("%s is used in its place", at+bakSuffix)
			return v, nil
		}
	}
	r.damaged = append(r.damaged, d)
	r.note("%s: no previous version can be used: it counts as empty", at)
	return none, nil
}

// read reads a file that may be missing.
func (r *reader) read(at string, limit int64) (data []byte, missing bool, err error) {
	data, err = r.fs.Read(at, limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("site %s: %w", r.site, err)
	}
	return data, false, nil
}

// source reads the map, or the previous one when it is damaged; nil: there is none.
func (r *reader) source() (*mapfile.Source, error) {
	now, err := r.pair("")
	if err != nil || now.source != nil {
		return now.source, err
	}
	before, err := r.pair(bakSuffix)
	if err != nil {
		return nil, err
	}
	if now.yaml == nil && before.yaml == nil {
		return nil, nil // no site has had a map
	}
	r.note("%v", now.fault)
	for _, f := range []struct {
		name      string
		now, then []byte
	}{{mapFile, now.yaml, before.yaml}, {imageFile, now.image, before.image}} {
		d := damage{name: f.name, missing: f.now == nil}
		if before.source != nil {
			d.previous = f.then
		}
		if !d.missing || d.previous != nil {
			r.damaged = append(r.damaged, d)
		}
	}
	if before.source != nil {
		r.note("%s is used in its place", path.Join(r.site, mapFile+bakSuffix))
		return before.source, nil
	}
	r.note("%s: no previous map can be used: the site has none", r.site)
	return nil, nil
}

// pair are the two files of a map, or of the previous one.
type pair struct {
	yaml, image []byte
	source      *mapfile.Source
	fault       error // why source is nil
}

func (r *reader) pair(suffix string) (pair, error) {
	var p pair
	at := path.Join(r.site, mapFile+suffix)
	yaml, missing, err := r.read(at, maxJSON)
	if err != nil {
		return p, err
	}
	if missing {
		p.fault = fmt.Errorf("%s is missing", at)
		return p, nil
	}
	p.yaml = yaml
	meta, err := mapfile.ParseMeta(at, yaml)
	if err != nil {
		p.fault = oneLine(err)
		return p, nil
	}
	if !fs.ValidPath(meta.Image) {
		p.fault = fmt.Errorf("%s:%d: image %q lies outside of the site: copy it into the site's folder", at, meta.ImageLine, meta.Image)
		return p, nil
	}
	image := path.Join(r.site, meta.Image+suffix)
	data, missing, err := r.read(image, maxImage)
	if err != nil {
		return p, err
	}
	if missing {
		p.fault = fmt.Errorf("%s:%d: image %s is missing", at, meta.ImageLine, image)
		return p, nil
	}
	if meta.Image == imageFile {
		p.image = data
	}
	p.source, err = mapfile.NewSource(image, meta, data)
	p.fault = err
	return p, nil
}

// oneLine joins the faults of one file.
func oneLine(err error) error { return errors.New(strings.ReplaceAll(err.Error(), "\n", ", ")) }

// routes lists the routes of the site.
func (r *reader) routes() ([]string, error) {
	list, err := r.fs.List(path.Join(r.site, routesDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("site %s: %w", r.site, err)
	}
	var out []string
	for _, e := range slices.Backward(list) {
		if !e.Folder && path.Ext(e.Name) == ".csv" && !strings.HasPrefix(e.Name, ".") {
			out = append(out, path.Join(r.site, routesDir, e.Name))
		}
	}
	return out, nil
}
