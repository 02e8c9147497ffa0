package site

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// museum has three POIs and two tours.
func museum() Content {
	return Content{
		POIs: []POI{
			{ID: "lobby", Name: "Lobby", X: 1, Y: 2, Yaw: 0.5, Dwell: 3, Narration: "Welcome"},
			{ID: "vase", Name: "Vase", X: 4},
			{ID: "exit", Name: "Exit", Y: -3},
		},
		Tours: []Tour{
			{ID: "short", Name: "Short", POIIDs: []string{"lobby", "vase"}, ReturnPOIID: "lobby"},
			{ID: "long", Name: "Long", POIIDs: []string{"lobby", "vase", "lobby", "exit"}},
		},
	}
}

func TestSavePOI(t *testing.T) {
	at := func(change func(*POI)) POI {
		p := POI{Name: "New"}
		change(&p)
		return p
	}
	tests := []struct {
		name  string
		poi   POI
		want  POI
		place int
		notes string
		err   string
	}{
		{"new", POI{Name: "Lobby, West!", X: 1}, POI{ID: "lobby-west", Name: "Lobby, West!", X: 1}, 3, "", ""},
		{"new of a name that is taken", POI{Name: "vase"}, POI{ID: "vase-2", Name: "vase"}, 3, "", ""},
		{"no Latin letters", POI{Name: "大厅"}, POI{ID: "poi", Name: "大厅"}, 3, "", ""},
		{"in its place", POI{ID: "vase", Name: "Ming vase", Yaw: 1}, POI{ID: "vase", Name: "Ming vase", Yaw: 1}, 1, "", ""},
		{"own id", POI{ID: "a_1-b", Name: "N"}, POI{ID: "a_1-b", Name: "N"}, 3, "", ""},
		{"trimmed", POI{ID: "vase", Name: " N\n", Gesture: " wave "}, POI{ID: "vase", Name: "N", Gesture: "wave"}, 1, "", ""},
		{"turned", POI{ID: "vase", Name: "N", Yaw: 3 * math.Pi / 2}, POI{ID: "vase", Name: "N", Yaw: -math.Pi / 2}, 1, "", ""},
		{
			"cut",
			POI{ID: "vase", Name: strings.Repeat("é", 65), Narration: strings.Repeat("n", 2001)},
			POI{ID: "vase", Name: strings.Repeat("é", 64), Narration: strings.Repeat("n", 2000)},
			1,
			"name cut from 65 to 64 letters, narration cut from 2001 to 2000 letters", "",
		},
		{"no name", at(func(p *POI) { p.Name = " " }), POI{}, 0, "", "a POI needs a name"},
		{"wrong id", at(func(p *POI) { p.ID = "A b" }), POI{}, 0, "", `"A b" is no name of a POI`},
		{"id too long", at(func(p *POI) { p.ID = strings.Repeat("a", 49) }), POI{}, 0, "", "is no name of a POI"},
		{"NaN", at(func(p *POI) { p.X = math.NaN() }), POI{}, 0, "", "is not finite"},
		{"infinite heading", at(func(p *POI) { p.Yaw = math.Inf(1) }), POI{}, 0, "", "is not finite"},
		{"dwells too long", at(func(p *POI) { p.Dwell = 601 }), POI{}, 0, "", "dwell is 601 s"},
		{"dwells NaN", at(func(p *POI) { p.Dwell = math.NaN() }), POI{}, 0, "", "dwell is NaN s"},
	}
	for _, tt := range tests {
		before := museum()
		out, saved, notes, err := before.SavePOI(tt.poi)
		if d := cmp.Diff(museum(), before); d != "" {
			t.Fatalf("%s: the content it was called on changed\n%s", tt.name, d)
		}
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) || !out.Equal(before) {
				t.Errorf("%s: error %v, want %q", tt.name, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if d := cmp.Diff(tt.want, saved); d != "" || out.POIs[tt.place] != saved || strings.Join(notes, ", ") != tt.notes {
			t.Errorf("%s: notes %q, at its place %+v (-want +got)\n%s", tt.name, notes, out.POIs[tt.place], d)
		}
	}
}

func TestSaveTour(t *testing.T) {
	tests := []struct {
		name  string
		tour  Tour
		want  Tour
		place int
		err   string
	}{
		{"new", Tour{Name: "Short", POIIDs: []string{"exit"}}, Tour{ID: "short-2", Name: "Short", POIIDs: []string{"exit"}}, 2, ""},
		{"in its place", Tour{ID: "short", Name: "S", POIIDs: []string{"exit", "exit"}}, Tour{ID: "short", Name: "S", POIIDs: []string{"exit", "exit"}}, 0, ""},
		{"no name", Tour{POIIDs: []string{"exit"}}, Tour{}, 0, "a tour needs a name"},
		{"no POIs", Tour{Name: "N"}, Tour{}, 0, "has no POIs"},
		{"dangling", Tour{Name: "N", POIIDs: []string{"exit", "nowhere"}}, Tour{}, 0, `the site has no POI "nowhere"`},
		{"dangling return", Tour{Name: "N", POIIDs: []string{"exit"}, ReturnPOIID: "x"}, Tour{}, 0, `no POI "x" to return to`},
		{"wrong id", Tour{ID: "-", Name: "N", POIIDs: []string{"exit"}}, Tour{}, 0, "is no name of a tour"},
		{"too long", Tour{Name: "N", POIIDs: make([]string, MaxTourPOIs+1)}, Tour{}, 0, "500 is the most"},
	}
	for _, tt := range tests {
		out, saved, _, err := museum().SaveTour(tt.tour)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) || !out.Equal(museum()) {
				t.Errorf("%s: error %v, want %q", tt.name, err, tt.err)
			}
			continue
		}
		if d := cmp.Diff(tt.want, saved); err != nil || d != "" || cmp.Diff(saved, out.Tours[tt.place]) != "" {
			t.Errorf("%s: %v, at its place %+v (-want +got)\n%s", tt.name, err, out.Tours[tt.place], d)
		}
	}
}

