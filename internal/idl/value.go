package idl

import (
	"fmt"
	"strconv"
	"strings"
)

// parseScalar checks the text of a constant or default and returns its canonical form.
func parseScalar(d Dialect, t FieldType, s string) (value, what string) {
	prim, _ := lookupPrimitive(d, t.Name)
	switch prim.class {
	case classBool:
		switch s {
		case "true", "True", "1":
			return "true", ""
		case "false", "False", "0":
			return "false", ""
		}
		return "", fmt.Sprintf("%q is no bool: write true or false", s)
	case classInt:
		return parseInteger(prim, s)
	case classFloat:
		f, err := strconv.ParseFloat(s, prim.bits)
		if err != nil {
			return "", fmt.Sprintf("%q is no %s", s, t.Name)
		}
		return strconv.FormatFloat(f, 'g', -1, prim.bits), ""
	case classString:
		if d == ROS1 {
			return s, ""
		}
		value, what = unquote(s)
		if what == "" && t.StringBound > 0 && len(value) > t.StringBound {
			what = fmt.Sprintf("%q is longer than the bound %d", value, t.StringBound)
		}
		return value, what
	default:
		return "", fmt.Sprintf("type %s cannot have a value: remove it", t.FullName())
	}
}

// parseInteger reads decimal, 0x, 0o and 0b numbers; zeros before a decimal number do not make it octal.
func parseInteger(prim primitive, s string) (value, what string) {
	digits := s
	sign := ""
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		sign, digits = digits[:1], digits[1:]
	}
	base := 0
	if len(digits) > 1 && digits[0] == '0' && '0' <= digits[1] && digits[1] <= '9' {
		base = 10
	}
	var err error
	if prim.signed {
		var v int64
		v, err = strconv.ParseInt(sign+digits, base, prim.bits)
		value = strconv.FormatInt(v, 10)
	} else {
		var v uint64
		v, err = strconv.ParseUint(strings.TrimPrefix(sign, "+")+digits, base, prim.bits)
		value = strconv.FormatUint(v, 10)
	}
	if err != nil {
		return "", fmt.Sprintf("%q is no %s", s, prim.goType)
	}
	return value, ""
}

// unquote decodes a ROS 2 string value: quoted with escapes, or bare words.
func unquote(s string) (value, what string) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return s, ""
	}
	quote := s[0]
	if len(s) < 2 || s[len(s)-1] != quote {
		return "", fmt.Sprintf("%s has no closing %c", s, quote)
	}
	var b strings.Builder
	for body := s[1 : len(s)-1]; body != ""; {
		if body[0] == quote {
			return "", fmt.Sprintf("%s holds a bare %c: write \\%c", s, quote, quote)
		}
		c, multibyte, tail, err := strconv.UnquoteChar(body, quote)
		if err != nil {
			return "", fmt.Sprintf("%s holds a bad escape: write \\\\ for a backslash", s)
		}
		if c < 0x80 || !multibyte {
			b.WriteByte(byte(c))
		} else {
			b.WriteRune(c)
		}
		body = tail
	}
	return b.String(), ""
}

// parseDefault reads the default value of a field: a scalar, or [a, b, …] for arrays.
func parseDefault(d Dialect, t FieldType, s string) (items []string, what string) {
	switch {
	case d == ROS1:
		return nil, "ROS 1 has no default values: remove it"
	case !t.Primitive():
		return nil, "only primitives have default values: remove it"
	case t.Array == Scalar:
		value, what := parseScalar(d, t, s)
		return []string{value}, what
	}
	if len(s) < 2 || s[0] != '[' || s[len(s)-1] != ']' {
		return nil, fmt.Sprintf("%q is no list: write [a, b]", s)
	}
	items = []string{}
	for rest := strings.TrimSpace(s[1 : len(s)-1]); rest != ""; {
		n := itemEnd(rest)
		value, what := parseScalar(d, t, strings.TrimSpace(rest[:n]))
		if what != "" {
			return nil, what
		}
		items = append(items, value)
		if n == len(rest) {
			break
		}
		if rest = strings.TrimSpace(rest[n+1:]); rest == "" {
			return nil, "the list ends in a comma: remove it"
		}
	}
	if t.Array == Fixed && len(items) != t.Len || t.Array == Bounded && len(items) > t.Len {
		return nil, fmt.Sprintf("%d values for %d places", len(items), t.Len)
	}
	return items, ""
}

// itemEnd returns the index of the first comma outside quotes, or the length of s.
func itemEnd(s string) int {
	var quote byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == ',':
			return i
		case (c == '"' || c == '\'') && strings.TrimSpace(s[:i]) == "":
			quote = c
		}
	}
	return len(s)
}
