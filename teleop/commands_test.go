package teleop

import (
	"slices"
	"strings"
	"testing"
)

// The commands of the documents' tables, letter for letter and in order, without the robot drivers'.
const (
	mollyTable = "estop estop_release set_mode site_list site_load map_start map_stop map_save get_map get_site localize " +
		"dock undock dock_cancel record_tags poi_add poi_update poi_delete tour_save tour_delete tour_start tour_pause tour_resume " +
		"tour_stop tour_skip go_to_poi go_to go_cancel nav_start nav_stop nav_pause nav_resume nav_speed record_start record_stop mark_stop " +
		"list_routes load_route get_route say stop_speech greet greeter_set gesture ask"
	pashupatiTable = "estop estop_release set_mode nav_start nav_stop nav_pause nav_resume record_start record_stop mark_stop list_routes " +
		"load_route get_route localize record_tags inspection_set inspection_models inspection_categories people_set nav_speed trip_reset " +
		"dock undock"
)

func TestTablesHoldEveryCommandOfTheDocuments(t *testing.T) {
	for d, table := range map[*Dialect]string{Molly(): mollyTable, Pashupati(): pashupatiTable} {
		var names []string
		for i := range d.Commands {
			names = append(names, d.Commands[i].Name)
			if d.Commands[i].Node == "" {
				t.Errorf("%s has no node", d.Commands[i].Name)
			}
		}
		want(t, d.Name, strings.Join(names, " "), table)
		var slow []string
		for i := range d.Commands {
			if d.Commands[i].Slow {
				slow = append(slow, d.Commands[i].Name)
			}
		}
		if d.Name == MollyName {
			wantAll(t, "slow", slow, "site_load", "go_to_poi", "ask")
		}
	}
}

func argsOf(t *testing.T, text string) Args {
	t.Helper()
	var d document
	root, err := d.parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return root.args()
}

