package site

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// What a change needs while it is made; see the package comment.
const (
	stageDir    = ".new"
	journalFile = ".journal"
)

// change is what is to happen to a site at once.
type change struct {
	backup string // folder into which everything goes first; "": nothing does
	files  []content
	gone   []string // files that are to be there no longer
}

// content is a file of a site: its name in the site's folder, and what it is to hold.
type content struct {
	name string
	data []byte
}

// journal is a change whose contents lie in the stage, by their place in Files.
type journal struct {
	Backup string   `json:"backup,omitempty"`
	Files  []string `json:"files"`
	Gone   []string `json:"gone,omitempty"`
}

// commit makes a change. After an error it has happened as a whole, or not at all, once the site has been recovered.
func (s *Store) commit(site string, c change) error {
	if _, err := s.recover(site); err != nil {
		return err
	}
	if c.backup == "" && len(c.files) == 1 && len(c.gone) == 0 {
		return s.replace(site, c.files[0])
	}
	j := journal{Backup: c.backup, Gone: c.gone}
	if err := s.fs.MakeFolder(path.Join(site, stageDir)); err != nil {
		return fmt.Errorf("save site %s: %w", site, err)
	}
	for i, f := range c.files {
		j.Files = append(j.Files, f.name)
		if err := s.write(path.Join(site, stageDir, strconv.Itoa(i)), f.data); err != nil {
			return err
		}
	}
	for _, folder := range []string{path.Join(site, stageDir), site} {
		if err := s.fs.Sync(folder); err != nil {
			return fmt.Errorf("save site %s: %w", site, err)
		}
	}
	if err := s.note(site, j); err != nil {
		return err
	}
	return s.apply(site, j)
}

// note writes the journal: what it says counts as done.
func (s *Store) note(site string, j journal) error {
	text, err := json.Marshal(j)
	if err != nil {
		return fmt.Errorf("save site %s: %w", site, err)
	}
	if err := s.write(path.Join(site, journalFile), text); err != nil {
		return err
	}
	if err := s.fs.Sync(site); err != nil {
		return fmt.Errorf("save site %s: %w", site, err)
	}
	return nil
}

// apply does what a journal says. It may be called again after it was interrupted anywhere.
func (s *Store) apply(site string, j journal) error {
	if j.Backup != "" {
		if err := s.moveAway(site, j.Backup); err != nil {
			return fmt.Errorf("move site %s into %s: %w", site, j.Backup, err)
		}
		j.Backup = "" // or what now takes the place of the old files would follow them
		if err := s.note(site, j); err != nil {
			return err
		}
	}
	touched := []string{site}
	for i, name := range j.Files {
		at := path.Join(site, name)
		if dir := path.Dir(at); !slices.Contains(touched, dir) {
			if err := s.fs.MakeFolder(dir); err != nil {
				return fmt.Errorf("save %s: %w", at, err)
			}
			touched = append(touched, dir)
		}
		if err := s.install(path.Join(site, stageDir, strconv.Itoa(i)), at); err != nil {
			return err
		}
	}
	for _, name := range j.Gone {
		at := path.Join(site, name)
		if err := s.fs.Rename(at, at+bakSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("put %s aside: %w", at, err)
		}
	}
	for _, folder := range append(touched, path.Join(site, stageDir)) {
		if err := s.fs.Sync(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("save site %s: %w", site, err)
		}
	}
	return s.finish(site)
}

// finish ends a change: the journal first, then the stage.
func (s *Store) finish(site string) error {
	if err := s.fs.Remove(path.Join(site, journalFile)); err != nil {
		return fmt.Errorf("save site %s: %w", site, err)
	}
	return s.clear(site)
}

// clear removes the stage with all that is left in it.
func (s *Store) clear(site string) error {
	stage := path.Join(site, stageDir)
	list, err := s.fs.List(stage)
	for _, e := range list {
		err = errors.Join(err, s.fs.Remove(path.Join(stage, e.Name)))
	}
	if err == nil {
		err = s.fs.Remove(stage)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = s.fs.Sync(site)
	}
	if err != nil {
		return fmt.Errorf("clean site %s: %w", site, err)
	}
	return nil
}

// install gives a staged file its place, and keeps the one that had it. A stage that is not there was installed before: after a power
// failure a journal that was removed may be back.
func (s *Store) install(stage, at string) error {
	list, err := s.fs.List(path.Dir(stage))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !slices.ContainsFunc(list, func(e Entry) bool { return e.Name == path.Base(stage) }) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", at, err)
	}
	if err := s.keep(at); err != nil {
		return err
	}
	if err := s.fs.Rename(stage, at); err != nil {
		return fmt.Errorf("save %s: %w", at, err)
	}
	return nil
}

