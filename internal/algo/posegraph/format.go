package posegraph

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"

	"sarathi/internal/geom"
)

// The text form of a graph, one item a line, UTF-8, in SI units and with the shortest digits that give the same float64 again:
//
//	sarathi-graph 1
//	node <id> <x> <y> <theta>
//	edge <from> <to> <x> <y> <theta> <xx> <xy> <xθ> <yy> <yθ> <θθ> <kernel> <width> <on|off>
//	end <nodes> <edges> <CRC-32 (IEEE) of all bytes before this line, 8 hex digits>
//
// Nodes come first, by ascending id. The six numbers of an edge are the upper half of its information. What follows the end line is
// not part of the graph.
const (
	magic         = "sarathi-graph"
	formatVersion = 1
)

// ErrFormat is what the errors of [Parse] wrap when the text is no graph.
var ErrFormat = errors.New("not a valid graph file")

// ErrVersion is wrapped when the text is a graph of a later version than this program knows.
var ErrVersion = errors.New("graph file of a later version: use a newer sarathi")

// AppendText appends the text form of the graph to dst. Nodes keep their ids, edges are numbered anew in the same order.
func (g *Graph) AppendText(dst []byte) []byte {
	begin := len(dst)
	dst = fmt.Appendf(dst, "%s %d\n", magic, formatVersion)
	for i := range g.nodes {
		if n := &g.nodes[i]; n.live {
			dst = strconv.AppendInt(append(dst, "node "...), int64(i), 10)
			dst = append(appendFloats(dst, n.pose.X, n.pose.Y, n.pose.Theta), '\n')
		}
	}
	for i := range g.edges {
		e := &g.edges[i]
		if !e.live {
			continue
		}
		dst = strconv.AppendInt(append(dst, "edge "...), int64(e.From), 10)
		dst = strconv.AppendInt(append(dst, ' '), int64(e.To), 10)
		m := &e.Info
		dst = appendFloats(dst, e.Z.X, e.Z.Y, e.Z.Theta, m[0], m[1], m[2], m[4], m[5], m[8])
		dst = append(append(dst, ' '), e.Kernel.Shape.String()...)
		dst = appendFloats(dst, e.Kernel.Width)
		if e.off {
			dst = append(dst, " off\n"...)
		} else {
			dst = append(dst, " on\n"...)
		}
	}
	return fmt.Appendf(dst, "end %d %d %08x\n", g.count, g.edgeCount, crc32.ChecksumIEEE(dst[begin:]))
}

func appendFloats(dst []byte, values ...float64) []byte {
	for _, v := range values {
		dst = strconv.AppendFloat(append(dst, ' '), v, 'g', -1, 64)
	}
	return dst
}

// Parse reads the text form of a graph and returns what follows it. The error wraps ErrFormat or ErrVersion and names the line. Memory
// is bounded by the length of the text and MaxNodes.
func Parse(text []byte) (g *Graph, rest []byte, err error) {
	p := parser{text: text, g: &Graph{}}
	for !p.done {
		if err := p.next(); err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", p.line, err)
		}
	}
	for i, n := range slices.Backward(p.g.nodes) {
		if !n.live {
			p.g.freeNodes = append(p.g.freeNodes, NodeID(i))
		}
	}
	p.g.sys.changed()
	return p.g, text[p.at:], nil
}

type parser struct {
	text []byte
	at   int
	line int
	g    *Graph
	done bool
}

// maxLine is longer than any line that AppendText writes [bytes].
const maxLine = 1024

func (p *parser) next() error {
	p.line++
	begin := p.at
	n := bytes.IndexByte(p.text[begin:min(len(p.text), begin+maxLine)], '\n')
	if n < 0 {
		return fmt.Errorf("%w: the text ends within the graph, or a line is too long", ErrFormat)
	}
	p.at += n + 1
	f := strings.Fields(string(p.text[begin : begin+n]))
	if len(f) == 0 {
		return fmt.Errorf("%w: an empty line", ErrFormat)
	}
	if p.line == 1 {
		return header(f)
	}
	switch f[0] {
	case "node":
		return p.node(f[1:])
	case "edge":
		return p.edge(f[1:])
	case "end":
		p.done = true
		return p.end(f[1:], begin)
	}
	return fmt.Errorf("%w: unknown item %.20q", ErrFormat, f[0])
}

