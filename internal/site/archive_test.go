package site

import (
	"archive/tar"
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/algo/mapfile"
)

// pack makes an archive of names and contents in turn; a name that ends in / is a folder.
func pack(t *testing.T, pairs ...string) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		h := &tar.Header{Name: pairs[i], Size: int64(len(pairs[i+1])), Mode: 0o600, Typeflag: tar.TypeReg}
		if strings.HasSuffix(h.Name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(pairs[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

func TestExportAndImport(t *testing.T) {
	s := sound(t)
	must(s.Edit("museum", noon, func(c Content) (Content, error) { c, _, err := c.DeletePOI("exit"); return c, err }))(t)
	var first, again bytes.Buffer
	if err := errors.Join(s.Export(&first, "museum", noon), s.Export(&again, "museum", noon)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), again.Bytes()) {
		t.Error("two exports of one site differ")
	}
	other := NewStore(NewMemory())
	got := must(other.Import(bytes.NewReader(first.Bytes()), Target{Now: noon}))(t)
	if d := cmp.Diff(Imported{Site: "museum", Notes: []string{}}, got); d != "" {
		t.Errorf("imported (-want +got)\n%s", d)
	}
	for _, name := range []string{"map.yaml", "map.pgm", "map.sarathi", "pois.json", "tours.json", "tags.json", "routes/20260101_100000.csv"} {
		a, b := must(s.fs.Read("museum/"+name, maxJSON))(t), must(other.fs.Read("museum/"+name, maxJSON))(t)
		if !bytes.Equal(a, b) {
			t.Errorf("%s is not what it was", name)
		}
	}
	if list := names(t, other.fs, "museum"); len(list) != 8 {
		t.Errorf("files %q", list)
	}
	expectFindings(t, other, nil)
	_, err := other.Import(bytes.NewReader(first.Bytes()), Target{Now: noon})
	if err == nil || !strings.Contains(err.Error(), "there is a site museum already") {
		t.Errorf("import over it: %v", err)
	}
	if got := must(other.Import(bytes.NewReader(first.Bytes()), Target{Site: "copy", Now: noon}))(t); got.Site != "copy" {
		t.Errorf("imported %+v", got)
	}
	got = must(other.Import(bytes.NewReader(first.Bytes()), Target{Replace: true, Now: noon}))(t)
	if got.Backup != "backup-20260102_120000" || !slices.Contains(names(t, other.fs, "museum"), "museum/"+got.Backup+"/map.pgm") {
		t.Errorf("imported %+v", got)
	}
	put(t, s.fs, "museum/pois.json", "{")
	put(t, s.fs, "museum/pois.json.bak", "{")
	if err := s.Export(&first, "museum", noon); err == nil || !strings.Contains(err.Error(), "repair it first") {
		t.Errorf("export of a damaged site: %v", err)
	}
	if err := s.Export(&first, "nowhere", noon); err == nil {
		t.Error("no site was exported")
	}
}

const foreignYAML = "image: plan.pgm\nresolution: 0.1\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n"

func TestImport(t *testing.T) {
	pois := string(encodePOIs(museum().POIs))
	tests := []struct {
		name  string
		pairs []string
		to    Target
		files []string
		notes []string
		err   string
	}{
		{
			"made by hand",
			[]string{"./hall/", "", "./hall/pois.json", pois, "hall/README.md", "x", "hall/.pois.json1", "x", "hall/backup-1/pois.json", "x"},
			Target{},
			[]string{"hall/pois.json"},
			[]string{"hall/README.md is left out", "hall/.pois.json1 is left out", "hall/backup-1/pois.json is left out"},
			"",
		},
		{
			"foreign map",
			[]string{"hall/map.yaml", foreignYAML, "hall/plan.pgm", "P5 3 1 255\n\xcd\xfe\x00"},
			Target{},
			[]string{"hall/map.pgm", "hall/map.yaml"},
			[]string{"the map was read by the rule of Nav2: 1 free, 1 occupied, 1 unknown, 0 other cells"},
			"",
		},
		{
			"repaired",
			[]string{"hall/pois.json", `{"pois": [{"id": "A", "name": "A"}]}`, "hall/other.png", "x"},
			Target{},
			[]string{"hall/pois.json"},
			[]string{`hall: POI 1: id "A" is no valid id: it is a now`, "other.png is left out: it is not the map's image"},
			"",
		},
		{
			"a robot's map under another name",
			[]string{"hall/map.yaml", strings.ReplaceAll(foreignYAML, "0.196", "0.25"), "hall/plan.pgm", "P5 3 1 255\n\xcd\xfe\x00"},
			Target{},
			[]string{"hall/map.pgm", "hall/map.yaml"},
			[]string{"the map was read by the rule of sites: 1 free, 1 occupied, 1 unknown, 0 other cells"},
			"",
		},
		{"another name", []string{"hall/pois.json", pois}, Target{Site: "lobby"}, []string{"lobby/pois.json"}, nil, ""},
		{"a wrong name", []string{"hall/pois.json", pois}, Target{Site: "../x"}, nil, nil, "is no name of a site"},
		{"no folder", []string{"pois.json", pois}, Target{}, nil, nil, "is not in the folder of a site"},
		{"leads out", []string{"../hall/pois.json", pois}, Target{}, nil, nil, "is not in the folder of a site"},
		{"leads out later", []string{"hall/routes/../../x/pois.json", pois, "hall/pois.json", pois}, Target{}, nil, nil, "it holds the sites x and hall"},
		{"two sites", []string{"a/pois.json", pois, "b/pois.json", pois}, Target{}, nil, nil, "it holds the sites a and b"},
		{"twice", []string{"a/pois.json", pois, "a/pois.json", pois}, Target{}, nil, nil, "is in it twice"},
		{"damaged POIs", []string{"a/pois.json", "{"}, Target{}, nil, nil, "the archive is damaged: a/pois.json:1"},
		{"damaged map", []string{"a/map.yaml", "x"}, Target{}, nil, nil, "the archive is damaged: a/map.yaml"},
		{"damaged route", []string{"a/routes/r.csv", "1,2"}, Target{}, nil, nil, "the archive is damaged: a/routes/r.csv:1"},
		{"nothing", []string{"a/x", ""}, Target{}, nil, nil, "it holds no files of a site"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewStore(NewMemory())
			got, err := s.Import(pack(t, tt.pairs...), tt.to)
			if tt.err != "" {
				if list := names(t, s.fs, "."); err == nil || !strings.Contains(err.Error(), tt.err) || len(list) > 0 {
					t.Errorf("error %v, want %q; files %q", err, tt.err, list)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(append([]string{}, tt.notes...), got.Notes); d != "" {
				t.Errorf("notes (-want +got)\n%s", d)
			}
			if list := names(t, s.fs, got.Site); cmp.Diff(tt.files, list) != "" {
				t.Errorf("files %q, want %q", list, tt.files)
			}
		})
	}
	if _, err := NewStore(NewMemory()).Import(strings.NewReader("no archive, but long enough to be looked at as one"), Target{}); err == nil {
		t.Error("text was imported")
	}
}

func TestImportRefusesHoles(t *testing.T) {
	data := "1\n0\n2\n" + strings.Repeat("\x00", 506) + "{}" // the map of the only piece, and the piece
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	h := &tar.Header{Name: "a/pois.json", Size: int64(len(data)), Mode: 0o600, Format: tar.FormatPAX, PAXRecords: map[string]string{
		"GNX.sparse.major": "1", "GNX.sparse.minor": "0", "GNX.sparse.name": "a/pois.json", "GNX.sparse.realsize": "900000000",
	}}
	if err := w.WriteHeader(h); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	archive := bytes.ReplaceAll(b.Bytes(), []byte("GNX."), []byte("GNU.")) // the writer makes no such entries
	_, err := NewStore(NewMemory()).Import(bytes.NewReader(archive), Target{})
	if err == nil || !strings.Contains(err.Error(), "is stored with holes") {
		t.Errorf("a file of 900 MB in %d bytes: %v", len(archive), err)
	}
}

func FuzzImport(f *testing.F) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range []string{"a/pois.json", "a/routes/r.csv", "a/map.yaml"} {
		if err := w.WriteHeader(&tar.Header{Name: name, Size: 2, Mode: 0o600}); err != nil {
			f.Fatal(err)
		}
		if _, err := w.Write([]byte("{}")); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("text"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := NewMemory()
		got, err := NewStore(m).Import(bytes.NewReader(data), Target{Now: noon})
		if err != nil {
			if len(m.nodes) > 1 {
				t.Fatalf("refused, and %d entries are on disk", len(m.nodes))
			}
			return
		}
		for name := range m.nodes {
			if name != "." && name != got.Site && !strings.HasPrefix(name, got.Site+"/") {
				t.Fatalf("%q is outside of site %s", name, got.Site)
			}
		}
	})
}

func TestImportMap(t *testing.T) {
	meta, err := mapfile.ParseMeta("m", []byte(foreignYAML))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		free float64
		want []int8
		note string
	}{
		{0.196, []int8{-1, 0, 100, 0}, "of Nav2: 2 free, 1 occupied, 1 unknown"},
		{0.25, []int8{0, 0, 100, 0}, "of Nav2: 3 free, 1 occupied, 0 unknown"}, // a foreign grey: it is not a robot's
	} {
		meta.FreeThresh = tt.free
		src, err := mapfile.NewSource("m", meta, []byte("P5 4 1 255\n\xcd\xfe\x00\xff"))
		if err != nil {
			t.Fatal(err)
		}
		s := NewStore(NewMemory())
		got := must(s.ImportMap(src, mapfile.Nav2, Target{Site: "hall"}))(t)
		if cells := must(s.Look("hall"))(t).Map.Cells; cmp.Diff(tt.want, cells) != "" || !strings.Contains(got.Notes[0], tt.note) {
			t.Errorf("free at %g: %v, %q", tt.free, cells, got.Notes)
		}
	}
	meta.FreeThresh = 0.25
	src, err := mapfile.NewSource("m", meta, []byte("P5 3 1 255\n\xcd\xfe\x00"))
	if err != nil {
		t.Fatal(err)
	}
	s := NewStore(NewMemory())
	got := must(s.ImportMap(src, mapfile.Site, Target{Site: "hall"}))(t)
	if cells := must(s.Look("hall"))(t).Map.Cells; cells[0] != -1 || !strings.Contains(got.Notes[0], "the rule of sites") {
		t.Errorf("a robot's own map became %v, %q", cells, got.Notes)
	}
	if _, err := s.ImportMap(src, mapfile.Nav2, Target{}); err == nil {
		t.Error("a map without the name of a site was imported")
	}
}

func TestClaim(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sites")
	open := func() *Folder {
		t.Helper()
		f, err := OpenFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	robot, second, tool := open(), open(), open()
	defer second.Close()
	defer tool.Close()
	if err := errors.Join(robot.Use(), second.Use()); err != nil {
		t.Fatal(err)
	}
	if err := tool.Claim(); !errors.Is(err, ErrInUse) {
		t.Errorf("claimed while robots use it: %v", err)
	}
	if err := errors.Join(robot.Close(), second.Close()); err != nil {
		t.Fatal(err)
	}
	if err := tool.Claim(); err != nil {
		t.Error(err)
	}
	late := open()
	defer late.Close()
	if err := late.Use(); !errors.Is(err, ErrInUse) {
		t.Errorf("used while it is claimed: %v", err)
	}
}
