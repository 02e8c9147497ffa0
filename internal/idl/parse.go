package idl

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits of one definition text. They bound what a network client can make us hold.
const (
	maxText     = 1 << 20 // bytes of one text
	maxLine     = 1 << 14 // bytes of one line
	maxMembers  = 4096    // fields and constants of one text
	maxArrayLen = 1 << 20 // N of T[N]
	maxErrors   = 20      // reported at once
)

// ParseError is one fault in a definition text.
type ParseError struct {
	Path string
	Line int // 1-based, 0 when the fault concerns the whole text
	What string
}

// Error returns "path:line: what".
func (e *ParseError) Error() string {
	if e.Line == 0 {
		return e.Path + ": " + e.What
	}
	return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.What)
}

// Source is a definition text and what is known about it before parsing.
type Source struct {
	Dialect Dialect
	Package string // ROS package that relative type names refer to
	Kind    string // "msg", "srv" or "action"
	Name    string // without package and extension
	Path    string // for error messages
	Text    string
}

// sectionSuffixes returns the names that ROS 2 gives to the sections of a kind.
func sectionSuffixes(kind string) []string {
	switch kind {
	case "msg":
		return []string{""}
	case "srv":
		return []string{"_Request", "_Response"}
	case "action":
		return []string{"_Goal", "_Result", "_Feedback"}
	}
	return nil
}

// Parse reads one file: it returns one definition for a msg, two for a srv (request, response) and
// three for an action (goal, result, feedback). The error joins a [ParseError] for each faulty line.
func Parse(src Source) ([]*Definition, error) {
	p := &parser{src: src}
	suffixes := sectionSuffixes(src.Kind)
	switch {
	case suffixes == nil:
		p.fail(0, "unknown kind %q: use msg, srv or action", src.Kind)
	case len(src.Text) > maxText:
		p.fail(0, "text of %d bytes is longer than %d: split the definition", len(src.Text), maxText)
	case !utf8.ValidString(src.Text) || strings.ContainsRune(src.Text, 0):
		p.fail(0, "the text is not UTF-8 without zero bytes: save it as UTF-8")
	case !isIdentifier(src.Package):
		p.fail(0, "package name %q: use letters, digits and underscores, a letter first", src.Package)
	case !isIdentifier(src.Name):
		p.fail(0, "type name %q: use letters, digits and underscores, a letter first", src.Name)
	}
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	defs := p.sections(suffixes)
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	return defs, nil
}

// parser holds the state of one Parse call.
type parser struct {
	src     Source
	errs    []error
	members int

	def     *Definition // section being read
	names   map[string]int
	pending []string // comment lines that belong to the next member
	atTop   bool     // nothing but comments so far in the section
}

func (p *parser) fail(line int, format string, args ...any) {
	if len(p.errs) < maxErrors {
		p.errs = append(p.errs, &ParseError{Path: p.src.Path, Line: line, What: fmt.Sprintf(format, args...)})
	}
}

// sections splits the text at "---" lines and reads each part.
func (p *parser) sections(suffixes []string) []*Definition {
	var defs []*Definition
	begin := func() {
		suffix := ""
		if len(defs) < len(suffixes) {
			suffix = suffixes[len(defs)]
		}
		p.def = &Definition{
			Package: p.src.Package, Kind: p.src.Kind, Name: p.src.Name + suffix, Path: p.src.Path, Dialect: p.src.Dialect,
		}
		p.names, p.pending, p.atTop = map[string]int{}, nil, true
		defs = append(defs, p.def)
	}
	begin()
	var text strings.Builder
	n := 0
	for line := range strings.Lines(p.src.Text) {
		n++
		if strings.TrimSpace(line) == "---" {
			p.def.Text = text.String()
			text.Reset()
			if len(defs) == len(suffixes) {
				p.fail(n, "too many sections: a %s has %d, separated by ---", p.src.Kind, len(suffixes))
				return nil
			}
			begin()
			continue
		}
		text.WriteString(line)
		p.line(n, strings.TrimRight(line, "\r\n"))
	}
	p.def.Text = text.String()
	if len(defs) < len(suffixes) {
		p.fail(n, "%d of %d sections: a %s needs %d lines ---", len(defs), len(suffixes), p.src.Kind, len(suffixes)-1)
	}
	return defs
}

// line reads one line of a section.
func (p *parser) line(n int, line string) {
	trimmed := strings.TrimSpace(line)
	switch {
	case len(line) > maxLine:
		p.fail(n, "line of %d bytes is longer than %d: shorten it", len(line), maxLine)
		return
	case trimmed == "":
		if p.atTop && p.def.Doc == "" {
			p.def.Doc = strings.TrimSpace(strings.Join(p.pending, "\n"))
		}
		p.pending = nil
		return
	case trimmed[0] == '#':
		p.pending = append(p.pending, strings.TrimPrefix(strings.TrimLeft(trimmed, "#"), " "))
		return
	}
	parts, what := splitMember(p.src.Dialect, trimmed)
	if what != "" {
		p.fail(n, "%s", what)
		return
	}
	if p.members++; p.members > maxMembers {
		p.fail(n, "more than %d fields and constants: split the definition", maxMembers)
		return
	}
	p.atTop = false
	comment := p.pending
	if parts.comment != "" {
		comment = append(comment, parts.comment)
	}
	p.pending = nil
	p.member(n, parts, parseComment(comment))
}

// member checks one field or constant and stores it.
func (p *parser) member(n int, parts memberParts, comment Comment) {
	typ, what := parseFieldType(p.src.Dialect, p.src.Package, parts.typ)
	if what != "" {
		p.fail(n, "%s", what)
		return
	}
	if first, dup := p.names[parts.name]; dup {
		p.fail(n, "name %q is already used on line %d: rename one of them", parts.name, first)
		return
	}
	p.names[parts.name] = n
	if parts.constant {
		if !typ.Primitive() || typ.Array != Scalar {
			p.fail(n, "constant %s has type %s: constants are scalar primitives", parts.name, parts.typ)
			return
		}
		var value string
		if value, what = parseScalar(p.src.Dialect, typ, parts.value); what != "" {
			p.fail(n, "constant %s: %s", parts.name, what)
			return
		}
		p.def.Constants = append(p.def.Constants,
			Constant{Type: typ, Name: parts.name, Value: value, Text: parts.value, Comment: comment, Line: n})
		return
	}
	field := Field{Type: typ, Name: parts.name, Comment: comment, Line: n}
	if parts.value != "" {
		if field.Default, what = parseDefault(p.src.Dialect, typ, parts.value); what != "" {
			p.fail(n, "default of %s: %s", parts.name, what)
			return
		}
	}
	p.def.Fields = append(p.def.Fields, field)
}
