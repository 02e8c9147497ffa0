package idl

import (
	"crypto/md5" //nolint:gosec // ROS 1 identifies types by md5; it protects nothing
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// maxDepth bounds how deep definitions nest. The standard packages reach 6.
const maxDepth = 32

// DefinitionSeparator stands between the definitions of a full text; the name of the
// dependency and a newline follow it.
const DefinitionSeparator = "\n" + "================================================================================" + "\nMSG: "

// Set is a closed collection of definitions of one dialect: every type that a field names is a member.
type Set struct {
	defs map[string]*Definition // by FullName
}

// NewSet collects definitions and checks that all types they name exist and that none holds itself.
func NewSet(defs []*Definition) (*Set, error) {
	s := &Set{defs: make(map[string]*Definition, len(defs))}
	var errs []error
	for _, d := range defs {
		if other, dup := s.defs[d.FullName()]; dup {
			errs = append(errs, &ParseError{Path: d.Path, What: fmt.Sprintf("type %s is already defined in %s: remove one", d.FullName(), other.Path)})
			continue
		}
		s.defs[d.FullName()] = d
	}
	for _, d := range defs {
		for _, f := range d.Fields {
			if !f.Type.Primitive() && s.defs[f.Type.FullName()] == nil {
				errs = append(errs, &ParseError{Path: d.Path, Line: f.Line, What: fmt.Sprintf("field %s has unknown type %s: add its definition or correct the name", f.Name, f.Type.FullName())})
			}
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	c := cycleCheck{set: s, depth: map[*Definition]int{}}
	for _, d := range defs {
		if _, err := c.visit(d); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Lookup returns the definition named "pkg/Name".
func (s *Set) Lookup(fullName string) (*Definition, bool) {
	d, ok := s.defs[fullName]
	return d, ok
}

// cycleCheck finds definitions that hold themselves or nest too deep. Each is visited once.
type cycleCheck struct {
	set   *Set
	depth map[*Definition]int // levels below; -1 while being visited
}

// visit returns how many levels of definitions are below d.
func (c *cycleCheck) visit(d *Definition) (int, error) {
	if n, seen := c.depth[d]; seen {
		if n < 0 {
			return 0, &ParseError{Path: d.Path, What: fmt.Sprintf("type %s holds itself: remove one of the fields of the cycle", d.FullName())}
		}
		return n, nil
	}
	c.depth[d] = -1
	below := 0
	for _, f := range d.Fields {
		if f.Type.Primitive() {
			continue
		}
		n, err := c.visit(c.set.defs[f.Type.FullName()])
		if err != nil {
			return 0, err
		}
		if below = max(below, n+1); below > maxDepth {
			return 0, &ParseError{Path: d.Path, Line: f.Line, What: fmt.Sprintf("definitions nest deeper than %d: flatten them", maxDepth)}
		}
	}
	c.depth[d] = below
	return below, nil
}

// Dependencies returns all definitions that d needs, itself excluded, each once, in the order of first use (depth first).
func (s *Set) Dependencies(d *Definition) []*Definition {
	seen := map[*Definition]bool{d: true}
	var deps []*Definition
	var walk func(*Definition)
	walk = func(d *Definition) {
		for _, f := range d.Fields {
			if f.Type.Primitive() {
				continue
			}
			dep := s.defs[f.Type.FullName()]
			if !seen[dep] {
				seen[dep] = true
				deps = append(deps, dep)
				walk(dep)
			}
		}
	}
	walk(d)
	return deps
}

// FullText returns the text of d followed by the texts of its dependencies.
func (s *Set) FullText(d *Definition) string {
	var b strings.Builder
	b.WriteString(d.Text)
	for _, dep := range s.Dependencies(d) {
		b.WriteString(DefinitionSeparator + dep.FullName() + "\n" + dep.Text)
	}
	return b.String()
}

// MD5 returns the ROS 1 sum of a definition, or of a service when its request and response are given.
// The set must hold the ROS 1 flavour.
func (s *Set) MD5(sections ...*Definition) string {
	sums := map[*Definition]string{}
	var text strings.Builder
	for _, d := range sections {
		text.WriteString(s.md5Text(d, sums))
	}
	return md5Hex(text.String())
}

// md5Text is what the sum of d covers (genmsg, compute_md5_text): constants, then fields, in file order, comments
// removed, one a line; a field of another message has that message's sum in place of type and array suffix.
func (s *Set) md5Text(d *Definition, sums map[*Definition]string) string {
	var lines []string
	for _, c := range d.Constants {
		lines = append(lines, c.Type.Name+" "+c.Name+"="+c.Text)
	}
	for _, f := range d.Fields {
		if f.Type.Primitive() {
			lines = append(lines, f.Type.Name+arraySuffix(f.Type)+" "+f.Name)
			continue
		}
		dep := s.defs[f.Type.FullName()]
		sum, ok := sums[dep]
		if !ok {
			sum = md5Hex(s.md5Text(dep, sums))
			sums[dep] = sum
		}
		lines = append(lines, sum+" "+f.Name)
	}
	return strings.Join(lines, "\n")
}

func md5Hex(text string) string {
	sum := md5.Sum([]byte(text)) //nolint:gosec // see the import
	return hex.EncodeToString(sum[:])
}

// arraySuffix returns "", "[]" or "[N]" (and "[<=N]" for ROS 2).
func arraySuffix(t FieldType) string {
	switch t.Array {
	case Fixed:
		return fmt.Sprintf("[%d]", t.Len)
	case Unbounded:
		return "[]"
	case Bounded:
		return fmt.Sprintf("[<=%d]", t.Len)
	default:
		return ""
	}
}
