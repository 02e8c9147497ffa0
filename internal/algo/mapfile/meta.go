package mapfile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"sarathi/internal/geom"
)

// Mode says how grey values become occupancy; see the package comment.
type Mode string

// The modes of Nav2's map server.
const (
	Trinary Mode = "trinary"
	Scale   Mode = "scale"
	Raw     Mode = "raw"
)

// maxMeta bounds the YAML file [bytes]; real ones have a few hundred, and the parser takes quadratic time on nested brackets.
const maxMeta = 16 << 10

// Meta is the content of the YAML file.
type Meta struct {
	Image          string     // path of the image as written: absolute, or relative to the YAML file
	Mode           Mode       // trinary unless given
	Resolution     float64    // edge of a cell [m]
	Origin         geom.Pose2 // pose of the lower left corner of the image in the map frame
	Negate         bool       // white is occupied
	OccupiedThresh float64    // p at and above which a cell is occupied
	FreeThresh     float64    // p at and below which a cell is free
	Warnings       []string   // oddities that were accepted, each with file and line
	ImageLine      int        // line of `image` in the YAML file, 1-based, for messages
}

// ParseMeta reads the YAML file; name is used in messages only. All faults are reported at once, each as an [*Error].
// Unknown keys are ignored, as Nav2 does.
func ParseMeta(name string, data []byte) (Meta, error) {
	p := metaParser{name: name}
	p.fields(data)
	m := Meta{
		Image:          p.text("image", "name the image file"),
		Mode:           p.mode(),
		Resolution:     p.number("resolution"),
		Origin:         p.origin(),
		Negate:         p.negate(),
		OccupiedThresh: p.number("occupied_thresh"),
		FreeThresh:     p.number("free_thresh"),
	}
	if len(p.faults) == 0 {
		p.check(m)
	}
	m.Warnings, m.ImageLine = p.warnings, line(p.values["image"])
	return m, errors.Join(p.faults...)
}

type metaParser struct {
	name     string
	values   map[string]ast.Node // first value of each key; looked up by name, never ranged over
	faults   []error
	warnings []string
}

func (p *metaParser) fault(line int, problem, remedy string) {
	p.faults = append(p.faults, &Error{File: p.name, Line: line, Problem: problem, Remedy: remedy})
}

// fields parses the document into its top-level keys. When that fails, the one fault found says all, and the getters stay quiet.
func (p *metaParser) fields(data []byte) {
	if len(data) > maxMeta {
		p.fault(0, fmt.Sprintf("%d bytes are too many for a map description", len(data)), "give the map's YAML file, not its image")
		return
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		at, why := syntax(err)
		p.faults = append(p.faults, &Error{
			File: p.name, Line: at, Problem: "not a YAML file", Err: why, Remedy: "write `key: value` lines as map_server does",
		})
		return
	}
	for _, doc := range file.Docs {
		if m, ok := doc.Body.(ast.MapNode); ok {
			p.values = make(map[string]ast.Node)
			for it := m.MapRange(); it.Next(); {
				key := it.Key().GetToken().Value
				if _, twice := p.values[key]; !twice {
					p.values[key] = it.Value()
				}
			}
			return
		}
	}
	p.fault(1, "holds no map description", "write `key: value` lines as map_server does")
}

// value finds a key; it complains when the key is required and missing.
func (p *metaParser) value(key, remedy string) (ast.Node, bool) {
	v, ok := p.values[key]
	if !ok && p.values != nil && remedy != "" {
		p.fault(0, "key `"+key+"` is missing", remedy)
	}
	return v, ok
}

func (p *metaParser) text(key, remedy string) string {
	v, ok := p.value(key, remedy)
	if !ok {
		return ""
	}
	s, ok := scalar(v)
	if !ok || s == "" {
		p.fault(line(v), "`"+key+"` is not a name", remedy)
	}
	return s
}

