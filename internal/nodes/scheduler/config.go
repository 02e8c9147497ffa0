package scheduler

import (
	"fmt"
	"path"
	"strings"
	"time"
	_ "time/tzdata" // a robot may have no time zone database

	"sarathi/internal/algo/schedule"
	"sarathi/internal/config"
)

// ZoneHost is the time zone of the computer.
const ZoneHost = "host"

// Config of the node.
type Config struct {
	Zone string `doc:"time zone of the times, such as Europe/Berlin; host: that of the computer, UTC in simulation"`
	Runs []Run  `doc:"patrols by the time of day; empty: none"`
}

// Run is a patrol by the time of day.
type Run struct {
	Name   string             `doc:"name shown to people"`
	Route  string             `doc:"route file in the sites folder, such as hall/routes/2026-01-01_08-00-00.csv; its site must be active"`
	Days   schedule.Days      `doc:"on which it starts: daily, weekdays, or some of mon, tue, wed, thu, fri, sat, sun"`
	Start  schedule.TimeOfDay `doc:"time of day, such as 08:00"`
	Until  schedule.TimeOfDay `doc:"a loop is walked until then, on the next day when it is not after start; empty: one round"`
	Late   string             `doc:"after the start, such as when the robot is switched on: skip waits for the next start, start joins"`
	Finish time.Duration      `doc:"how long the last lap may go on after until; 0s: the robot stops where it is"`
}

// DefaultConfig has no runs.
func DefaultConfig() Config { return Config{Zone: ZoneHost} }

// SetDefaults implements config.Defaulter.
func (r *Run) SetDefaults() {
	r.Days, r.Late, r.Finish = schedule.Daily, string(schedule.LateSkip), 10*time.Minute
}

// Validate reports every value that the node cannot work with.
func (c Config) Validate() error {
	var p config.Problems
	if _, err := zone(c.Zone, time.UTC); err != nil {
		p.Addf("zone", "%q is no time zone: write host, UTC, or a name such as Europe/Berlin", c.Zone)
	}
	seen := map[string]int{}
	for i, r := range c.Runs {
		at := fmt.Sprintf("runs[%d]", i)
		if first, twice := seen[r.Name]; twice && r.Name != "" {
			p.Addf(at+".name", "%q is the name of runs[%d] too: give it another one", r.Name, first)
		} else {
			seen[r.Name] = i
		}
		p.Nested(at, r.Validate())
	}
	return p.Err()
}

// Validate reports what is wrong with a run.
func (r Run) Validate() error {
	var p config.Problems
	p.NotEmpty("name", r.Name)
	p.Require(isRoute(r.Route), "route", "%q is no route in the sites folder: write SITE/routes/FILE.csv, as list_routes shows it", r.Route)
	p.Require(r.Days != 0, "days", "is empty: write daily, weekdays, or days such as mon, thu")
	p.Require(!r.Start.IsZero(), "start", "is empty: write a time of day such as 08:00")
	p.Require(r.Until.IsZero() || r.Until != r.Start, "until",
		"%s is the start: write when the patrol ends, or leave it out for one round", r.Until)
	p.OneOf("late", r.Late, string(schedule.LateSkip), string(schedule.LateStart))
	p.Require(r.Late != string(schedule.LateStart) || !r.Until.IsZero(), "late",
		"start needs a window to join: write until, or late: skip")
	p.DurationInRange("finish", r.Finish, 0, 2*time.Hour)
	return p.Err()
}

// isRoute reports whether a name is one that the path loader uses itself, so that the follower's status can be compared with it.
func isRoute(name string) bool {
	site, _, inside := strings.Cut(name, "/")
	return inside && path.Clean(name) == name && site != "" && site != ".." && strings.HasSuffix(name, ".csv") && !strings.Contains(name, `\`)
}

// zone returns the time zone of a name.
func zone(name string, host *time.Location) (*time.Location, error) {
	if name == ZoneHost {
		return host, nil
	}
	if name == "" || name == "Local" { // which time takes for UTC and for the host
		return nil, fmt.Errorf("%q is no time zone", name)
	}
	return time.LoadLocation(name)
}

// entries are the runs as the schedule has them.
func (c Config) entries() []schedule.Entry {
	out := make([]schedule.Entry, len(c.Runs))
	for i, r := range c.Runs {
		out[i] = schedule.Entry{
			Name: r.Name, Route: r.Route, Days: r.Days, Start: r.Start, Until: r.Until, Late: schedule.Late(r.Late), Finish: r.Finish,
		}
	}
	return out
}
