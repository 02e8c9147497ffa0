package site

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/geom"
)

func TestFilesAreWrittenAsTheDocumentSays(t *testing.T) {
	c := Content{
		POIs:  []POI{{ID: "a", Name: "A & <B>", X: 1.5, Yaw: -0.25, Dwell: 2}},
		Tours: []Tour{{ID: "t", Name: "T"}},
	}
	pois := `{
  "pois": [
    {
      "id": "a",
      "name": "A & <B>",
      "description": "",
      "x": 1.5,
      "y": 0,
      "yaw": -0.25,
      "narration": "",
      "language": "",
      "gesture": "",
      "dwell_sec": 2
    }
  ]
}
`
	if d := cmp.Diff(pois, string(encodePOIs(c.POIs))); d != "" {
		t.Errorf("pois.json (-want +got)\n%s", d)
	}
	if got := string(encodeTours(c.Tours)); !strings.Contains(got, `"poi_ids": [],`) || !strings.Contains(got, `"return_poi_id": ""`) {
		t.Errorf("tours.json\n%s", got)
	}
	if got := string(encodePOIs(nil)); got != "{\n  \"pois\": []\n}\n" {
		t.Errorf("no POIs: %q", got)
	}
	tags := []Tag{{Frame: "base_map", Pose: geom.Transform{T: geom.Vec3{X: 1, Y: 2, Z: 3}, R: geom.FromYaw(1)}}}
	back, notes, err := decodeTags("t", encodeTags(tags))
	if d := cmp.Diff(tags, back); err != nil || notes != nil || d != "" {
		t.Errorf("tags come back as (-want +got)\n%s%v %q", d, err, notes)
	}
}

func TestDecodeFaults(t *testing.T) {
	pois := func(s string) error { _, err := decodePOIs("s/pois.json", []byte(s)); return err }
	tours := func(s string) error { _, err := decodeTours("s/tours.json", []byte(s)); return err }
	tags := func(s string) error { _, _, err := decodeTags("s/tags.json", []byte(s)); return err }
	for _, tt := range []struct {
		decode     func(string) error
		text, want string
	}{
		{pois, "", "s/pois.json:1: unexpected end of JSON input"},
		{pois, "{\n\"pois\": [\n{]}", "s/pois.json:3: invalid character ']'"},
		{pois, "{}", `s/pois.json:1: has no list "pois"`},
		{pois, "[]", "s/pois.json:1: the document is a array"},
		{pois, "{\"pois\":\n[{\"x\": \"1\"}]}", "s/pois.json:2: pois.x is a string"},
		{tours, "{\"tours\": null}", `s/tours.json:1: has no list "tours"`},
		{tours, "{\"tours\": [{\"poi_ids\": [1]}]}", "s/tours.json:1: tours.poi_ids is a number"},
		{tags, "{\"a\": {\"x\": true}}", "s/tags.json:1: "},
	} {
		if err := tt.decode(tt.text); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want %q", tt.text, err, tt.want)
		}
	}
	got, notes, err := decodeTags("t", []byte(`{"b": {"qw": 1.001}, "a": {"x": 1}, "": {"qw": 1}}`))
	if err != nil || len(got) != 1 || got[0].Frame != "b" || got[0].Pose.R.W != 1 || len(notes) != 2 {
		t.Errorf("tags %+v, notes %q, %v", got, notes, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encodePOIs(museum().POIs))
	f.Add(encodeTours(museum().Tours))
	f.Add([]byte(`{"a": {"x": 1, "qw": 1}}`))
	f.Add([]byte(`{"backup": "backup-1", "files": ["map.pgm"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		pois, _ := decodePOIs("p", data)
		tours, _ := decodeTours("t", data)
		tags, _, _ := decodeTags("t", data)
		c, _ := Content{POIs: pois, Tours: tours}.Repair()
		if again, notes := c.Repair(); !again.Equal(c) || len(notes) > 0 {
			t.Fatalf("repaired twice: %q", notes)
		}
		back, err := decodePOIs("p", encodePOIs(c.POIs))
		if err != nil || !(Content{POIs: back}).Equal(Content{POIs: c.POIs}) {
			t.Fatalf("POIs come back as %+v, %v", back, err)
		}
		if _, notes, err := decodeTags("t", encodeTags(tags)); err != nil || len(notes) > 0 {
			t.Fatalf("tags: %q, %v", notes, err)
		}
		if j, err := parseJournal(data); err == nil {
			for _, name := range j.Files {
				if strings.HasPrefix(name, "/") || strings.Contains(name, "..") && strings.HasPrefix(name, "..") {
					t.Fatalf("the journal leads to %q", name)
				}
			}
		}
	})
}