func TestArgumentsAreCheckedAndNormalised(t *testing.T) {
	long := func(n int) string { return strings.Repeat("ä", n) }
	tests := []struct{ command, given, want string }{
		{"set_mode", `{"mode":"auto"}`, `{"mode":"auto"}`},
		{"set_mode", `{"mode":" remote "}`, `{"mode":"remote"}`},
		{"set_mode", `{"mode":"manual"}`, `mode must be one of auto, remote`},
		{"set_mode", `{}`, `mode is missing`},
		{"set_mode", `{"mode":5}`, `mode must be a text`},
		{"site_load", `{"site":"lobby-2_b"}`, `{"site":"lobby-2_b"}`},
		{"site_load", `{"site":"../etc"}`, `site must be 1 to 48 of a-z`},
		{"site_load", `{"site":"` + strings.Repeat("a", 49) + `"}`, `site must be 1 to 48 of a-z`},
		{"site_load", `{"site":"_x"}`, `beginning with a letter or digit`},
		{"map_start", `{"site":"hall"}`, `{"site":"hall","reset":true}`},
		{"map_start", `{"site":"hall","reset":false}`, `{"site":"hall","reset":false}`},
		{"map_start", `{"site":"hall","reset":1}`, `reset must be true or false`},
		{"map_start", `{"site":"Hall"}`, `site must be 1 to 48 of a-z`},
		{"poi_add", `{"name":" Front\u0000 desk \n"}`, `{"name":"Front desk"}`},
		{"poi_add", `{"name":"` + long(70) + `"}`, `{"name":"` + long(64) + `"}`},
		{"poi_add", `{"name":"  "}`, `name is missing`},
		{"poi_add", `{"name":"d","narration":"` + long(2001) + `","dwell":600,"unknown":1}`, `{"name":"d","narration":"` + long(2000) + `","dwell":600}`},
		{"poi_add", `{"name":"d","description":"` + long(1001) + `"}`, `{"name":"d","description":"` + long(1000) + `"}`},
		{"poi_add", `{"name":"d","dwell":601}`, `dwell must be 0 to 600 s`},
		{"poi_add", `{"name":"d","dwell":NaN}`, `dwell must be a finite number`},
		{"poi_update", `{"poi":{"id":"desk","here":true}}`, `{"poi":{"id":"desk","here":true}}`},
		{"poi_update", `{"poi":{"id":"desk","narration":"","x":1}}`, `{"poi":{"id":"desk","narration":"","x":1,"here":false}}`},
		{"poi_update", `{"poi":{"dwell":3}}`, `poi.id is missing`},
		{"poi_update", `{"poi":{"id":"desk","dwell":-1}}`, `poi.dwell must be 0 to 600 s`},
		{"poi_update", `{"poi":"desk"}`, `poi must be an object`},
		{"poi_delete", `{"id":"desk"}`, `{"id":"desk"}`},
		{"tour_save", `{"tour":{"id":"","name":"A","poi_ids":["x","y"],"return_poi_id":""}}`, `{"tour":{"id":"","name":"A","poi_ids":["x","y"],"return_poi_id":""}}`},
		{"tour_save", `{"tour":{"poi_ids":["x"]}}`, `tour.name is missing`},
		{"tour_save", `{"tour":{"name":"A","poi_ids":["x","Y Z"]}}`, `tour.poi_ids.entry 2 must be 1 to 48`},
		{"tour_delete", `{}`, `id is missing`},
		{"tour_start", `{"tour_id":"a"}`, `{"tour_id":"a"}`},
		{"tour_start", `{"poi_ids":["a","b"]}`, `{"poi_ids":["a","b"]}`},
		{"tour_start", `{"tour_id":"","poi_ids":["a"]}`, `{"poi_ids":["a"]}`},
		{"tour_start", `{}`, `give either tour_id or poi_ids`},
		{"tour_start", `{"tour_id":"a","poi_ids":["b"]}`, `give either tour_id or poi_ids`},
		{"go_to_poi", `{"id":"desk"}`, `{"id":"desk"}`},
		{"go_to", `{"x":1,"y":-2,"yaw":3.1}`, `{"x":1,"y":-2,"yaw":3.1}`},
		{"go_to", `{"x":1,"y":2}`, `yaw is missing`},
		{"go_to", `{"x":Infinity,"y":2,"yaw":0}`, `x must be a finite number`},
		{"go_to", `{"x":1e9,"y":2,"yaw":0}`, `x must be -100000 to 100000 m`},
		{"nav_speed", `{"speed":0.5}`, `{"speed":0.5}`},
		{"nav_speed", `{"speed":-1}`, `speed must be 0 to 10 m/s`},
		{"mark_stop", `{"dwell":3600}`, `{"dwell":3600}`},
		{"mark_stop", `{}`, `{"dwell":10}`},
		{"mark_stop", `{"dwell":3601}`, `dwell must be 0 to 3600 s`},
		{"load_route", `{"file":"lobby/routes/2026-10-28_10-00-00.csv"}`, `{"file":"lobby/routes/2026-10-28_10-00-00.csv"}`},
		{"load_route", `{"file":"/sites/lobby/routes/a.csv"}`, `{"file":"/sites/lobby/routes/a.csv"}`},
		{"load_route", `{"file":"../../etc/a.csv"}`, `file must be the path of a .csv file`},
		{"load_route", `{"file":"a.txt"}`, `file must be the path of a .csv file`},
		{"say", `{"text":"` + long(1001) + `"}`, `{"text":"` + long(1000) + `","interrupt":false}`},
		{"say", `{"text":"hi","lang":"en","interrupt":true}`, `{"text":"hi","lang":"en","interrupt":true}`},
		{"greeter_set", `{"enabled":true}`, `{"enabled":true}`},
		{"gesture", `{"name":"hello"}`, `{"name":"hello"}`},
		{"ask", `{"question":"` + long(501) + `"}`, `{"question":"` + long(500) + `","speak":true}`},
		{"inspection_set", `{}`, `give enabled, model, interval or categories`},
		{"inspection_set", `{"interval":-1}`, `{"interval":-1}`},
		{"inspection_set", `{"enabled":false,"model":"llava"}`, `{"enabled":false,"model":"llava"}`},
		{
			"inspection_set", `{"categories":[{"name":"leak","desc":"` + long(201) + `","report":true},{"name":"fire","desc":""}]}`,
			`{"categories":[{"name":"leak","desc":"` + long(200) + `","report":true},{"name":"fire","desc":"","report":false}]}`,
		},
		{"inspection_set", `{"categories":[]}`, `categories must have 1 to 12 entries`},
		{"inspection_set", `{"categories":[{"name":"no-dash"}]}`, `categories.entry 1.name must be`},
		{"people_set", `{"enabled":"yes"}`, `enabled must be true or false`},
	}
	for _, tc := range tests {
		d := Molly()
		if d.Command(tc.command) == nil {
			d = Pashupati()
		}
		args, err := d.Check(tc.command, argsOf(t, tc.given))
		got := string(args.AppendJSON(nil))
		if err != nil {
			got = err.Error()
		}
		if got != tc.want && (err == nil || !strings.Contains(got, tc.want)) {
			t.Errorf("%s %.60s:\n got %.200s\nwant %.200s", tc.command, tc.given, got, tc.want)
		}
	}
}