func (p *metaParser) number(key string) float64 {
	v, ok := p.value(key, "add it, map_server needs it")
	if !ok {
		return 0
	}
	s, _ := scalar(v)
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !geom.Finite(f) {
		p.fault(line(v), fmt.Sprintf("`%s` is %q", key, s), "give a finite number")
	}
	return f
}

func (p *metaParser) mode() Mode {
	v, ok := p.value("mode", "")
	if !ok {
		return Trinary
	}
	s, _ := scalar(v)
	switch m := Mode(s); m {
	case Trinary, Scale, Raw:
		return m
	}
	p.fault(line(v), fmt.Sprintf("`mode` is %q", s), "choose trinary, scale or raw")
	return Trinary
}

func (p *metaParser) negate() bool {
	v, ok := p.value("negate", "add `negate: 0`")
	if !ok {
		return false
	}
	s, _ := scalar(v)
	if n, err := strconv.Atoi(s); err == nil {
		return n != 0
	}
	switch strings.ToLower(s) { // the words yaml-cpp takes for a bool
	case "true", "yes", "on", "y":
		return true
	case "false", "no", "off", "n":
		return false
	}
	p.fault(line(v), fmt.Sprintf("`negate` is %q", s), "choose 0 or 1")
	return false
}

func (p *metaParser) origin() geom.Pose2 {
	const remedy = "give [x, y, yaw] of the image's lower left corner in metres and radians"
	v, ok := p.value("origin", remedy)
	if !ok {
		return geom.Pose2{}
	}
	list, ok := v.(*ast.SequenceNode)
	if !ok || len(list.Values) != 3 {
		n := 0
		if ok {
			n = len(list.Values)
		}
		p.fault(line(v), fmt.Sprintf("`origin` has %d numbers in place of 3", n), remedy)
		return geom.Pose2{}
	}
	var xyt [3]float64
	for i, e := range list.Values {
		s, _ := scalar(e)
		f, err := strconv.ParseFloat(s, 64)
		switch {
		case i == 2 && isNaN(s):
			// Old map savers write -nan for a yaw they did not know (ros-planning/navigation issue 993).
			p.warnings = append(p.warnings, fmt.Sprintf("%s:%d: yaw of `origin` is %s, taken as 0", p.name, line(e), s))
		case err != nil || !geom.Finite(f):
			p.fault(line(e), fmt.Sprintf("number %d of `origin` is %q", i+1, s), remedy)
		default:
			xyt[i] = f
		}
	}
	return geom.Pose2{X: xyt[0], Y: xyt[1], Theta: geom.NormalizeAngle(xyt[2])}
}

// check looks at values that are well-formed one by one.
func (p *metaParser) check(m Meta) {
	if !(m.Resolution > 0) {
		p.fault(line(p.values["resolution"]), fmt.Sprintf("`resolution` is %g", m.Resolution), "give the edge of a cell in metres, above 0")
	}
	if m.OccupiedThresh < m.FreeThresh && m.Mode != Raw {
		p.fault(line(p.values["occupied_thresh"]),
			fmt.Sprintf("`occupied_thresh` %g is below `free_thresh` %g, so that walls would be read as free", m.OccupiedThresh, m.FreeThresh),
			"swap the two")
	}
}

func scalar(n ast.Node) (string, bool) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NanNode, *ast.InfinityNode:
		return strings.TrimSpace(n.GetToken().Value), true
	}
	return "", false
}

func line(n ast.Node) int {
	if n == nil {
		return 0
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}

func isNaN(s string) bool {
	return strings.EqualFold(strings.TrimLeft(s, "+-."), "nan")
}

// syntax takes the line and the reason out of what the YAML parser says, which appends an excerpt of the source.
func syntax(err error) (line int, why error) {
	if e, ok := errors.AsType[*yaml.SyntaxError](err); ok && e.Token != nil && e.Token.Position != nil {
		return e.Token.Position.Line, errors.New(e.Message)
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return 0, errors.New(text)
}
