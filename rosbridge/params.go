package rosbridge

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
)

// ParamSource gives parameters that live outside the broker, such as those of a robot's nodes. Values are JSON. The broker asks it
// before its own store, from goroutines of its own, and does not wait beyond the end of ctx.
type ParamSource interface {
	// Names lists the parameters, such as "/control_mux:max_speed".
	Names(ctx context.Context) []string
	// Get returns a value. ok is false for a parameter that is not of this source.
	Get(ctx context.Context, name string) (value []byte, ok bool)
	// Set changes a value at its owner. ok is false for a parameter that is not of this source; err says why the owner refused.
	Set(ctx context.Context, name string, value []byte) (ok bool, err error)
}

// paramStore holds the parameters that belong to nobody else. It is safe for concurrent use.
type paramStore struct {
	most int // bytes of all names and values

	mu     sync.Mutex
	values map[string][]byte
	bytes  int
}

func newParamStore(most int) *paramStore {
	return &paramStore{most: most, values: map[string][]byte{}}
}

var errParamsFull = errors.New("the parameter store is full")

func (s *paramStore) get(name string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.values[name]
	return v, ok
}

func (s *paramStore) set(name string, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := len(value) - len(s.values[name])
	if _, known := s.values[name]; !known {
		size += len(name) + messageOverhead
	}
	if s.bytes+size > s.most {
		return errParamsFull
	}
	s.bytes += size
	s.values[name] = slices.Clone(value)
	return nil
}

func (s *paramStore) remove(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.values[name]
	if ok {
		s.bytes -= len(name) + len(v) + messageOverhead
		delete(s.values, name)
	}
	return ok
}

func (s *paramStore) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.values))
}

// search returns the name by which a parameter is found from the namespace ns outward, as ROS 1 does: /a/b/x, /a/x, /x.
func search(ns, name string, exists func(string) bool) string {
	if strings.HasPrefix(name, "/") {
		if exists(name) {
			return name
		}
		return ""
	}
	for {
		if full := ns + "/" + name; exists(full) {
			return full
		}
		if ns == "" {
			return ""
		}
		ns = ns[:strings.LastIndexByte(ns, '/')]
	}
}