// replace is the change of one file.
func (s *Store) replace(site string, f content) error {
	at := path.Join(site, f.name)
	if dir := path.Dir(at); dir != site {
		if err := s.fs.MakeFolder(dir); err != nil {
			return fmt.Errorf("save %s: %w", at, err)
		}
	}
	if err := s.keep(at); err != nil {
		return err
	}
	if err := s.write(at, f.data); err != nil {
		return err
	}
	if err := s.fs.Sync(path.Dir(at)); err != nil {
		return fmt.Errorf("save %s: %w", at, err)
	}
	return nil
}

// keep copies a file to its .bak. A JSON file that is damaged is not worth to be kept in place of one that is not.
func (s *Store) keep(at string) error {
	old, err := s.fs.Read(at, maxGraph)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("keep %s: %w", at, err)
	case path.Ext(at) == ".json" && !json.Valid(old):
		return nil
	}
	return s.write(at+bakSuffix, old)
}

// write replaces a file atomically.
func (s *Store) write(at string, data []byte) error {
	f, err := s.fs.Create(at)
	if err != nil {
		return fmt.Errorf("save %s: %w", at, err)
	}
	defer f.Abort()
	if _, err = bytes.NewReader(data).WriteTo(f); err == nil {
		err = f.Commit()
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", at, err)
	}
	return nil
}

// moveAway moves all but backups, and what a change needs, into a folder of the site.
func (s *Store) moveAway(site, folder string) error {
	to := path.Join(site, folder)
	if err := s.fs.MakeFolder(to); err != nil {
		return err
	}
	list, err := s.fs.List(site)
	if err != nil {
		return err
	}
	for _, e := range list {
		if strings.HasPrefix(e.Name, backupPrefix) || strings.HasPrefix(e.Name, ".") {
			continue
		}
		if err := s.fs.Rename(path.Join(site, e.Name), path.Join(to, e.Name)); err != nil {
			return err
		}
	}
	return errors.Join(s.fs.Sync(to), s.fs.Sync(site))
}

// recover finishes or undoes what an interrupted change left behind, and says so.
func (s *Store) recover(site string) (notes []string, err error) {
	list, err := s.fs.List(site)
	if err != nil {
		return nil, fmt.Errorf("site %s: %w", site, err)
	}
	has := func(name string) bool { return slices.ContainsFunc(list, func(e Entry) bool { return e.Name == name }) }
	for _, e := range list {
		if leftover(e) {
			if err = s.fs.Remove(path.Join(site, e.Name)); err != nil {
				return nil, fmt.Errorf("clean site %s: %w", site, err)
			}
		}
	}
	if !has(journalFile) {
		if has(stageDir) {
			return nil, s.clear(site)
		}
		return nil, nil
	}
	at := path.Join(site, journalFile)
	text, err := s.fs.Read(at, maxJSON)
	if err != nil {
		return nil, fmt.Errorf("site %s: %w", site, err)
	}
	j, fault := parseJournal(text)
	if fault != nil {
		if err = s.fs.Rename(at, at+".damaged"); err != nil {
			return nil, fmt.Errorf("put %s aside: %w", at, err)
		}
		return []string{fmt.Sprintf("%s: an interrupted change was dropped: %v", at, fault)}, s.clear(site)
	}
	if err := s.apply(site, j); err != nil {
		return nil, err
	}
	return []string{"an interrupted change of the site was finished"}, nil
}

// parseJournal reads a journal, and refuses one that leads out of the site.
func parseJournal(text []byte) (journal, error) {
	var j journal
	if err := json.Unmarshal(text, &j); err != nil {
		return journal{}, err
	}
	for _, name := range slices.Concat(j.Files, j.Gone) {
		if !fs.ValidPath(name) || strings.HasPrefix(name, ".") {
			return journal{}, fmt.Errorf("it names %q", name)
		}
	}
	if j.Backup != "" && (!fs.ValidPath(j.Backup) || !strings.HasPrefix(j.Backup, backupPrefix) || strings.Contains(j.Backup, "/")) {
		return journal{}, fmt.Errorf("it names the backup %q", j.Backup)
	}
	return j, nil
}

// leftover reports whether an entry is a temporary file of a change that never was: a dot, a name, and digits.
func leftover(e Entry) bool {
	trimmed := strings.TrimRight(e.Name, "0123456789")
	return !e.Folder && strings.HasPrefix(e.Name, ".") && len(trimmed) > 1 && trimmed != e.Name
}
