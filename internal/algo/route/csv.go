package route

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"sarathi/internal/geom"
)

// ErrFormat is what errors about a file's contents wrap.
var ErrFormat = errors.New("not a route")

// Limits of what is read.
const (
	MaxPoints = 200_000
	MaxDwell  = 3600 // [s]
	maxCoord  = 1e5  // [m]

	shownFaults = 10 // rows that one error names
)

// Point is a point of a route. More than 0 s of Dwell makes it a stop point, where the robot turns to Yaw and waits.
type Point struct {
	X, Y, Yaw float64 // [m, rad] in the map frame
	Dwell     float64 // [s]
}

// Stop reports whether the robot stops here.
func (p Point) Stop() bool { return p.Dwell > 0 }

// Position is where it is.
func (p Point) Position() geom.Vec2 { return geom.Vec2{X: p.X, Y: p.Y} }

// Pose is where it is, with its heading.
func (p Point) Pose() geom.Pose2 { return geom.Pose2{X: p.X, Y: p.Y, Theta: p.Yaw} }

// columns says in which field of a row something stands; -1: nowhere.
type columns struct{ x, y, yawDeg, yawRad, dwell int }

// Parse reads a CSV file. The error names the rows that are wrong, by their line.
func Parse(data []byte) ([]Point, error) {
	c := columns{0, 1, 2, -1, 3}
	var out []Point
	var faults []error
	headed, first := true, true // whether the file has headings, whether the next row is the first
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for line := 1; len(data) > 0; line++ {
		var text []byte
		text, data, _ = bytes.Cut(data, []byte("\n"))
		row := strings.TrimSpace(string(text))
		if row == "" || row[0] == '#' {
			continue
		}
		fields := strings.Split(row, ",")
		if first {
			first = false
			if head, ok := parseHead(fields); ok {
				if head.x < 0 || head.y < 0 {
					return nil, fault(line, "the head names no x and y", "write x,y,yaw_deg,dwell_sec")
				}
				c = head
				headed = c.yawDeg >= 0 || c.yawRad >= 0
				continue
			}
			headed = len(fields) > 2
		}
		if len(out) == MaxPoints {
			return nil, fault(line, "too many points", fmt.Sprintf("the limit is %d", MaxPoints))
		}
		p, err := c.parse(line, fields)
		if err != nil {
			if faults = append(faults, err); len(faults) == shownFaults {
				break
			}
			continue
		}
		out = append(out, p)
	}
	switch {
	case len(faults) > 0:
		return nil, errors.Join(faults...)
	case len(out) == 0:
		return nil, fmt.Errorf("%w: there is no point in it", ErrFormat)
	}
	if !headed {
		head(out)
	}
	return out, nil
}

// parseHead reads the names of columns; a row with a number in front is no head.
func parseHead(fields []string) (columns, bool) {
	if _, err := strconv.ParseFloat(strings.TrimSpace(fields[0]), 64); err == nil {
		return columns{}, false
	}
	c := columns{-1, -1, -1, -1, -1}
	known := false
	for i, f := range fields {
		place := map[string]*int{"x": &c.x, "y": &c.y, "yaw_deg": &c.yawDeg, "yaw_rad": &c.yawRad, "dwell_sec": &c.dwell, "dwell": &c.dwell}
		if at, ok := place[strings.ToLower(strings.TrimSpace(f))]; ok {
			*at, known = i, true
		}
	}
	return c, known
}

func (c columns) parse(line int, fields []string) (Point, error) {
	var p Point
	for _, v := range []struct {
		name     string
		at       int
		to       *float64
		needed   bool
		min, max float64
		scale    float64
	}{
		{"x", c.x, &p.X, true, -maxCoord, maxCoord, 1},
		{"y", c.y, &p.Y, true, -maxCoord, maxCoord, 1},
		{"yaw_deg", c.yawDeg, &p.Yaw, false, -1e6, 1e6, math.Pi / 180},
		{"yaw_rad", c.yawRad, &p.Yaw, false, -1e6, 1e6, 1},
		{"dwell_sec", c.dwell, &p.Dwell, false, 0, MaxDwell, 1},
	} {
		if v.at < 0 || v.at >= len(fields) || !v.needed && strings.TrimSpace(fields[v.at]) == "" {
			if v.needed {
				return Point{}, fault(line, v.name+" is missing", "a row is x,y,yaw_deg,dwell_sec")
			}
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(fields[v.at]), 64)
		if err != nil || !(n >= v.min && n <= v.max) {
			return Point{}, fault(line, fmt.Sprintf("%s is %q", v.name, clip(fields[v.at])), fmt.Sprintf("write a number from %g to %g", v.min, v.max))
		}
		*v.to = n * v.scale
	}
	p.Yaw = geom.NormalizeAngle(p.Yaw)
	return p, nil
}

// head gives points without headings that of the way to the next one.
func head(points []Point) {
	for i := range points {
		to := min(i+1, len(points)-1)
		if d := points[to].Position().Sub(points[max(to-1, 0)].Position()); d.Norm() > 0 {
			points[i].Yaw = d.Angle()
		} else if i > 0 {
			points[i].Yaw = points[i-1].Yaw
		}
	}
}

// Header is the first line of every file that is written.
const Header = "x,y,yaw_deg,dwell_sec\n"

// AppendRow appends a point's row to dst.
func AppendRow(dst []byte, p Point) []byte {
	return fmt.Appendf(dst, "%.4f,%.4f,%.2f,%.2f\n", p.X, p.Y, p.Yaw*180/math.Pi, p.Dwell)
}

// Format writes a file.
func Format(points []Point) []byte {
	out := []byte(Header)
	for _, p := range points {
		out = AppendRow(out, p)
	}
	return out
}

// fault names the line, what is wrong there and what to do.
func fault(line int, problem, remedy string) error {
	return fmt.Errorf("%w: line %d: %s: %s", ErrFormat, line, problem, remedy)
}

// clip shortens what is quoted in an error.
func clip(text string) string {
	const most = 40
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
