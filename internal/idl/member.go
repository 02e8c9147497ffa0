package idl

import (
	"fmt"
	"strconv"
	"strings"
)

// memberParts is a line of a definition, cut but not interpreted.
type memberParts struct {
	typ      string // such as "float64[<=3]"
	name     string
	constant bool   // "=" follows the name
	value    string // constant or default value as written, without comment
	comment  string // without "#"
}

// splitMember cuts a line that is neither blank nor a comment; what is a fault, or empty.
//
//	type name                 # comment
//	type name default         # comment
//	type NAME = value         # comment
//	string NAME = value to the end of the line (ROS 1: no comment is possible)
func splitMember(d Dialect, line string) (parts memberParts, what string) {
	end := strings.IndexAny(line, " \t")
	if end < 0 {
		return parts, fmt.Sprintf("%q has no name: write a type, a space and a name", line)
	}
	parts.typ = line[:end]
	rest := strings.TrimLeft(line[end:], " \t")
	n := 0
	for n < len(rest) && isNameByte(rest[n]) {
		n++
	}
	parts.name = rest[:n]
	if !isIdentifier(parts.name) {
		return parts, fmt.Sprintf("bad name in %q: names begin with a letter and hold letters, digits and underscores", line)
	}
	separated := n < len(rest) && (rest[n] == ' ' || rest[n] == '\t')
	rest = strings.TrimSpace(rest[n:])
	if strings.HasPrefix(rest, "=") {
		parts.constant = true
		rest = strings.TrimSpace(rest[1:])
		if d == ROS1 && parts.typ == "string" {
			parts.value = rest
			return parts, ""
		}
		if rest == "" || rest[0] == '#' {
			return parts, fmt.Sprintf("constant %s has no value: write one after =", parts.name)
		}
	} else if rest != "" && rest[0] != '#' && !separated {
		return parts, fmt.Sprintf("unexpected %q after the name %s: write a space before a default value", rest, parts.name)
	}
	n = valueEnd(rest)
	parts.value = strings.TrimSpace(rest[:n])
	parts.comment = strings.TrimSpace(strings.TrimLeft(rest[n:], "#"))
	return parts, ""
}

// valueEnd returns where the comment of a value begins: the first # outside quotes.
func valueEnd(s string) int {
	var quote byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '#':
			return i
		case (c == '"' || c == '\'') && opensQuote(s[:i]):
			quote = c
		}
	}
	return len(s)
}

// opensQuote reports whether a quote character after before begins a quoted string: an
// apostrophe inside an unquoted word does not.
func opensQuote(before string) bool {
	before = strings.TrimRight(before, " \t")
	return before == "" || before[len(before)-1] == '[' || before[len(before)-1] == ','
}

func isNameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// isIdentifier reports whether s is a legal name of a package, type, field or constant.
func isIdentifier(s string) bool {
	if s == "" || len(s) > 255 || '0' <= s[0] && s[0] <= '9' || s[0] == '_' {
		return false
	}
	for i := range len(s) {
		if !isNameByte(s[i]) {
			return false
		}
	}
	return true
}

// parseFieldType reads "pkg/Type[<=N]", "string<=N[]" and their like. Relative names are in package pkg.
func parseFieldType(d Dialect, pkg, s string) (t FieldType, what string) {
	elem := s
	if i := strings.IndexByte(s, '['); i >= 0 {
		elem = s[:i]
		if t.Array, t.Len, what = parseArraySuffix(d, s[i:]); what != "" {
			return t, fmt.Sprintf("type %q: %s", s, what)
		}
	}
	if base, bound, ok := strings.Cut(elem, "<="); ok {
		n, err := strconv.Atoi(bound)
		if err != nil || n < 1 || n > maxText || d == ROS1 || base != "string" && base != "wstring" {
			return t, fmt.Sprintf("type %q: only string and wstring take a bound, of 1 to %d, in ROS 2", s, maxText)
		}
		elem, t.StringBound = base, n
	}
	t.Written = elem
	if _, ok := lookupPrimitive(d, elem); ok {
		t.Name = elem
		return t, ""
	}
	parts := strings.Split(elem, "/")
	switch {
	case len(parts) == 1 && elem == "Header":
		t.Package, t.Name = "std_msgs", elem
	case len(parts) == 1:
		t.Package, t.Name = pkg, elem
	case len(parts) == 2:
		t.Package, t.Name = parts[0], parts[1]
	case len(parts) == 3 && parts[1] == "msg":
		t.Package, t.Name = parts[0], parts[2]
	}
	if !isIdentifier(t.Package) || !isIdentifier(t.Name) {
		return t, fmt.Sprintf("type %q is neither a primitive nor Type, package/Type or package/msg/Type", s)
	}
	if len(parts) == 1 && elem[0] >= 'a' && elem[0] <= 'z' {
		return t, fmt.Sprintf("unknown type %q: primitives are bool, byte, char, [u]int8 to [u]int64, float32, float64, string; "+
			"type names begin with a capital", s)
	}
	return t, ""
}

// parseArraySuffix reads "[]", "[N]" and "[<=N]".
func parseArraySuffix(d Dialect, s string) (kind ArrayKind, n int, what string) {
	inner, ok := strings.CutSuffix(s[1:], "]")
	if !ok {
		return 0, 0, "missing ] of the array"
	}
	if inner == "" {
		return Unbounded, 0, ""
	}
	kind = Fixed
	if digits, bounded := strings.CutPrefix(inner, "<="); bounded {
		if d == ROS1 {
			return 0, 0, "ROS 1 has no bounded arrays: write []"
		}
		kind, inner = Bounded, digits
	}
	n, err := strconv.Atoi(inner)
	if err != nil || n < 1 || n > maxArrayLen {
		return 0, 0, fmt.Sprintf("array length %q: write a number from 1 to %d", inner, maxArrayLen)
	}
	return kind, n, ""
}
