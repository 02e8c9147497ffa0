package site

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"sarathi/internal/geom"
)

// Route reads a taught route. file is relative to the sites folder, as [Store.Routes] gives it: <site>/routes/<date>_<time>.csv.
func (s *Store) Route(file string) ([]byte, error) {
	if err := checkRoute(file); err != nil {
		return nil, err
	}
	data, err := s.fs.Read(file, maxRoute)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no route %s", file)
	}
	if err != nil {
		return nil, fmt.Errorf("route %s: %w", file, err)
	}
	return data, nil
}

// SaveRoute writes a taught route; a file of that name is replaced, without .bak: a route grows while it is taught.
func (s *Store) SaveRoute(file string, data []byte) error {
	if err := checkRoute(file); err != nil {
		return err
	}
	site, dir := path.Dir(path.Dir(file)), path.Dir(file)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.exists(site); err != nil {
		return err
	}
	if err := errors.Join(s.fs.MakeFolder(dir), s.fs.Sync(site)); err != nil {
		return fmt.Errorf("save %s: %w", file, err)
	}
	if err := s.write(file, data); err != nil {
		return err
	}
	if err := s.fs.Sync(dir); err != nil {
		return fmt.Errorf("save %s: %w", file, err)
	}
	return nil
}

// checkRoute refuses what is not the file of a route inside of a site.
func checkRoute(file string) error {
	parts := strings.Split(file, "/")
	if len(parts) == 3 && ValidName(parts[0]) && parts[1] == routesDir && path.Ext(file) == ".csv" && !strings.HasPrefix(parts[2], ".") && fs.ValidPath(file) {
		return nil
	}
	return fmt.Errorf("%q is no route of a site: give <site>/%s/<name>.csv", file, routesDir)
}

// parseRoute reads the points of a taught route: lines of x, y [m], yaw_deg and dwell_sec, with or without a head.
func parseRoute(name string, data []byte) ([]geom.Vec2, error) {
	var out []geom.Vec2
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
		if text == "" || line == 1 && strings.HasPrefix(text, "x") {
			continue
		}
		fields := strings.Split(text, ",")
		if len(fields) != 4 {
			return nil, fmt.Errorf("%s:%d: has %d values in place of x, y, yaw_deg, dwell_sec", name, line, len(fields))
		}
		var v [4]float64
		for i, f := range fields {
			var err error
			if v[i], err = strconv.ParseFloat(strings.TrimSpace(f), 64); err != nil || !geom.Finite(v[i]) {
				return nil, fmt.Errorf("%s:%d: %q is no finite number", name, line, strings.TrimSpace(f))
			}
		}
		if v[3] < 0 {
			return nil, fmt.Errorf("%s:%d: dwells for %g s", name, line, v[3])
		}
		out = append(out, geom.Vec2{X: v[0], Y: v[1]})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: the route has no points", name)
	}
	return out, nil
}
