package site

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/geom"
)

// sound is a site without a finding.
func sound(t *testing.T) *Store {
	t.Helper()
	s := NewStore(NewMemory())
	cells := make([]int8, 20*20)
	m := &mapfile.Map{Meta: mapfile.Meta{Resolution: 0.5, Origin: geom.Pose2{X: -5, Y: -5}}, Width: 20, Height: 20, Cells: cells}
	cells[0], cells[19] = mapfile.Occupied, mapfile.Unknown
	if err := s.Create("museum"); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveMap("museum", m, []byte("graph")); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveTags("museum", []Tag{{Frame: "base_map", Pose: geom.Transform{T: geom.Vec3{X: 5.5, Z: 1}, R: geom.FromYaw(1)}}}); err != nil {
		t.Fatal(err)
	}
	must(s.Edit("museum", noon, func(Content) (Content, error) { return museum(), nil }))(t)
	put(t, s.fs, "museum/routes/20260101_100000.csv", "x,y,yaw_deg,dwell_sec\n0,0,0,0\n1,0,90,2.5\n")
	return s
}

func texts(found []Finding) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%v %s\n", map[bool]string{true: "fault", false: "odd"}[f.Fault], f.Text)
	}
	return b.String()
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(t *testing.T, s *Store)
		want  []string // found, no more and no less
		left  []string // found after a repair
	}{
		{"nothing", func(*testing.T, *Store) {}, nil, nil},
		{
			"interrupted", func(t *testing.T, s *Store) {
				put(t, s.fs, "museum/.new/0", `{"tours": []}`)
				put(t, s.fs, "museum/.journal", `{"files": ["tours.json"]}`)
				put(t, s.fs, "museum/.pois.json77", "half")
			},
			[]string{"fault museum/.journal: a change was interrupted", "fault museum/.pois.json77: a change was interrupted"},
			nil,
		},
		{
			"stage only", func(t *testing.T, s *Store) { put(t, s.fs, "museum/.new/0", "half") },
			[]string{"fault museum/.new: a change was interrupted"},
			nil,
		},
		{
			"damaged POIs", func(t *testing.T, s *Store) { put(t, s.fs, "museum/pois.json", "{") },
			[]string{
				"fault museum/pois.json:1: unexpected end of JSON input: the file is damaged", "fault museum/pois.json: no previous version",
				"fault museum: tour \"short\": POI \"lobby\"", "fault museum: tour \"short\": POI \"vase\"", "fault museum: tour \"short\": it returns",
				"fault museum: tour \"long\": POI \"lobby\"", "fault museum: tour \"long\": POI \"vase\"", "fault museum: tour \"long\": POI \"lobby\"",
				"fault museum: tour \"long\": POI \"exit\"", "odd museum: tour \"short\" has no POIs", "odd museum: tour \"long\" has no POIs",
			},
			[]string{"odd museum/pois.json.damaged-20260102_120000 was damaged", "odd museum: tour \"short\" has no POIs", "odd museum: tour \"long\" has no POIs"},
		},
		{
			"repairable content", func(t *testing.T, s *Store) {
				put(t, s.fs, "museum/pois.json", `{"pois": [{"id": "lobby", "name": "Lobby"}, {"id": "lobby", "name": "B"}, {"id": "vase", "name": "V"}, {"id": "exit", "name": "E"}]}`)
				put(t, s.fs, "museum/tags.json", `{"bad": {"qw": 0}}`)
			},
			[]string{"fault museum: POI 2: id \"lobby\" is there twice", "fault museum/tags.json: tag \"bad\" is left out"},
			nil,
		},
		{
			"foreign map", func(t *testing.T, s *Store) {
				put(t, s.fs, "museum/map.yaml", "image: plan.pgm\nresolution: 0.5\norigin: [-5, -5, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n")
				put(t, s.fs, "museum/plan.pgm", "P5 20 20 255\n"+strings.Repeat("\xfe", 398)+"\xce\x00")
			},
			[]string{
				"odd museum/map.yaml is not as a robot writes it: the thresholds are 0.65 and 0.196",
				"odd museum/map.yaml: 1 cell of grey 206 is within one grey of a threshold",
			},
			[]string{"odd museum/plan.pgm belongs to no site"},
		},
		{
			"walls only", func(t *testing.T, s *Store) {
				if err := s.SaveMap("museum", plan(100), []byte("g")); err != nil {
					t.Fatal(err)
				}
			},
			[]string{
				"fault museum/map.yaml: no cell is free", "odd museum: POI \"lobby\" stands outside", "odd museum: POI \"vase\" stands outside",
				"odd museum: POI \"exit\" stands outside", "odd museum: tag \"base_map\" is outside", "odd museum/routes/20260101_100000.csv: point 1 lies outside",
			},
			[]string{"fault", "odd", "odd", "odd", "odd", "odd"},
		},
		{
			"places", func(t *testing.T, s *Store) {
				must(s.Edit("museum", noon, func(c Content) (Content, error) {
					c.POIs[0].X, c.POIs[0].Y = -4.95, -4.95
					c.POIs[1].X, c.POIs[1].Y = 4.95, -4.95
					c.POIs[2].X = 100
					return c, nil
				}))(t)
			},
			[]string{
				`odd museum: POI "lobby" stands in an obstacle at (-4.95, -4.95)`, `odd museum: POI "vase" stands where nothing is known`,
				`odd museum: POI "exit" stands outside of the map`,
			},
			[]string{"odd", "odd", "odd"},
		},
		{
			"routes", func(t *testing.T, s *Store) {
				put(t, s.fs, "museum/routes/20260102_100000.csv", "0,0,0\n")
				put(t, s.fs, "museum/routes/20260103_100000.csv", "0,0,0,0\n0,0,x,0\n")
				put(t, s.fs, "museum/routes/20260104_100000.csv", "x,y,yaw_deg,dwell_sec\n")
				put(t, s.fs, "museum/routes/20260105_100000.csv", "0,0,0,-1\n")
				put(t, s.fs, "museum/routes/evening.csv", "\ufeff0,0,0,0\r\n0,9,0,0\r\n")
			},
			[]string{
				"odd museum/routes/evening.csv is not called", "odd museum/routes/evening.csv: point 2 lies outside of the map at (0.00, 9.00)",
				"fault museum/routes/20260105_100000.csv:1: dwells for -1 s", "fault museum/routes/20260104_100000.csv: the route has no points",
				`fault museum/routes/20260103_100000.csv:2: "x" is no finite number`, "fault museum/routes/20260102_100000.csv:1: has 3 values",
			},
			[]string{"odd", "odd", "fault", "fault", "fault", "fault"},
		},
		{
			"no map but its image and graph", func(t *testing.T, s *Store) {
				if err := s.fs.Remove("museum/map.yaml"); err != nil {
					t.Fatal(err)
				}
			},
			[]string{"fault museum/map.pgm has no map.yaml", "fault museum/map.sarathi has no map to go with it"},
			[]string{"fault museum/map.pgm has no map.yaml"},
		},
		{
			"strange file", func(t *testing.T, s *Store) { put(t, s.fs, "museum/notes.txt", "hi") },
			[]string{"odd museum/notes.txt belongs to no site"},
			[]string{"odd"},
		},
		{
			"empty", func(t *testing.T, s *Store) { must(s.Reset("museum", noon))(t) },
			[]string{"odd museum has no map"},
			[]string{"odd museum has no map"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := sound(t)
			tt.spoil(t, s)
			before := names(t, s.fs, ".")
			expectFindings(t, s, tt.want)
			if d := cmp.Diff(before, names(t, s.fs, ".")); d != "" {
				t.Errorf("checking changed something\n%s", d)
			}
			if _, err := s.Repair("museum", noon); err != nil {
				t.Fatal(err)
			}
			expectFindings(t, s, tt.left)
			if notes, err := s.Repair("museum", noon); err != nil || len(notes) > 0 && tt.left == nil {
				t.Errorf("a second repair says %q, %v", notes, err)
			}
		})
	}
	if _, err := NewStore(NewMemory()).Check("museum"); err == nil {
		t.Error("a site that is not there was checked")
	}
	if _, err := NewStore(NewMemory()).Repair("museum", noon); err == nil {
		t.Error("a site that is not there was repaired")
	}
}

