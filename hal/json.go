package hal

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"
)

const (
	maxDepth   = 16 // how deep a frame may nest; HAL needs 4
	maxMembers = 64 // of one object
)

// errSyntax is what is wrong with a text that is no JSON.
var errSyntax = errors.New("no well-formed JSON object")

// object is the members of one JSON object as they stand in the text. Names are exact: v and V differ. It reads RFC 8259 and, because
// Python's json writes them, NaN, Infinity and -Infinity as numbers that are not finite.
type object struct {
	names, values [maxMembers][]byte
	n             int
}

// parse reads a text that is one object and checks everything in it.
func (o *object) parse(src []byte) error {
	o.n = 0
	if !utf8.Valid(src) {
		return errSyntax
	}
	s := scanner{src: src}
	if s.space(); s.peek() != '{' {
		return errSyntax
	}
	ok := s.object(0, func(name, value []byte) bool {
		if o.n == maxMembers {
			return false
		}
		o.names[o.n], o.values[o.n] = name, value
		o.n++
		return true
	})
	if s.space(); !ok || s.pos != len(src) {
		return errSyntax
	}
	return nil
}

// get returns the text of a member, nil when it is missing or null. Of equal names the last counts.
func (o *object) get(name string) []byte {
	for i := o.n - 1; i >= 0; i-- {
		if plain := o.names[i]; string(plain) == name || bytes.IndexByte(plain, '\\') >= 0 && unquote(plain) == name {
			if string(o.values[i]) == "null" {
				return nil
			}
			return o.values[i]
		}
	}
	return nil
}

// scanner walks over a JSON text.
type scanner struct {
	src []byte
	pos int
}

func (s *scanner) peek() byte {
	if s.pos < len(s.src) {
		return s.src[s.pos]
	}
	return 0
}

func (s *scanner) space() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// value passes over one value and reports whether it is well-formed.
func (s *scanner) value(depth int) bool {
	switch s.peek() {
	case '{':
		return s.object(depth, func(_, _ []byte) bool { return true })
	case '[':
		return s.array(depth, func([]byte) bool { return true })
	case '"':
		return s.text()
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	case 'N':
		return s.word("NaN")
	case 'I':
		return s.word("Infinity")
	default:
		return s.number()
	}
}

func (s *scanner) word(w string) bool {
	if !bytes.HasPrefix(s.src[s.pos:], []byte(w)) {
		return false
	}
	s.pos += len(w)
	return true
}

// object passes over an object and gives each its members, names without quotes.
func (s *scanner) object(depth int, each func(name, value []byte) bool) bool {
	return s.list(depth, '}', func() bool {
		start := s.pos + 1
		if s.peek() != '"' || !s.text() {
			return false
		}
		name := s.src[start : s.pos-1]
		if s.space(); s.peek() != ':' {
			return false
		}
		s.pos++
		s.space()
		start = s.pos
		return s.value(depth+1) && each(name, s.src[start:s.pos])
	})
}

// array passes over an array and gives each its elements.
func (s *scanner) array(depth int, each func(value []byte) bool) bool {
	return s.list(depth, ']', func() bool {
		start := s.pos
		return s.value(depth+1) && each(s.src[start:s.pos])
	})
}

// list passes over what object and array have in common.
func (s *scanner) list(depth int, closing byte, item func() bool) bool {
	if depth >= maxDepth {
		return false
	}
	s.pos++
	if s.space(); s.peek() == closing {
		s.pos++
		return true
	}
	for item() {
		s.space()
		switch s.peek() {
		case closing:
			s.pos++
			return true
		case ',':
			s.pos++
			s.space()
		default:
			return false
		}
	}
	return false
}

func (s *scanner) text() bool {
	for s.pos++; s.pos < len(s.src); s.pos++ {
		switch c := s.src[s.pos]; {
		case c == '"':
			s.pos++
			return true
		case c == '\\':
			if !s.escape() {
				return false
			}
		case c < ' ':
			return false
		}
	}
	return false
}

// escape moves to the last byte of an escape.
func (s *scanner) escape() bool {
	s.pos++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			s.pos++
			if c := s.peek(); (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
				return false
			}
		}
		return true
	default:
		return false
	}
}

func (s *scanner) number() bool {
	if s.peek() == '-' {
		s.pos++
		if s.peek() == 'I' {
			return s.word("Infinity")
		}
	}
	start := s.pos
	whole := s.digits()
	if whole == 0 || whole > 1 && s.src[start] == '0' {
		return false
	}
	if s.peek() == '.' {
		s.pos++
		if s.digits() == 0 {
			return false
		}
	}
	if s.peek()|0x20 == 'e' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if s.digits() == 0 {
			return false
		}
	}
	return true
}

func (s *scanner) digits() int {
	start := s.pos
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		s.pos++
	}
	return s.pos - start
}

// asNumber returns a finite number. NaN, infinities and what overflows are none.
func asNumber(raw []byte) (v float64, ok bool) {
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}

// asInteger returns a whole number that float64 and JavaScript hold exactly.
func asInteger(raw []byte) (n int64, ok bool) {
	const exact = 1 << 53
	v, ok := asNumber(raw)
	if !ok || v != math.Trunc(v) || math.Abs(v) > exact {
		return 0, false
	}
	return int64(v), true
}

// asText returns a string of at most limit bytes.
func asText(raw []byte, limit int) (text string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	text = unquote(raw[1 : len(raw)-1])
	return text, len(text) <= limit
}

// unquote decodes the inside of a string that the scanner has checked.
func unquote(inside []byte) string {
	if bytes.IndexByte(inside, '\\') < 0 {
		return string(inside)
	}
	quoted := append(append(append(make([]byte, 0, len(inside)+2), '"'), inside...), '"')
	var out string
	if err := json.Unmarshal(quoted, &out); err != nil {
		return "" // cannot be: the scanner has checked it
	}
	return out
}

// asBool returns true or false.
func asBool(raw []byte) (b, ok bool) {
	switch string(raw) {
	case "true":
		return true, true
	case "false":
		return false, true
	default:
		return false, false
	}
}

// asList gives each the elements of an array that the scanner has checked, until each returns false. It reports whether raw is an array
// and all elements were taken.
func asList(raw []byte, each func(value []byte) bool) bool {
	s := scanner{src: raw}
	return s.peek() == '[' && s.array(0, each)
}