func TestArgsAreReadByType(t *testing.T) {
	a := argsOf(t, `{"s":"x","n":2.5,"b":true,"l":["a","b"],"o":{"k":"v"},"os":[{"i":1},{"i":2}],"s2":null}`)
	want(t, "text", a.Text("s"), "x")
	want(t, "number", a.Number("n"), 2.5)
	want(t, "flag", a.Flag("b"), true)
	wantAll(t, "texts", a.Texts("l"), "a", "b")
	want(t, "object", a.Object("o").Text("k"), "v")
	want(t, "objects", a.Objects("os")[1].Number("i"), 2)
	want(t, "wrong type", a.Number("b"), 0)
	want(t, "absent", a.Flag("x") || a.Has("x") || a.Text("x") != "" || a.Texts("x") != nil, false)
}

func TestArgumentsFromTheCommandLine(t *testing.T) {
	m := Molly()
	for command, tc := range map[string]struct {
		words []string
		want  string
	}{
		"go_to":      {[]string{"x=1", "y=-2.5", "yaw=0"}, `{"x":1,"y":-2.5,"yaw":0}`},
		"map_start":  {[]string{"site=5", "reset=false"}, `{"site":"5","reset":false}`},
		"tour_start": {[]string{"poi_ids=a,b"}, `{"poi_ids":["a","b"]}`},
		"poi_update": {[]string{`poi={"id":"a","dwell":3}`}, `{"poi":{"id":"a","dwell":3}}`},
		"say":        {[]string{"text=a=b"}, `{"text":"a=b"}`},
	} {
		args, err := m.ParseArgs(command, tc.words)
		if err != nil {
			t.Errorf("%s: %v", command, err)
		}
		want(t, command, string(args.AppendJSON(nil)), tc.want)
	}
	for command, word := range map[string]string{"go_to": "x=one", "map_start": "reset=maybe", "poi_update": "poi={", "say": "hello"} {
		if _, err := m.ParseArgs(command, []string{word}); err == nil {
			t.Errorf("%s %s was read", command, word)
		}
	}
}

func TestCutCountsCharacters(t *testing.T) {
	for _, tc := range []struct {
		in   string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc"}, {"äöüß", 3, "äöü"}, {"ab cd", 3, "ab"}, {"日本語", 2, "日本"}, {"abc", 0, "abc"}} {
		want(t, tc.in, cut(tc.in, tc.n), tc.want)
	}
}

func FuzzArgs(f *testing.F) {
	f.Add("poi_update", []byte(`{"poi":{"id":"a","name":"x"}}`))
	f.Add("inspection_set", []byte(`{"categories":[{"name":"a"}]}`))
	f.Add("tour_save", []byte(`{"tour":{"name":"x","poi_ids":["a"]}}`))
	f.Fuzz(func(t *testing.T, command string, data []byte) {
		var doc document
		root, err := doc.parse(data)
		if err != nil {
			return
		}
		for _, d := range Dialects() {
			args, err := d.Check(command, root.args())
			if err != nil {
				continue
			}
			again, err := d.Check(command, args)
			if err != nil || !slices.Equal(again.AppendJSON(nil), args.AppendJSON(nil)) {
				t.Fatalf("%s: checking %s again gives %s, %v", command, args.AppendJSON(nil), again.AppendJSON(nil), err)
			}
		}
	})
}
