package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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

// simulatedPlaces are those of a simulation that knows the sites in a folder: it works on copies of them.
func simulatedPlaces(sitesDir, active string) (places, error) {
	folder := site.NewMemory()
	if err := copyInto(folder, os.DirFS(sitesDir)); err != nil {
		return places{}, invalid(fmt.Errorf("world.sites: folder %s: %w", sitesDir, err))
	}
	at := newPlaces()
	at.sites = site.NewStore(folder)
	if active == "" {
		return at, nil
	}
	if _, err := at.sites.Look(active); err != nil {
		return places{}, invalid(fmt.Errorf("world.site: %w", err))
	}
	return at, at.state.SetActive(active)
}

// copyInto copies all folders and files.
func copyInto(to *site.Memory, from fs.FS) error {
	return fs.WalkDir(from, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			return to.MakeFolder(name)
		}
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		file, err := to.Create(name)
		if err != nil {
			return err
		}
		if _, err = file.Write(data); err != nil {
			file.Abort()
			return err
		}
		return file.Commit()
	})
}

// newPlaces are those of a simulation: it finds nothing and leaves nothing behind.
func newPlaces() places {
	return places{site.NewStore(site.NewMemory()), "/sites", site.NewState(site.NewMemory()), time.UTC}
}
