package site

import (
	"fmt"
	"strconv"
	"strings"

	"sarathi/internal/geom"
)

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
