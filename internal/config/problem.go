package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrInvalid is matched (errors.Is) by everything that is wrong with what a user wrote: syntax, keys, values, overrides. A program
// that meets it has nothing to repair; it prints the error and ends with exit code 2.
var ErrInvalid = errors.New("invalid configuration")

// A Problem is one fault in a configuration, with the place to go to and the key to change.
type Problem struct {
	File string // the file as it was named to Decode, or the flag: "--set path=value"
	Line int    // in File, from 1; 0 when the fault has no line: a flag, or a default that does not fit what the file says
	Path string // of the key, as in "control.remote_timeout"; empty when the fault is not about one key
	Text string // what is wrong, and what to write instead
}

// Error returns "file:line: path: text", leaving out what is not known.
func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Path != "" && !strings.HasPrefix(p.File, setFlag+p.Path+"=") {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Text)
	return b.String()
}

// Is makes every Problem match ErrInvalid.
func (p *Problem) Is(target error) bool { return target == ErrInvalid }

// A FieldError is what a component's Validate says about one of its fields. Decode finds the line.
type FieldError struct {
	Path string // relative to the component's Config, in YAML keys: "limits[0]", "remote.timeout"
	Text string // what is wrong, and what to write instead
}

// Error returns "path: text".
func (e *FieldError) Error() string {
	if e.Path == "" {
		return e.Text
	}
	return e.Path + ": " + e.Text
}

// Is makes every FieldError match ErrInvalid.
func (e *FieldError) Is(target error) bool { return target == ErrInvalid }

// All returns the problems joined in err, in the order in which Decode reports them.
func All(err error) []*Problem {
	switch e := err.(type) { //nolint:errorlint // walks the tree of errors itself
	case nil:
		return nil
	case *Problem:
		return []*Problem{e}
	case interface{ Unwrap() []error }:
		var out []*Problem
		for _, one := range e.Unwrap() {
			out = append(out, All(one)...)
		}
		return out
	case interface{ Unwrap() error }:
		return All(e.Unwrap())
	default:
		return nil
	}
}

// A place is where a key got its value.
type place struct {
	source int // 0 the file, then one for each override in order
	line   int // 0 for an override
}

// problems collects faults with their order: the file from top to bottom, then the overrides.
type problems struct {
	files []string // by place.source
	list  []located
}

type located struct {
	place
	*Problem
}

func (p *problems) add(at place, path, text string) {
	file := p.files[at.source]
	for _, have := range p.list {
		if have.place == at && have.Path == path && have.Text == text {
			return // a parent that validates its parts repeats what Decode found by itself
		}
	}
	p.list = append(p.list, located{at, &Problem{File: file, Line: at.line, Path: path, Text: text}})
}

// covers reports whether a fault is already known at path or below it, so that a rule about the same key would only repeat it.
func (p *problems) covers(path string) bool {
	return slices.ContainsFunc(p.list, func(l located) bool { return within(l.Path, path) })
}

func (p *problems) err() error {
	slices.SortStableFunc(p.list, func(a, b located) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.line, b.line))
	})
	errs := make([]error, len(p.list))
	for i, l := range p.list {
		errs[i] = l.Problem
	}
	return errors.Join(errs...)
}

// within reports whether path is root or lies below it.
func within(path, root string) bool {
	rest, ok := strings.CutPrefix(path, root)
	return ok && (rest == "" || root == "" || rest[0] == '.' || rest[0] == '[')
}

// parent returns the path one level up: "a.b[2]" → "a.b" → "a" → "".
func parent(path string) string {
	return path[:max(0, strings.LastIndexAny(path, ".["))]
}

// join puts a key below a path.
func join(path, key string) string {
	if path == "" || key == "" || key[0] == '[' {
		return path + key
	}
	return path + "." + key
}
