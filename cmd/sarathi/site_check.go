package main

import (
	"fmt"

	"sarathi/internal/site"
)

// siteCheck is `sarathi site check`.
type siteCheck struct {
	sitesFolder

	Repair bool     `help:"Finish interrupted changes, put previous versions in the place of damaged files, rewrite what is not as a robot writes it."`
	Sites  []string `arg:"" optional:"" name:"site" help:"Names of sites (default: all, and what the robot remembers)."`
}

// finding is something about a site.
type finding struct {
	Site string `json:"site,omitempty"`
	site.Finding
}

// Run looks at one site after the other. A fault that remains ends with exit code 1.
func (c *siteCheck) Run(e *env) error {
	open := c.look
	if c.Repair {
		open = c.change
	}
	s, err := open()
	if err != nil {
		return wrong(err)
	}
	defer s.close() //nolint:errcheck // what was written is on disk
	names := c.Sites
	if len(names) == 0 {
		if names, err = s.store.List(); err != nil {
			return err
		}
	}
	found, repaired, err := c.examine(e, s, names)
	if err != nil {
		return wrong(err)
	}
	ok := true
	for _, f := range found {
		ok = ok && !f.Fault
	}
	if e.json {
		err = e.printJSON(map[string]any{"ok": ok, "sites": names, "repaired": orEmpty(repaired), "findings": orEmpty(found)})
	}
	if err == nil && !ok {
		return &verdictError{"something is broken"}
	}
	return err
}

// examine checks the sites, and prints what it finds for people.
func (c *siteCheck) examine(e *env, s *sites, names []string) (found []finding, repaired []string, err error) {
	say := func(format string, args ...any) {
		if !e.json {
			fmt.Fprintf(e.stdout, format+"\n", args...)
		}
	}
	add := func(name string, list []site.Finding) {
		for _, f := range list {
			found = append(found, finding{name, f})
			if f.Fault {
				say("fault: %s", f.Text)
			} else {
				say("note: %s", f.Text)
			}
		}
	}
	for _, name := range names {
		if c.Repair {
			notes, failure := s.store.Repair(name, e.now())
			for _, n := range notes {
				say("repaired: %s", n)
			}
			if repaired = append(repaired, notes...); failure != nil {
				return found, repaired, failure
			}
		}
		list, failure := s.store.Check(name)
		if failure != nil {
			return found, repaired, failure
		}
		if add(name, list); len(list) == 0 {
			say("%s: ok", name)
		}
	}
	if len(c.Sites) > 0 {
		return found, repaired, nil
	}
	strangers, err := s.store.Strangers()
	add("", strangers)
	if s.state != nil {
		add("", site.CheckState(s.state, s.store))
	}
	if len(names)+len(strangers) == 0 {
		say("there are no sites in %s", s.name)
	}
	return found, repaired, err
}