func TestDelete(t *testing.T) {
	before := museum()
	out, notes, err := before.DeletePOI("lobby")
	want := museum()
	want.POIs = want.POIs[1:]
	want.Tours[0].POIIDs, want.Tours[0].ReturnPOIID = []string{"vase"}, ""
	want.Tours[1].POIIDs = []string{"vase", "exit"}
	if d := cmp.Diff(want, out); err != nil || d != "" {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
	if d := cmp.Diff([]string{"removed from tour short", "removed from tour long"}, notes); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(museum(), before); d != "" {
		t.Errorf("the content it was called on changed\n%s", d)
	}
	if _, notes, err := before.DeletePOI("exit"); err != nil || len(notes) != 1 {
		t.Errorf("exit: %v, notes %q", err, notes)
	}
	if _, _, err := before.DeletePOI("nowhere"); err == nil {
		t.Error("a POI that is not there was deleted")
	}
	out, err = before.DeleteTour("short")
	if err != nil || len(out.Tours) != 1 || out.Tours[0].ID != "long" || len(before.Tours) != 2 {
		t.Errorf("deleting a tour gives %+v, %v", out, err)
	}
	if _, err := before.DeleteTour("nowhere"); err == nil {
		t.Error("a tour that is not there was deleted")
	}
}

func TestMost(t *testing.T) {
	var c Content
	for i := range MaxPOIs {
		c.POIs = append(c.POIs, POI{ID: fmt.Sprint(i), Name: "N"})
	}
	for i := range MaxTours {
		c.Tours = append(c.Tours, Tour{ID: fmt.Sprint(i), Name: "N", POIIDs: []string{"1"}})
	}
	if _, _, _, err := c.SavePOI(POI{Name: "N"}); err == nil {
		t.Error("one POI more than the most was saved")
	}
	if _, _, _, err := c.SavePOI(POI{ID: "7", Name: "N"}); err != nil {
		t.Errorf("a POI cannot be changed: %v", err)
	}
	if _, _, _, err := c.SaveTour(Tour{Name: "N", POIIDs: []string{"1"}}); err == nil {
		t.Error("one tour more than the most was saved")
	}
	c.POIs = append(c.POIs, POI{ID: "x", Name: "N"})
	c.Tours = append(c.Tours, Tour{ID: "x", Name: "N"})
	if got, notes := c.Repair(); len(got.POIs) != MaxPOIs || len(got.Tours) != MaxTours || len(notes) != 2 {
		t.Errorf("repaired to %d POIs and %d tours, notes %q", len(got.POIs), len(got.Tours), notes)
	}
}

func TestRepair(t *testing.T) {
	if c, notes := museum().Repair(); !c.Equal(museum()) || notes != nil {
		t.Errorf("a content without faults becomes %+v, notes %q", c, notes)
	}
	c := Content{
		POIs: []POI{
			{ID: "lobby", Name: "Lobby"},
			{ID: "lobby", Name: "Lobby", X: 1},
			{ID: "Bad Id", Name: ""},
			{ID: "far", Name: "Far", X: math.Inf(1)},
			{ID: "slow", Name: "Slow", Dwell: 900},
			{ID: "never", Name: "Never", Dwell: math.NaN()},
		},
		Tours: []Tour{
			{ID: "t", Name: "T", POIIDs: []string{"lobby", "gone", "far"}, ReturnPOIID: "gone"},
			{ID: "t", Name: strings.Repeat("x", 65)},
		},
	}
	want := Content{
		POIs: []POI{
			{ID: "lobby", Name: "Lobby"},
			{ID: "lobby-2", Name: "Lobby", X: 1},
			{ID: "bad-id", Name: "bad-id"},
			{ID: "slow", Name: "Slow", Dwell: 600},
			{ID: "never", Name: "Never"},
		},
		Tours: []Tour{
			{ID: "t", Name: "T", POIIDs: []string{"lobby"}},
			{ID: strings.Repeat("x", 48), Name: strings.Repeat("x", 64)},
		},
	}
	got, notes := c.Repair()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	wantNotes := []string{
		`POI 2: id "lobby" is there twice: it is lobby-2 now`,
		`POI 3: id "Bad Id" is no valid id: it is bad-id now`,
		`POI "bad-id" has no name: it is called by its id`,
		`POI "far" is left out: its pose is not finite`,
		`POI "slow": dwell is 900 s: 600 is used`,
		`POI "never": dwell is NaN s: 0 is used`,
		`tour "t": POI "gone" is taken out, the site has none of that id`,
		`tour "t": POI "far" is taken out, the site has none of that id`,
		`tour "t": it returns to no POI, the site has no "gone"`,
		`tour "t": name cut from 65 to 64 letters`,
		`tour 2: id "t" is there twice: it is ` + strings.Repeat("x", 48) + ` now`,
	}
	if d := cmp.Diff(wantNotes, notes); d != "" {
		t.Errorf("notes (-want +got)\n%s", d)
	}
	if again, notes := got.Repair(); !again.Equal(got) || notes != nil {
		t.Errorf("repairing again changes it: %q", notes)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "0": true, "lobby_2-b": true, strings.Repeat("a", 48): true,
		"": false, "-a": false, "_a": false, "A": false, "a b": false, "a/b": false, "..": false, strings.Repeat("a", 49): false, "a\n": false,
	} {
		if ValidName(name) != want {
			t.Errorf("%q: %v, want %v", name, !want, want)
		}
	}
	taken := map[string]bool{}
	for range 12 {
		id := newID("poi", strings.Repeat("long name ", 9), func(s string) bool { return taken[s] })
		if !ValidName(id) || taken[id] {
			t.Fatalf("id %q", id)
		}
		taken[id] = true
	}
}