func header(f []string) error {
	if f[0] != magic || len(f) != 2 {
		return fmt.Errorf("%w: it does not begin with %q and a version", ErrFormat, magic)
	}
	switch v, err := strconv.Atoi(f[1]); {
	case err != nil || v < 1:
		return fmt.Errorf("%w: version %.20q", ErrFormat, f[1])
	case v > formatVersion:
		return fmt.Errorf("%w: version %d, known is %d", ErrVersion, v, formatVersion)
	}
	return nil
}

func (p *parser) node(f []string) error {
	if len(f) != 4 {
		return fmt.Errorf("%w: a node has an id and three numbers, not %d fields", ErrFormat, len(f))
	}
	if len(p.g.edges) > 0 {
		return fmt.Errorf("%w: a node after the edges", ErrFormat)
	}
	id, err := nodeID(f[0])
	if err != nil {
		return err
	}
	if int(id) < len(p.g.nodes) {
		return fmt.Errorf("%w: node %d is not above the last one", ErrFormat, id)
	}
	v, err := floats(f[1:])
	if err != nil {
		return err
	}
	pose := geom.Pose2{X: v[0], Y: v[1], Theta: v[2]}
	if !usable(pose) {
		return fmt.Errorf("%w: pose %v is not finite or too far away", ErrFormat, pose)
	}
	for len(p.g.nodes) < int(id) {
		p.g.nodes = append(p.g.nodes, node{})
	}
	pose.Theta = geom.NormalizeAngle(pose.Theta)
	p.g.nodes = append(p.g.nodes, node{pose, true})
	p.g.count++
	return nil
}

func (p *parser) edge(f []string) error {
	const numbers = 9
	if len(f) != 2+numbers+3 {
		return fmt.Errorf("%w: an edge has %d fields, not %d", ErrFormat, 2+numbers+3, len(f))
	}
	var e Edge
	var err error
	if e.From, err = nodeID(f[0]); err != nil {
		return err
	}
	if e.To, err = nodeID(f[1]); err != nil {
		return err
	}
	v, err := floats(append(f[2:2+numbers:2+numbers], f[2+numbers+1]))
	if err != nil {
		return err
	}
	e.Z = geom.Pose2{X: v[0], Y: v[1], Theta: v[2]}
	e.Info = Matrix{v[3], v[4], v[5], v[4], v[6], v[7], v[5], v[7], v[8]}
	e.Kernel.Width = v[numbers]
	if e.Kernel.Shape, err = shapeOf(f[2+numbers]); err != nil {
		return err
	}
	id, err := p.g.AddEdge(e)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	switch state := f[2+numbers+2]; state {
	case "on":
	case "off":
		p.g.Disable(id)
	default:
		return fmt.Errorf("%w: an edge is on or off, not %.20q", ErrFormat, state)
	}
	return nil
}

func (p *parser) end(f []string, begin int) error {
	if len(f) != 3 {
		return fmt.Errorf("%w: the end has three fields, not %d", ErrFormat, len(f))
	}
	if f[0] != strconv.Itoa(p.g.count) || f[1] != strconv.Itoa(p.g.edgeCount) {
		return fmt.Errorf("%w: %d nodes and %d edges were read, the end says %.20q and %.20q", ErrFormat, p.g.count, p.g.edgeCount, f[0], f[1])
	}
	if sum := fmt.Sprintf("%08x", crc32.ChecksumIEEE(p.text[:begin])); f[2] != sum {
		return fmt.Errorf("%w: the checksum is %s, the end says %.20q: the file was changed or damaged", ErrFormat, sum, f[2])
	}
	return nil
}

func nodeID(s string) (NodeID, error) {
	v, err := strconv.ParseUint(s, 10, 31)
	if err != nil || v >= MaxNodes {
		return 0, fmt.Errorf("%w: node id %.20q", ErrFormat, s)
	}
	return NodeID(v), nil
}

func floats(f []string) (v [10]float64, err error) {
	for i, s := range f {
		if v[i], err = strconv.ParseFloat(s, 64); err != nil {
			return v, fmt.Errorf("%w: %.40q is no number", ErrFormat, s)
		}
	}
	return v, nil
}

func shapeOf(s string) (Shape, error) {
	for k := range Shape(shapes) {
		if k.String() == s {
			return k, nil
		}
	}
	return 0, fmt.Errorf("%w: unknown kernel %.20q", ErrFormat, s)
}
