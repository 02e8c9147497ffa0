package rosbridge

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf8"
)

// maxDepth bounds how deep arrays and objects may nest in a frame.
const maxDepth = 128

// scanner checks JSON text (RFC 8259) from left to right without building anything. The first fault sticks.
type scanner struct {
	src   []byte
	pos   int
	depth int
	err   error
	// nonFinite are the places of the tokens NaN, Infinity and -Infinity, which Python's json writes and JSON does not know.
	nonFinite []span
}

// span is a part of a text.
type span struct{ from, to int }

func (s *scanner) fail(what string) {
	if s.err == nil {
		s.err = fmt.Errorf("at byte %d: %s", s.pos, what)
	}
}

// peek skips white space and returns the next byte, or 0 at the end or after a fault.
func (s *scanner) peek() byte {
	if s.err != nil {
		return 0
	}
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// take skips white space and consumes c if it is next.
func (s *scanner) take(c byte) bool {
	if s.peek() != c || s.err != nil {
		return false
	}
	s.pos++
	return true
}

// value consumes one value and returns its text, nil after a fault.
func (s *scanner) value() []byte {
	c := s.peek()
	start := s.pos
	switch {
	case c == '"':
		s.text()
	case c == '{':
		s.object()
	case c == '[':
		s.array()
	case c == '-' || '0' <= c && c <= '9':
		s.number()
	default:
		s.word()
	}
	if s.err != nil {
		return nil
	}
	return s.src[start:s.pos]
}

func (s *scanner) enter() bool {
	s.pos++
	if s.depth++; s.depth > maxDepth {
		s.fail(fmt.Sprintf("nested deeper than %d", maxDepth))
		return false
	}
	return true
}

func (s *scanner) object() {
	if !s.enter() {
		return
	}
	if s.take('}') {
		s.depth--
		return
	}
	for s.err == nil {
		s.key()
		s.value()
		if s.take(',') {
			continue
		}
		if !s.take('}') {
			s.fail("expected a comma or }")
			return
		}
		s.depth--
		return
	}
}

// key consumes a member name with its colon and returns the name's text with quotes.
func (s *scanner) key() []byte {
	if s.peek() != '"' {
		s.fail("expected a member name")
		return nil
	}
	start := s.pos
	s.text()
	key := s.src[start:s.pos]
	if !s.take(':') {
		s.fail("expected a colon")
		return nil
	}
	return key
}

func (s *scanner) array() {
	if !s.enter() {
		return
	}
	if s.take(']') {
		s.depth--
		return
	}
	for s.err == nil {
		s.value()
		if s.take(',') {
			continue
		}
		if !s.take(']') {
			s.fail("expected a comma or ]")
			return
		}
		s.depth--
		return
	}
}

// text consumes a string. It must be UTF-8 without raw control characters.
func (s *scanner) text() {
	s.pos++
	for {
		s.pos += plain(s.src[s.pos:])
		if s.pos >= len(s.src) {
			s.fail("the text ends inside a string")
			return
		}
		switch c := s.src[s.pos]; {
		case c == '"':
			s.pos++
			return
		case c == '\\':
			if !s.escape() {
				s.fail("bad escape in a string")
				return
			}
		case c < 0x20:
			s.fail("raw control character in a string")
			return
		default:
			r, size := utf8.DecodeRune(s.src[s.pos:])
			if r == utf8.RuneError && size == 1 {
				s.fail("the text is not UTF-8")
				return
			}
			s.pos += size
		}
	}
}

// plain returns how many bytes b begins with that a string holds as they are: printable ASCII but quote and backslash.
// It looks at eight bytes at a time: a byte x < n gives (x - n) its high bit, unless x had it.
func plain(b []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+8 <= len(b); n += 8 {
		w := binary.LittleEndian.Uint64(b[n:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		special := (w - ones*0x20) | w | (quote - ones) | (slash - ones)
		if special &= highs; special != 0 {
			// A borrow may mark a byte above the first special one, never one below.
			return n + bits.TrailingZeros64(special)/8
		}
	}
	for n < len(b) && b[n] >= 0x20 && b[n] < utf8.RuneSelf && b[n] != '"' && b[n] != '\\' {
		n++
	}
	return n
}

// escape consumes one escape sequence.
func (s *scanner) escape() bool {
	if s.pos+1 >= len(s.src) {
		return false
	}
	switch s.src[s.pos+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos += 2
		return true
	case 'u':
		if s.pos+6 > len(s.src) {
			return false
		}
		for _, c := range s.src[s.pos+2 : s.pos+6] {
			if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
				return false
			}
		}
		s.pos += 6
		return true
	}
	return false
}

func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.src) && '0' <= s.src[s.pos] && s.src[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > start
}

// number consumes -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?, or -Infinity.
func (s *scanner) number() {
	if s.src[s.pos] == '-' {
		if s.pos++; s.literal("Infinity") {
			s.nonFinite = append(s.nonFinite, span{s.pos - len("-Infinity"), s.pos})
			return
		}
	}
	first := s.pos
	ok := s.digits() && (s.src[first] != '0' || s.pos == first+1)
	if ok && s.pos < len(s.src) && s.src[s.pos] == '.' {
		s.pos++
		ok = s.digits()
	}
	if ok && s.pos < len(s.src) && s.src[s.pos]|0x20 == 'e' {
		s.pos++
		if s.pos < len(s.src) && (s.src[s.pos] == '-' || s.src[s.pos] == '+') {
			s.pos++
		}
		ok = s.digits()
	}
	if !ok {
		s.fail("bad number")
	}
}

// literal consumes exactly word, if it is next.
func (s *scanner) literal(word string) bool {
	if len(s.src)-s.pos < len(word) || string(s.src[s.pos:s.pos+len(word)]) != word {
		return false
	}
	s.pos += len(word)
	return true
}

func (s *scanner) word() {
	start := s.pos
	switch {
	case s.err != nil || s.literal("true") || s.literal("false") || s.literal("null"):
	case s.literal("NaN") || s.literal("Infinity"):
		s.nonFinite = append(s.nonFinite, span{start, s.pos})
	case s.pos >= len(s.src):
		s.fail("the text ends where a value should be")
	default:
		s.fail("expected a value")
	}
}

// withNulls returns a copy of src whose given parts are null.
func withNulls(src []byte, parts []span) []byte {
	out := make([]byte, 0, len(src))
	at := 0
	for _, p := range parts {
		out = append(append(out, src[at:p.from]...), "null"...)
		at = p.to
	}
	return append(out, src[at:]...)
}
