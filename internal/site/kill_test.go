package site

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"sarathi/internal/geom"
)

var errKilled = errors.New("the process was killed")

// mortal is a folder in a process that is killed at a given step: from then on nothing happens any more. It also watches what a power
// failure would undo.
type mortal struct {
	*Memory
	t     *testing.T
	left  int             // steps until the end; negative: none
	dirty map[string]bool // folders that were changed since they were synced
}

func newMortal(t *testing.T, m *Memory, steps int) *mortal {
	return &mortal{Memory: m, t: t, left: steps, dirty: map[string]bool{}}
}

// step reports whether the process is dead.
func (m *mortal) step() bool {
	if m.left == 0 {
		return true
	}
	m.left--
	return false
}

func (m *mortal) change(name string) { m.dirty[path.Dir(name)] = true }

func (m *mortal) Read(name string, limit int64) ([]byte, error) {
	if m.left == 0 {
		return nil, errKilled
	}
	return m.Memory.Read(name, limit)
}

func (m *mortal) List(name string) ([]Entry, error) {
	if m.left == 0 {
		return nil, errKilled
	}
	return m.Memory.List(name)
}

func (m *mortal) MakeFolder(name string) error {
	if m.step() {
		return errKilled
	}
	m.change(name)
	return m.Memory.MakeFolder(name)
}

func (m *mortal) Rename(from, to string) error {
	if m.step() {
		return errKilled
	}
	m.change(from)
	m.change(to)
	return m.Memory.Rename(from, to)
}

func (m *mortal) Remove(name string) error {
	if m.step() {
		return errKilled
	}
	if path.Base(name) == journalFile && len(m.dirty) > 0 {
		m.t.Errorf("the journal is removed before %v are synced", slices.Sorted(maps.Keys(m.dirty)))
	}
	m.change(name)
	return m.Memory.Remove(name)
}

func (m *mortal) Sync(folder string) error {
	if m.step() {
		return errKilled
	}
	delete(m.dirty, folder)
	return m.Memory.Sync(folder)
}

func (m *mortal) Create(name string) (Pending, error) {
	if m.step() {
		return nil, errKilled
	}
	if path.Base(name) == journalFile && m.dirty[path.Join(path.Dir(name), stageDir)] {
		m.t.Error("the journal is written before the stage is synced")
	}
	p, err := m.Memory.Create(name)
	return &mortalFile{p, m, name}, err
}

type mortalFile struct {
	Pending
	m    *mortal
	name string
}

// Write dies half-way.
func (f *mortalFile) Write(data []byte) (int, error) {
	if f.m.step() {
		n, _ := f.Pending.Write(data[:len(data)/2])
		return n, errKilled
	}
	return f.Pending.Write(data)
}

func (f *mortalFile) Commit() error {
	if f.m.step() {
		return errKilled
	}
	f.m.change(f.name)
	return f.Pending.Commit()
}

func (f *mortalFile) Abort() {
	if f.m.left != 0 { // the dead do not clean up
		f.Pending.Abort()
	}
}

// state is what a person would see of a site.
func state(t *testing.T, m *Memory) string {
	t.Helper()
	s, err := NewStore(m).Look("museum")
	if err != nil {
		return "no site"
	}
	cells := "no map"
	if s.Map != nil {
		cells = fmt.Sprint(s.Map.Cells)
	}
	graph, _ := m.Read("museum/map.sarathi", maxGraph)
	return fmt.Sprintf("%s graph %q content %+v tags %v routes %v backups %v", cells, graph, s.Content, s.Tags, s.Routes, s.Backups)
}

// contents are all contents of files, wherever they lie.
func contents(m *Memory) map[string]bool {
	out := map[string]bool{}
	for _, data := range m.nodes {
		if data != nil {
			out[string(data)] = true
		}
	}
	return out
}