func expectFindings(t *testing.T, s *Store, want []string) {
	t.Helper()
	found := must(s.Check("museum"))(t)
	ok := len(found) == len(want)
	for i := range min(len(found), len(want)) {
		line, _, _ := strings.Cut(texts(found[i:i+1]), "\n")
		ok = ok && strings.HasPrefix(line, want[i])
	}
	if !ok {
		t.Errorf("found\n%swant\n%s", texts(found), strings.Join(want, "\n"))
	}
}

func TestRepairKeepsTheMeaningOfTheMap(t *testing.T) {
	s := sound(t)
	put(t, s.fs, "museum/map.yaml", "image: map.pgm\nresolution: 0.1\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.3\n")
	put(t, s.fs, "museum/map.pgm", "P5 3 1 255\n\xcd\xfe\x00")
	before := must(s.Look("museum"))(t).Map.Cells
	must(s.Repair("museum", noon))(t)
	if d := cmp.Diff(before, must(s.Look("museum"))(t).Map.Cells); d != "" || before[0] != mapfile.Unknown {
		t.Errorf("(-before +after)\n%s", d)
	}
}

func TestCheckStateAndStrangers(t *testing.T) {
	s, state := sound(t), NewState(NewMemory())
	check := func() string { t.Helper(); return texts(CheckState(state, s)) }
	if got := check(); got != "" {
		t.Errorf("found %s", got)
	}
	if err := state.SetActive("gone"); err != nil {
		t.Fatal(err)
	}
	if err := state.SetLastRoute("museum/routes/gone.csv"); err != nil {
		t.Fatal(err)
	}
	if got := check(); got != "fault the active site gone is gone: load another one\nodd the route loaded last, museum/routes/gone.csv, is gone\n" {
		t.Errorf("found %s", got)
	}
	put(t, state.store.fs, "site", "../x")
	put(t, state.store.fs, "last_route", "../x")
	if got := check(); strings.Count(got, "fault ") != 2 {
		t.Errorf("found %s", got)
	}
	put(t, s.fs, "My Site/x", "")
	put(t, s.fs, ".git/x", "")
	if got := texts(must(s.Strangers())(t)); got != "odd folder \"My Site\" is no site: its name is not made of a-z, 0-9, _ and -\n" {
		t.Errorf("strangers %s", got)
	}
}

func FuzzRoute(f *testing.F) {
	f.Add([]byte("x,y,yaw_deg,dwell_sec\n0,0,0,0\n1,0,90,2.5\n"))
	f.Add([]byte("1e400,nan,,"))
	f.Fuzz(func(t *testing.T, data []byte) {
		points, err := parseRoute("r", data)
		for _, p := range points {
			if !geom.Finite(p.X, p.Y) {
				t.Fatalf("point %v", p)
			}
		}
		if err == nil && len(points) == 0 {
			t.Fatal("a route without points was accepted")
		}
	})
}
