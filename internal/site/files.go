package site

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"sarathi/internal/geom"
)

// The files of a site.
const (
	mapFile   = "map.yaml"
	imageFile = "map.pgm"
	graphFile = "map.sarathi"
	tagsFile  = "tags.json"
	poisFile  = "pois.json"
	toursFile = "tours.json"
	routesDir = "routes"
	bakSuffix = ".bak"
)

// The most bytes that are read of a file.
const (
	maxJSON  = 16 << 20
	maxImage = 256 << 20
	maxGraph = 1 << 30
	maxRoute = 16 << 20
	maxShort = 4 << 10
)

// Tag is an AprilTag of a site: its pose in map.
type Tag struct {
	Frame string // its name, such as base_map
	Pose  geom.Transform
}

type tagJSON struct {
	X  float64 `json:"x"`
	Y  float64 `json:"y"`
	Z  float64 `json:"z"`
	QX float64 `json:"qx"`
	QY float64 `json:"qy"`
	QZ float64 `json:"qz"`
	QW float64 `json:"qw"`
}

type (
	poisJSON struct {
		Pois *[]POI `json:"pois"`
	}
	toursJSON struct {
		Tours *[]Tour `json:"tours"`
	}
)

func encodePOIs(pois []POI) []byte {
	if pois == nil {
		pois = []POI{}
	}
	return indented(map[string]any{"pois": pois})
}

func encodeTours(tours []Tour) []byte {
	out := make([]Tour, len(tours))
	for i, t := range tours {
		if out[i] = t; t.POIIDs == nil {
			out[i].POIIDs = []string{}
		}
	}
	return indented(map[string]any{"tours": out})
}

func encodeTags(tags []Tag) []byte {
	out := make(map[string]tagJSON, len(tags))
	for _, t := range tags {
		p, q := t.Pose.T, t.Pose.R
		out[t.Frame] = tagJSON{X: p.X, Y: p.Y, Z: p.Z, QX: q.X, QY: q.Y, QZ: q.Z, QW: q.W}
	}
	return indented(out)
}

// indented is JSON for people to read, which is the same for the same value.
func indented(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("site: %v", err)) // only finite numbers and texts get here
	}
	return b.Bytes()
}

func decodePOIs(name string, data []byte) ([]POI, error) {
	var doc poisJSON
	if err := decodeJSON(name, data, &doc); err != nil {
		return nil, err
	}
	if doc.Pois == nil {
		return nil, fmt.Errorf(`%s:1: has no list "pois"`, name)
	}
	return *doc.Pois, nil
}

func decodeTours(name string, data []byte) ([]Tour, error) {
	var doc toursJSON
	if err := decodeJSON(name, data, &doc); err != nil {
		return nil, err
	}
	if doc.Tours == nil {
		return nil, fmt.Errorf(`%s:1: has no list "tours"`, name)
	}
	return *doc.Tours, nil
}

// decodeTags reads tags in the order of their names. One without a usable pose is left out, and told of.
func decodeTags(name string, data []byte) (tags []Tag, notes []string, err error) {
	var doc map[string]tagJSON
	if err := decodeJSON(name, data, &doc); err != nil {
		return nil, nil, err
	}
	frames := make([]string, 0, len(doc))
	for f := range doc {
		frames = append(frames, f)
	}
	slices.Sort(frames)
	for _, f := range frames {
		t := doc[f]
		norm := math.Sqrt(t.QX*t.QX + t.QY*t.QY + t.QZ*t.QZ + t.QW*t.QW)
		if f == "" || !geom.Finite(t.X, t.Y, t.Z, norm) || norm < 0.5 || norm > 2 {
			notes = append(notes, fmt.Sprintf("%s: tag %q is left out: its pose is no pose", name, f))
			continue
		}
		tags = append(tags, Tag{Frame: f, Pose: geom.Transform{
			R: geom.Quat{X: t.QX / norm, Y: t.QY / norm, Z: t.QZ / norm, W: t.QW / norm},
			T: geom.Vec3{X: t.X, Y: t.Y, Z: t.Z},
		}})
	}
	return tags, notes, nil
}

// decodeJSON reads one JSON document; a fault is told with file and line.
func decodeJSON(name string, data []byte, into any) error {
	err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), into)
	if err == nil {
		return nil
	}
	offset := int64(len(data))
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	text := strings.TrimPrefix(err.Error(), "json: ")
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
		text = fmt.Sprintf("%s is a %s", cmp.Or(kind.Field, "the document"), kind.Value)
	}
	line := 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
	return fmt.Errorf("%s:%d: %s", name, line, text)
}
