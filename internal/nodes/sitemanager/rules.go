package sitemanager

import "fmt"

// situation is what decides whether an operation may begin.
type situation struct {
	doing     string // the operation that is going on; "": none
	active    string // site; "": none
	mapping   string // site that is mapped; "": none
	localized bool   // on the active site
	mapper    bool   // grid_mapper_node is there
}

// mayLoad says why a site may not be loaded now.
func (s situation) mayLoad() error {
	switch {
	case s.doing != "":
		return fmt.Errorf("%s: try again", s.doing)
	case s.mapping != "":
		return fmt.Errorf("mapping of %s is going on: stop it first (/mapping/stop)", s.mapping)
	}
	return nil
}

// mayMap says why mapping into a site may not begin now. Whether it would go on with a map is asked later, of the disk.
func (s situation) mayMap() error {
	if err := s.mayLoad(); err != nil {
		return err
	}
	if !s.mapper {
		return errNoMapper()
	}
	return nil
}

func errNoMapper() error { return fmt.Errorf("mapping needs grid_mapper_node, which is not running") }

// mayGoOn says why a map that a site has may not be gone on with.
func (s situation) mayGoOn(site string) error {
	if s.active == site && s.localized {
		return nil
	}
	return fmt.Errorf("site %s has a map: load it and localize the robot on it to go on, or start with reset to begin anew", site)
}

// maySave says why there is nothing to save.
func (s situation) maySave() error {
	switch {
	case s.doing != "":
		return fmt.Errorf("%s: try again", s.doing)
	case !s.mapper:
		return errNoMapper()
	case s.active == "":
		return fmt.Errorf("no site is active: start mapping into one (/mapping/start)")
	}
	return nil
}
