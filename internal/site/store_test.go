package site

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/geom"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// folders are both implementations of FS.
func folders(t *testing.T) map[string]FS {
	t.Helper()
	dir, err := OpenFolder(filepath.Join(t.TempDir(), "sites"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dir.Close(); err != nil {
			t.Error(err)
		}
	})
	return map[string]FS{"folder": dir, "memory": NewMemory()}
}

// plan is a map of three cells: free, occupied, unknown, or what is given.
func plan(cells ...int8) *mapfile.Map {
	if cells == nil {
		cells = []int8{0, 100, -1}
	}
	return &mapfile.Map{Meta: mapfile.Meta{Resolution: 0.05, Origin: geom.Pose2{X: 1, Theta: 0.5}}, Width: len(cells), Height: 1, Cells: cells}
}

// names lists everything below a folder.
func names(t *testing.T, f FS, folder string) []string {
	t.Helper()
	list, err := f.List(folder)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		at := strings.TrimPrefix(folder+"/"+e.Name, "./")
		if out = append(out, at); e.Folder {
			out = append(out, names(t, f, at)...)
		}
	}
	return out
}

// put writes a file as some other program does.
func put(t *testing.T, f FS, name, data string) {
	t.Helper()
	s := Store{fs: f}
	for i, c := range name {
		if c == '/' {
			if err := f.MakeFolder(name[:i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.write(name, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func fill(t *testing.T, s *Store) {
	t.Helper()
	if err := errors.Join(
		s.Create("museum"),
		s.SaveMap("museum", plan(), []byte("graph")),
		s.SaveTags("museum", []Tag{{Frame: "base_map", Pose: geom.IdentityTransform()}}),
	); err != nil {
		t.Fatal(err)
	}
	must(s.Edit("museum", noon, func(Content) (Content, error) { return museum(), nil }))(t)
	put(t, s.fs, "museum/routes/20260101_100000.csv", "x,y,yaw_deg,dwell_sec\n0,0,0,0\n")
	put(t, s.fs, "museum/routes/20260102_090000.csv", "0,0,0,0\n")
}

func TestSiteOnDisk(t *testing.T) {
	for name, f := range folders(t) {
		t.Run(name, func(t *testing.T) {
			s := NewStore(f)
			fill(t, s)
			want := []string{
				"museum", "museum/map.pgm", "museum/map.sarathi", "museum/map.yaml", "museum/pois.json",
				"museum/routes", "museum/routes/20260101_100000.csv", "museum/routes/20260102_090000.csv", "museum/tags.json", "museum/tours.json",
			}
			if d := cmp.Diff(want, names(t, f, ".")); d != "" {
				t.Errorf("files (-want +got)\n%s", d)
			}
			got := must(s.Open("museum", noon))(t)
			if d := cmp.Diff([]int8{0, 100, -1}, got.Map.Cells); d != "" || got.Map.Meta.Origin.Theta != 0.5 {
				t.Errorf("map (-want +got)\n%s%+v", d, got.Map.Meta)
			}
			routes := []string{"museum/routes/20260102_090000.csv", "museum/routes/20260101_100000.csv"}
			if d := cmp.Diff(routes, got.Routes); d != "" {
				t.Errorf("routes (-want +got)\n%s", d)
			}
			if !got.Content.Equal(museum()) || len(got.Tags) != 1 || !got.Graph || got.Notes != nil || got.Backups != nil {
				t.Errorf("site %+v", got)
			}
			if graph := must(s.Graph("museum"))(t); string(graph) != "graph" {
				t.Errorf("graph %q", graph)
			}
			if err := s.SaveMap("museum", plan(0, 0), nil); err != nil {
				t.Fatal(err)
			}
			got = must(s.Look("museum"))(t)
			if got.Graph || got.Map.Width != 2 {
				t.Errorf("after a map without graph: %+v", got)
			}
			if list := strings.Join(names(t, f, "museum"), " "); !strings.Contains(list, "map.pgm.bak") || !strings.Contains(list, "map.sarathi.bak") ||
				strings.Contains(list, ".new") || strings.Contains(list, ".journal") {
				t.Errorf("files %s", list)
			}
			if _, err := s.Graph("museum"); err == nil {
				t.Error("a graph that was put aside is there")
			}
		})
	}
}

func TestOverview(t *testing.T) {
	s := NewStore(NewMemory())
	empty := Overview{Sites: []string{}, Tags: []string{}, Routes: []string{}}
	if d := cmp.Diff(empty, must(s.Overview(""))(t)); d != "" {
		t.Errorf("of nothing (-want +got)\n%s", d)
	}
	fill(t, s)
	if err := s.Create("annexe"); err != nil {
		t.Fatal(err)
	}
	want := Overview{
		Sites: []string{"annexe", "museum"}, HasMap: true, Tags: []string{"base_map"},
		Routes: []string{"museum/routes/20260102_090000.csv", "museum/routes/20260101_100000.csv"},
	}
	if d := cmp.Diff(want, must(s.Overview("museum"))(t)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	empty.Sites = want.Sites
	for _, name := range []string{"annexe", "nowhere", ""} {
		if d := cmp.Diff(empty, must(s.Overview(name))(t)); d != "" {
			t.Errorf("of %q (-want +got)\n%s", name, d)
		}
	}
}

func TestReset(t *testing.T) {
	for name, f := range folders(t) {
		t.Run(name, func(t *testing.T) {
			s := NewStore(f)
			fill(t, s)
			first := must(s.Reset("museum", noon))(t)
			if first != "backup-20260102_120000" {
				t.Errorf("backup %q", first)
			}
			got := must(s.Open("museum", noon))(t)
			if got.Map != nil || got.Graph || len(got.Content.POIs)+len(got.Content.Tours)+len(got.Tags)+len(got.Routes) > 0 || got.Notes != nil {
				t.Errorf("after the reset: %+v", got)
			}
			list := strings.Join(names(t, f, "museum/"+first), " ")
			for _, want := range []string{"map.pgm", "map.yaml", "map.sarathi", "tags.json", "pois.json", "tours.json", "routes/20260101_100000.csv"} {
				if !strings.Contains(list, want) {
					t.Errorf("the backup lacks %s: %s", want, list)
				}
			}
			if again := must(s.Reset("museum", noon))(t); again != "" {
				t.Errorf("nothing was moved into %q", again)
			}
			if err := s.SaveTags("museum", nil); err != nil {
				t.Fatal(err)
			}
			if second := must(s.Reset("museum", noon))(t); second != first+"-2" {
				t.Errorf("the second backup of that second is %q", second)
			}
			if got := must(s.Look("museum"))(t); len(got.Backups) != 2 || got.Backups[0] != first+"-2" {
				t.Errorf("backups %q", got.Backups)
			}
		})
	}
}

func TestEdit(t *testing.T) {
	s := NewStore(NewMemory())
	fill(t, s)
	before := names(t, s.fs, "museum")
	if _, err := s.Edit("museum", noon, func(c Content) (Content, error) { return museum(), nil }); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, names(t, s.fs, "museum")); d != "" {
		t.Errorf("the same content was written (-before +after)\n%s", d)
	}
	got, err := s.Edit("museum", noon, func(c Content) (Content, error) {
		c, _, err := c.DeletePOI("lobby")
		return c, err
	})
	if err != nil || len(got.POIs) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	onDisk, notes, err := s.Content("museum")
	if err != nil || notes != nil || !onDisk.Equal(got) {
		t.Errorf("on disk %+v, %q, %v", onDisk, notes, err)
	}
	refusal := errors.New("no")
	if got, err := s.Edit("museum", noon, func(Content) (Content, error) { return Content{}, refusal }); !errors.Is(err, refusal) || !got.Equal(onDisk) {
		t.Errorf("a refused edit gives %+v, %v", got, err)
	}
	if _, err := s.Edit("nowhere", noon, func(c Content) (Content, error) { return c, nil }); !errors.Is(err, ErrNoSite) {
		t.Errorf("edit of no site: %v", err)
	}
}

func TestDamagedFiles(t *testing.T) {
	const aside = ".damaged-20260102_120000"
	tests := []struct {
		name   string
		spoil  func(t *testing.T, s *Store)
		notes  []string
		exists []string
		gone   []string
		check  func(*Site) bool
	}{
		{
			"POIs, with a previous version",
			func(t *testing.T, s *Store) {
				must(s.Edit("museum", noon, func(c Content) (Content, error) { c, _, err := c.DeletePOI("exit"); return c, err }))(t)
				put(t, s.fs, "museum/pois.json", "{\n\"pois\": [{]")
			},
			[]string{"museum/pois.json:2: invalid character ']'", "museum/pois.json.bak is used"},
			[]string{"pois.json", "pois.json" + aside},
			nil,
			func(s *Site) bool { return len(s.Content.POIs) == 3 },
		},
		{
			"POIs, without",
			func(t *testing.T, s *Store) { put(t, s.fs, "museum/pois.json", "x") },
			[]string{"museum/pois.json:1", "no previous version", "taken out"},
			[]string{"pois.json" + aside},
			[]string{"pois.json "},
			func(s *Site) bool { return len(s.Content.POIs) == 0 && len(s.Content.Tours) == 2 },
		},
		{
			"tours are missing",
			func(t *testing.T, s *Store) {
				if err := s.fs.Rename("museum/tours.json", "museum/tours.json.bak"); err != nil {
					t.Fatal(err)
				}
			},
			[]string{"museum/tours.json is missing", "museum/tours.json.bak is used"},
			[]string{"tours.json"},
			[]string{"damaged"},
			func(s *Site) bool { return len(s.Content.Tours) == 2 },
		},
		{
			"tags and their previous version",
			func(t *testing.T, s *Store) {
				put(t, s.fs, "museum/tags.json", "[]")
				put(t, s.fs, "museum/tags.json.bak", "{")
			},
			[]string{"museum/tags.json:1", "no previous version"},
			[]string{"tags.json" + aside, "tags.json.bak"},
			nil,
			func(s *Site) bool { return len(s.Tags) == 0 },
		},
		{
			"image, with a previous map",
			func(t *testing.T, s *Store) {
				if err := s.SaveMap("museum", plan(100, 100), []byte("g")); err != nil {
					t.Fatal(err)
				}
				put(t, s.fs, "museum/map.pgm", "P5 2 1 255\n")
			},
			[]string{"museum/map.pgm: the image ends early", "museum/map.yaml.bak is used"},
			[]string{"map.pgm", "map.yaml", "map.pgm" + aside, "map.yaml" + aside},
			nil,
			func(s *Site) bool { return s.Map != nil && s.Map.Width == 3 },
		},
		{
			"map, without",
			func(t *testing.T, s *Store) { put(t, s.fs, "museum/map.yaml", "image: /etc/passwd\n") },
			[]string{"museum/map.yaml: key `resolution` is missing", "no previous map"},
			[]string{"map.yaml" + aside},
			nil,
			func(s *Site) bool { return s.Map == nil },
		},
		{
			"image outside",
			func(t *testing.T, s *Store) {
				yaml, _ := mapfile.EncodeSite(plan(), "../other/map.pgm")
				put(t, s.fs, "museum/map.yaml", string(yaml))
			},
			[]string{`museum/map.yaml:1: image "../other/map.pgm" lies outside of the site`, "no previous map"},
			nil, nil, func(s *Site) bool { return s.Map == nil },
		},
		{
			"image is gone",
			func(t *testing.T, s *Store) {
				if err := s.fs.Remove("museum/map.pgm"); err != nil {
					t.Fatal(err)
				}
			},
			[]string{"museum/map.yaml:1: image museum/map.pgm is missing", "no previous map"},
			nil, nil, func(s *Site) bool { return s.Map == nil },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewStore(NewMemory())
			fill(t, s)
			tt.spoil(t, s)
			before := names(t, s.fs, "museum")
			looked := must(s.Look("museum"))(t)
			if d := cmp.Diff(before, names(t, s.fs, "museum")); d != "" {
				t.Errorf("looking changed something\n%s", d)
			}
			got := must(s.Open("museum", noon))(t)
			if !tt.check(got) || !tt.check(looked) {
				t.Errorf("opened %+v\nlooked %+v", got, looked)
			}
			notes := strings.Join(got.Notes, "\n")
			if notes != strings.Join(looked.Notes, "\n") {
				t.Errorf("opening says\n%s\nlooking says\n%s", notes, strings.Join(looked.Notes, "\n"))
			}
			for _, want := range tt.notes {
				if !strings.Contains(notes, want) {
					t.Errorf("notes\n%s\nlack %q", notes, want)
				}
			}
			list := strings.Join(names(t, s.fs, "museum"), " ") + " "
			for _, want := range tt.exists {
				if !strings.Contains(list, "/"+want+" ") {
					t.Errorf("%s is not there: %s", want, list)
				}
			}
			for _, gone := range tt.gone {
				if strings.Contains(list, gone) {
					t.Errorf("%s is there: %s", gone, list)
				}
			}
			if again := must(s.Open("museum", noon))(t); !tt.check(again) || strings.Contains(strings.Join(again.Notes, " "), "damaged") {
				t.Errorf("opened again %+v", again)
			}
		})
	}
}

func TestEditKeepsADamagedFile(t *testing.T) {
	s := NewStore(NewMemory())
	fill(t, s)
	put(t, s.fs, "museum/pois.json", "hand-made and broken")
	must(s.Edit("museum", noon, func(Content) (Content, error) { return Content{POIs: museum().POIs[:1]}, nil }))(t)
	aside, err := s.fs.Read("museum/pois.json.damaged-20260102_120000", maxJSON)
	if err != nil || string(aside) != "hand-made and broken" {
		t.Errorf("kept aside %q, %v", aside, err)
	}
}

func TestNoSite(t *testing.T) {
	s := NewStore(NewMemory())
	put(t, s.fs, "Not A Site/x", "")
	put(t, s.fs, "file", "")
	if list := must(s.List())(t); len(list) != 0 {
		t.Errorf("sites %q", list)
	}
	for _, name := range []string{"nowhere", "../x", "", "Not A Site", "file"} {
		if _, err := s.Open(name, noon); err == nil {
			t.Errorf("%q was opened", name)
		}
		if _, err := s.Look(name); err == nil {
			t.Errorf("%q was looked at", name)
		}
	}
	if err := s.Create("Not A Site"); err == nil {
		t.Error("a site of a wrong name was made")
	}
	if _, err := s.Open("nowhere", noon); !errors.Is(err, ErrNoSite) {
		t.Errorf("open: %v", err)
	}
	for _, file := range []string{"museum/pois.json", "../tags.json", "tags.json", "/museum/tags.json"} {
		if _, _, err := s.Tags(file); err == nil {
			t.Errorf("tags of %q were read", file)
		}
	}
	fill(t, s)
	if tags, notes, err := s.Tags("museum/tags.json"); err != nil || len(tags) != 1 || notes != nil {
		t.Errorf("tags %v, %q, %v", tags, notes, err)
	}
	put(t, s.fs, "annexe/routes/20260101_120000.csv", "")
	want := []string{"museum/routes/20260102_090000.csv", "annexe/routes/20260101_120000.csv", "museum/routes/20260101_100000.csv"}
	if d := cmp.Diff(want, must(s.Routes(""))(t)); d != "" {
		t.Errorf("all routes (-want +got)\n%s", d)
	}
}

func TestRoutes(t *testing.T) {
	for name, f := range folders(t) {
		t.Run(name, func(t *testing.T) {
			s := NewStore(f)
			if err := s.Create("museum"); err != nil {
				t.Fatal(err)
			}
			const file = "museum/routes/20260101_100000.csv"
			for _, text := range []string{"0,0,0,0\n", "0,0,0,0\n1,0,0,0\n"} {
				if err := s.SaveRoute(file, []byte(text)); err != nil {
					t.Fatal(err)
				}
				if got := must(s.Route(file))(t); string(got) != text {
					t.Errorf("read %q, want %q", got, text)
				}
			}
			if d := cmp.Diff([]string{"museum/routes", file}, names(t, f, "museum")); d != "" {
				t.Errorf("files (-want +got)\n%s", d)
			}
			if _, err := s.Route("museum/routes/gone.csv"); err == nil || err.Error() != "there is no route museum/routes/gone.csv" {
				t.Errorf("a route that is not there: %v", err)
			}
			if err := s.SaveRoute("nowhere/routes/a.csv", nil); !errors.Is(err, ErrNoSite) {
				t.Errorf("a route of no site: %v", err)
			}
			for _, bad := range []string{
				"", "museum/routes/../pois.csv", "../museum/routes/a.csv", "/museum/routes/a.csv", "museum/a.csv", "museum/routes/a.txt",
				"museum/routes/.a.csv", "museum/routes/b/a.csv", "Museum/routes/a.csv", "museum/routes/",
			} {
				if _, err := s.Route(bad); err == nil || !strings.Contains(err.Error(), "is no route of a site") {
					t.Errorf("%q was read: %v", bad, err)
				}
				if err := s.SaveRoute(bad, nil); err == nil {
					t.Errorf("%q was written", bad)
				}
			}
		})
	}
}

func TestState(t *testing.T) {
	for name, f := range folders(t) {
		t.Run(name, func(t *testing.T) {
			s := NewState(f)
			if a, r := must(s.Active())(t), must(s.LastRoute())(t); a != "" || r != "" {
				t.Errorf("at first %q, %q", a, r)
			}
			if err := errors.Join(s.SetActive("museum"), s.SetLastRoute("museum/routes/a.csv")); err != nil {
				t.Fatal(err)
			}
			s = NewState(f)
			if a, r := must(s.Active())(t), must(s.LastRoute())(t); a != "museum" || r != "museum/routes/a.csv" {
				t.Errorf("remembered %q, %q", a, r)
			}
			if err := errors.Join(s.SetActive(""), s.SetLastRoute("")); err != nil {
				t.Fatal(err)
			}
			if s.SetActive("A b") == nil || s.SetLastRoute("../x") == nil || s.SetLastRoute("a\nb") == nil {
				t.Error("nonsense was remembered")
			}
			put(t, f, "site", "../evil\n")
			put(t, f, "last_route", "/etc/passwd")
			if _, err := s.Active(); err == nil {
				t.Error("a file with nonsense gives a site")
			}
			if _, err := s.LastRoute(); err == nil {
				t.Error("a file with nonsense gives a route")
			}
		})
	}
}

func TestFolderKeepsInside(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "a", "sites")
	f, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read("link/secret", 10); err == nil {
		t.Error("a link out of the folder was followed")
	}
	if _, err := f.Read("../x", 10); err == nil {
		t.Error("a name led out of the folder")
	}
	if err := os.WriteFile(filepath.Join(dir, "big"), []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read("big", 4); err == nil || !strings.Contains(err.Error(), "more than 4 bytes") {
		t.Errorf("a file above the limit: %v", err)
	}
	if err := f.MakeFolder("big"); err == nil {
		t.Error("a file counts as a folder")
	}
	if _, err := LookIntoFolder(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there was opened")
	}
	p, err := f.Create("given-up")
	if err != nil {
		t.Fatal(err)
	}
	p.Abort()
	if list := must(f.List("."))(t); len(list) != 1 || list[0].Size != 5 {
		t.Errorf("left behind: %+v", list)
	}
}
