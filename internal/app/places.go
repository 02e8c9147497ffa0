package app

import (
	"errors"
	"fmt"
	"time"

	"sarathi/internal/site"
)

// places is what a robot remembers of where it works: its sites, and which of them is active.
type places struct {
	sites    *site.Store
	sitesDir string // where they lie
	state    *site.State
	zone     *time.Location // of what people name by the time
}

// openPlaces opens the folders of a robot. Until they are closed nobody repairs its sites.
func openPlaces(sitesDir, stateDir string) (places, func() error, error) {
	sites, err := site.OpenFolder(sitesDir)
	if err != nil {
		return places{}, nil, fmt.Errorf("sites.dir: %w", err)
	}
	if err = sites.Use(); err != nil {
		return places{}, nil, errors.Join(fmt.Errorf("sites.dir: %w", err), sites.Close())
	}
	state, err := site.OpenFolder(stateDir)
	if err != nil {
		return places{}, nil, errors.Join(fmt.Errorf("state.dir: %w", err), sites.Close())
	}
	done := func() error { return errors.Join(sites.Close(), state.Close()) }
	return places{site.NewStore(sites), sitesDir, site.NewState(state), time.Local}, done, nil
}

// newPlaces are those of a simulation: it finds nothing and leaves nothing behind.
func newPlaces() places {
	return places{site.NewStore(site.NewMemory()), "/sites", site.NewState(site.NewMemory()), time.UTC}
}