// Whatever step is the last one of a process: the next one finds the site as it was or as it was to be, and no file is lost.
func TestKilledAtEveryStep(t *testing.T) {
	changes := []struct {
		name string
		make func(*Store) error
	}{
		{"one POI", func(s *Store) error {
			_, err := s.Edit("museum", noon, func(c Content) (Content, error) { c, _, _, err := c.SavePOI(POI{Name: "New"}); return c, err })
			return err
		}},
		{"a POI and the tours with it", func(s *Store) error {
			_, err := s.Edit("museum", noon, func(c Content) (Content, error) { c, _, err := c.DeletePOI("lobby"); return c, err })
			return err
		}},
		{"tags", func(s *Store) error {
			return s.SaveTags("museum", []Tag{{Frame: "other", Pose: geom.IdentityTransform()}})
		}},
		{"map and graph", func(s *Store) error { return s.SaveMap("museum", plan(0, 0, 0, 0), []byte("another graph")) }},
		{"map without graph", func(s *Store) error { return s.SaveMap("museum", plan(0, 0, 0, 0), nil) }},
		{"reset", func(s *Store) error { _, err := s.Reset("museum", noon); return err }},
		{"reset and new files", func(s *Store) error {
			return s.commit("museum", change{backup: "backup-1", files: []content{
				{poisFile, encodePOIs(museum().POIs[:1])}, {"routes/x.csv", []byte("0,0,0,0\n")},
			}})
		}},
		{"new site", func(s *Store) error { return errors.Join(s.Create("annexe"), s.SaveMap("annexe", plan(), nil)) }},
	}
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			start := NewMemory()
			fill(t, NewStore(start))
			before, kept := state(t, start), contents(start)
			done := clone(start)
			if err := c.make(NewStore(done)); err != nil {
				t.Fatal(err)
			}
			after := state(t, done)
			steps, seen := 0, map[string]bool{}
			for killed := true; killed; steps++ {
				disk := clone(start)
				m := newMortal(t, disk, steps)
				err := c.make(NewStore(m))
				killed = m.left == 0 && err != nil
				if !killed && err != nil {
					t.Fatal(err)
				}
				if err == nil && len(m.dirty) > 0 {
					t.Fatalf("done before %v are synced", slices.Sorted(maps.Keys(m.dirty)))
				}
				if !killed {
					clear(seen) // what may be found after a kill may not be found now
				}
				wakeUp(t, disk, fmt.Sprintf("step %d", steps), kept, seen, func(s string) bool { return s == after || s == before && killed })
			}
			if steps < 4 {
				t.Errorf("only %d steps", steps)
			}
		})
	}
}

// wakeUp recovers the site after a kill, in processes that are themselves killed at every step of that, and checks what they leave to
// the last one. seen are the disks that were checked.
func wakeUp(t *testing.T, disk *Memory, at string, kept, seen map[string]bool, ok func(string) bool) {
	t.Helper()
	for steps := 0; ; steps++ {
		again := clone(disk)
		m := newMortal(t, again, steps)
		_, err := NewStore(m).recover("museum")
		if err != nil && !errors.Is(err, errKilled) {
			t.Fatalf("%s, %d: %v", at, steps, err)
		}
		if _, failure := NewStore(again).recover("museum"); failure != nil {
			t.Fatalf("%s, %d: %v", at, steps, failure)
		}
		if key := everything(again); !seen[key] {
			seen[key] = true
			checkDisk(t, again, fmt.Sprintf("%s, %d", at, steps), kept, ok)
		}
		if err == nil && m.left != 0 {
			return
		}
	}
}

func checkDisk(t *testing.T, disk *Memory, at string, kept map[string]bool, ok func(string) bool) {
	t.Helper()
	if _, err := NewStore(disk).Open("museum", noon); err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	if got := state(t, disk); !ok(got) {
		t.Fatalf("%s: neither as before nor as after:\n%s", at, got)
	}
	for name := range disk.nodes {
		if strings.Contains(name, "museum/.") {
			t.Fatalf("%s: %s was left behind", at, name)
		}
	}
	left := contents(disk)
	for data := range kept {
		if !left[data] {
			t.Fatalf("%s: a file is lost:\n%s", at, data)
		}
	}
}

// everything is all names and contents in one text.
func everything(m *Memory) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m.nodes)) {
		b.WriteString(name + "\n" + string(m.nodes[name]) + "\n")
	}
	return b.String()
}

func clone(m *Memory) *Memory { return &Memory{nodes: maps.Clone(m.nodes)} }

// A journal may be damaged by hands only; it then must not keep the site from being used.
func TestDamagedJournal(t *testing.T) {
	for _, text := range []string{"", "{", `{"files": ["../x"]}`, `{"files": [".new"]}`, `{"backup": "../x"}`, `{"backup": "backup-a/b"}`} {
		s := NewStore(NewMemory())
		fill(t, s)
		put(t, s.fs, "museum/.new/0", "half")
		put(t, s.fs, "museum/.journal", text)
		got, err := s.Open("museum", noon)
		if err != nil || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "an interrupted change was dropped") {
			t.Errorf("%q: %+v, %v", text, got, err)
			continue
		}
		if list := strings.Join(names(t, s.fs, "museum"), " "); strings.Contains(list, ".new") || !strings.Contains(list, ".journal.damaged") {
			t.Errorf("%q: files %s", text, list)
		}
	}
}

// After a power failure a journal that was removed may be back, without what it speaks of.
func TestJournalThatComesBack(t *testing.T) {
	s := NewStore(NewMemory())
	fill(t, s)
	put(t, s.fs, "museum/.journal", `{"files": ["pois.json", "tours.json"]}`)
	got, err := s.Open("museum", noon)
	if err != nil || !got.Content.Equal(museum()) {
		t.Errorf("%+v, %v", got, err)
	}
}
