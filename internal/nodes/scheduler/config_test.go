package scheduler_test

import (
	"strings"
	"testing"
	"time"

	"sarathi/internal/algo/schedule"
	"sarathi/internal/config"
	"sarathi/internal/nodes/scheduler"
)

func decode(text string) (scheduler.Config, error) {
	c := scheduler.DefaultConfig()
	err := config.Decode("my.yaml", []byte(text), &c)
	return c, err
}

func TestConfig(t *testing.T) {
	c, err := decode(`
zone: Europe/Berlin
runs:
  - {name: day, route: hall/routes/a.csv, days: weekdays, start: 08:00, until: 18:00}
  - {name: night, route: hall/routes/b.csv, days: "sat, sun", start: "22:00", until: 02:00, late: start, finish: 0s}
  - {name: once, route: hall/routes/c.csv, start: 07:30}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []scheduler.Run{
		{
			Name: "day", Route: "hall/routes/a.csv", Days: schedule.Weekdays, Start: schedule.At(8, 0), Until: schedule.At(18, 0),
			Late: "skip", Finish: 10 * time.Minute,
		},
		{
			Name: "night", Route: "hall/routes/b.csv", Days: schedule.Daily &^ schedule.Weekdays, Start: schedule.At(22, 0), Until: schedule.At(2, 0),
			Late: "start",
		},
		{Name: "once", Route: "hall/routes/c.csv", Days: schedule.Daily, Start: schedule.At(7, 30), Late: "skip", Finish: 10 * time.Minute},
	}
	for i, r := range c.Runs {
		if r != want[i] {
			t.Errorf("run %d: %+v, want %+v", i, r, want[i])
		}
	}
	out, err := config.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	again, err := decode(string(out))
	if err != nil || len(again.Runs) != len(want) || again.Runs[1] != want[1] {
		t.Errorf("written and read again: %v, %+v\n%s", err, again, out)
	}
}

func TestConfigSaysWhatToWrite(t *testing.T) {
	const good = "name: day, route: hall/routes/a.csv, start: 08:00, until: 18:00"
	for _, c := range []struct{ name, text, want string }{
		{"zone", "zone: Berlin", `my.yaml:1: zone: "Berlin" is no time zone: write host, UTC, or a name such as Europe/Berlin`},
		{"zone of nobody", "zone: Local", `zone: "Local" is no time zone`},
		{"start", "runs: [{name: day, route: hall/routes/a.csv, start: 8:00}]", `runs[0].start: "8:00" is no time of day: write hours and minutes, 00:00 to 23:59`},
		{"no start", "runs: [{name: day, route: hall/routes/a.csv}]", `runs[0].start: is empty: write a time of day such as 08:00`},
		{"until", "runs: [{name: day, route: hall/routes/a.csv, start: 08:00, until: 08:00}]", `runs[0].until: 08:00 is the start: write when the patrol ends`},
		{"days", "runs: [{" + good + ", days: monday}]", `runs[0].days: "monday" is no day: write mon, tue`},
		{"late", "runs: [{" + good + ", late: starts}]", `runs[0].late: "starts" is not known: did you mean start?`},
		{"late without a window", "runs: [{name: d, route: a/b.csv, start: 08:00, late: start}]", `runs[0].late: start needs a window to join: write until, or late: skip`},
		{"route", "runs: [{name: day, route: ../a.csv, start: 08:00}]", `runs[0].route: "../a.csv" is no route in the sites folder: write SITE/routes/FILE.csv`},
		{"finish", "runs: [{" + good + ", finish: 3h}]", `runs[0].finish: 3h0m0s is out of range 0s..2h0m0s`},
		{"name", "runs: [{" + good + "}, {" + good + "}]", `runs[1].name: "day" is the name of runs[0] too: give it another one`},
		{"no name", "runs: [{route: hall/routes/a.csv, start: 08:00}]", `runs[0].name: is empty: write a value`},
		{"unknown", "runs: [{" + good + ", day: mon}]", `runs[0].day: unknown key: did you mean days?`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := decode(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}
