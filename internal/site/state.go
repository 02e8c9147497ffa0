package site

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
)

// The files of the state folder (specification 002, "Sites").
const (
	activeFile    = "site"
	lastRouteFile = "last_route"
)

// State remembers between runs which site is active and which route was loaded last. Use [NewState]. Any goroutine may use it.
type State struct {
	store Store
	mu    sync.Mutex
}

// NewState returns what a state folder remembers.
func NewState(folder FS) *State { return &State{store: Store{fs: folder}} }

// Active returns the active site; "": none.
func (s *State) Active() (string, error) {
	name, err := s.get(activeFile)
	if err != nil || name == "" {
		return "", err
	}
	if err := checkName("site", name); err != nil {
		return "", fmt.Errorf("the state folder's file %s: %w", activeFile, err)
	}
	return name, nil
}

// SetActive remembers the active site; "": none.
func (s *State) SetActive(site string) error {
	if site != "" {
		if err := checkName("site", site); err != nil {
			return err
		}
	}
	return s.set(activeFile, site)
}

// LastRoute returns the route loaded last, relative to the sites folder; "": none.
func (s *State) LastRoute() (string, error) {
	route, err := s.get(lastRouteFile)
	if err == nil && route != "" && !fs.ValidPath(route) {
		return "", fmt.Errorf("the state folder's file %s: %q is no route inside the sites folder", lastRouteFile, route)
	}
	return route, err
}

// SetLastRoute remembers the route loaded last; "": none.
func (s *State) SetLastRoute(route string) error {
	if route != "" && (!fs.ValidPath(route) || strings.ContainsAny(route, "\r\n")) {
		return fmt.Errorf("%q is no route inside the sites folder", route)
	}
	return s.set(lastRouteFile, route)
}

func (s *State) get(name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, err := s.store.fs.Read(name, maxShort)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("the state folder: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}

func (s *State) set(name, value string) error {
	was, err := s.get(name)
	if err == nil && was == value {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.store.write(name, []byte(value+"\n")); err != nil {
		return err
	}
	if err := s.store.fs.Sync("."); err != nil {
		return fmt.Errorf("save %s: %w", name, err)
	}
	return nil
}
