package movingai

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	smallMap  = "type octile\nheight 2\nwidth 3\nmap\n.G@\nTOW\n"
	smallScen = "version 1\n0\tsmall.map\t3\t2\t0\t0\t1\t0\t1\n0\tsmall.map\t3\t2\t0\t0\t2\t1\t0\n"
)

func TestParseMap(t *testing.T) {
	for _, text := range []string{smallMap, strings.ReplaceAll(smallMap, "\n", "\r\n"), strings.TrimSuffix(smallMap, "\n")} {
		m, err := ParseMap([]byte(text))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		want := &Map{Width: 3, Height: 2, Blocked: []bool{false, false, true, true, true, true}}
		if diff := cmp.Diff(want, m); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
		if !m.Free(1, 0) || m.Free(2, 0) || m.Free(-1, 0) || m.Free(0, 2) || m.Free(3, 0) {
			t.Errorf("%q: Free is wrong", text)
		}
	}
}

func TestMapFaults(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "line 1: the file ends before"},
		{"no map", "type octile\n", "line 2: the file ends before"},
		{"type", strings.Replace(smallMap, "octile", "tile", 1), `line 1: the type is "tile"`},
		{"key", "colour red\nmap\n", `line 1: unknown key "colour"`},
		{"head", "type octile yes\n", "line 1: \"type octile yes\" is no key and value"},
		{"number", strings.Replace(smallMap, "height 2", "height two", 1), "line 2: height is \"two\""},
		{"zero", strings.Replace(smallMap, "width 3", "width 0", 1), "line 3: width is \"0\""},
		{"size missing", "width 3\nmap\n...\n", "line 2: height or width is missing"},
		{"too many cells", "width 60000\nheight 60000\nmap\n", "60000 × 60000 cells are too many"},
		{"short", strings.TrimSuffix(smallMap, "TOW\n"), "bytes follow for 3 × 2 cells"},
		{"narrow row", strings.Replace(smallMap, "TOW", "TO\n@", 1), "line 6: the row has 2 cells"},
		{"wide row", strings.Replace(smallMap, ".G@", ".G@.", 1), "line 5: the row has 4 cells"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseMap([]byte(tt.text))
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestParseScenario(t *testing.T) {
	got, err := ParseScenario([]byte(smallScen), 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := []Query{{0, 0, 1, 0, 1}, {0, 0, 2, 1, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("queries (-want +got):\n%s", diff)
	}
	if !got[0].Reachable() || got[1].Reachable() || !(Query{StartX: 1, GoalX: 1}).Reachable() {
		t.Error("Reachable is wrong")
	}
}

func TestScenarioFaults(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "version 1\n", "there is no query"},
		{"columns", "version 1\n0 m 3 2 0 0 1 0\n", "line 2: 8 columns"},
		{"not a number", "0 m 3 2 0 zero 1 0 1\n", "line 1: column 6 is \"zero\""},
		{"outside", "0 m 3 2 0 0 3 0 1\n", "line 1: column 7 is 3: cells are numbered 0 to 2"},
		{"negative", "0 m 3 2 0 -1 1 0 1\n", "line 1: column 6 is -1"},
		{"other map", "0 m 4 2 0 0 1 0 1\n", "line 1: is about a map of 4 × 2 cells"},
		{"length", "0 m 3 2 0 0 1 0 NaN\n", "line 1: the length is \"NaN\""},
		{"negative length", "0 m 3 2 0 0 1 0 -1\n", "line 1: the length is \"-1\""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseScenario([]byte(tt.text), 3, 2)
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	mapFile, scenFile := filepath.Join(dir, "small.map"), filepath.Join(dir, "small.map.scen")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := Load(mapFile, scenFile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a map: %v", err)
	}
	write(mapFile, smallMap)
	if _, _, err := Load(mapFile, scenFile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a scenario: %v", err)
	}
	write(scenFile, smallScen)
	m, queries, err := Load(mapFile, scenFile)
	if err != nil || m.Width != 3 || len(queries) != 2 {
		t.Errorf("map %v, queries %v, error %v", m, queries, err)
	}
	write(scenFile, smallMap)
	if _, _, err := Load(mapFile, scenFile); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), scenFile+": ") {
		t.Errorf("a map as the scenario: %v", err)
	}
}

func FuzzParseMap(f *testing.F) {
	f.Add([]byte(smallMap))
	f.Add([]byte("width 9\nheight 1\nmap\n.........\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseMap(data)
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Errorf("error %v does not wrap ErrFormat", err)
			}
			return
		}
		if len(m.Blocked) != m.Width*m.Height || len(m.Blocked) > len(data) {
			t.Errorf("%d × %d cells, %d stored, from %d bytes", m.Width, m.Height, len(m.Blocked), len(data))
		}
	})
}

func FuzzParseScenario(f *testing.F) {
	f.Add([]byte(smallScen))
	f.Add([]byte("0 m 3 2 0 0 1 0 1e3\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		queries, err := ParseScenario(data, 3, 2)
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Errorf("error %v does not wrap ErrFormat", err)
			}
			return
		}
		for _, q := range queries {
			if q.StartX < 0 || q.StartX > 2 || q.GoalY < 0 || q.GoalY > 1 || !(q.Optimal >= 0) {
				t.Errorf("query %+v", q)
			}
		}
	})
}
