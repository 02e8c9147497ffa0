package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// JSONMessage is what [ParseJSON] fills: a pointer to a generated struct.
type JSONMessage interface{ ReadJSON(r *JSONReader) }

// JSONReader scans one JSON text from left to right. Generated code drives it, so its depth is that of the type:
//
//	for r.Object(); r.More(); {
//		switch string(r.Key()) {
//		case "x":
//			m.X = r.Float64()
//		default:
//			r.Unknown()
//		}
//	}
//
// After the first fault More is false and all values are zero; ParseJSON reports the fault and its field.
type JSONReader struct {
	src  []byte
	pos  int
	err  error
	key  []byte
	path []step // where the reader is; one for each open object or array
}

// step is one level of the path of a value.
type step struct {
	key   []byte // member name; nil in arrays and between members
	array bool
	index int // values begun so far
}

// ParseJSON fills m from src, which must hold one object and nothing else. name is for errors.
func ParseJSON(src []byte, m JSONMessage, name string) error {
	r := &JSONReader{src: src, path: make([]step, 0, 8)}
	m.ReadJSON(r)
	if r.err == nil {
		if r.peek(); r.pos < len(src) {
			r.fail("text follows the object: send one object only")
		}
	}
	if r.err != nil {
		return fmt.Errorf("parse %s JSON: %w", name, r.err)
	}
	return nil
}

// fail stores the first fault with the field it concerns.
func (r *JSONReader) fail(format string, args ...any) {
	if r.err != nil {
		return
	}
	what := fmt.Sprintf(format, args...)
	if path := r.pathString(); path != "" {
		what = path + ": " + what
	}
	r.err = fmt.Errorf("at byte %d: %s", min(r.pos, len(r.src)), what)
}

// pathString returns where the reader is, such as "poses[3].position.x".
func (r *JSONReader) pathString() string {
	var b strings.Builder
	for _, s := range r.path {
		switch {
		case s.key != nil:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(shorten(s.key))
		case s.array && s.index > 0:
			b.WriteByte('[')
			b.WriteString(strconv.Itoa(s.index - 1))
			b.WriteByte(']')
		}
	}
	return b.String()
}

// shorten returns input text fit for an error message.
func shorten(b []byte) string {
	const longest = 64
	s := strings.ToValidUTF8(string(b[:min(len(b), longest)]), "\ufffd")
	if len(b) > longest {
		s += "…"
	}
	return s
}

// peek skips white space and returns the next byte, or 0 at the end or after a fault.
func (r *JSONReader) peek() byte {
	if r.err != nil {
		return 0
	}
	for r.pos < len(r.src) {
		switch c := r.src[r.pos]; c {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return c
		}
	}
	return 0
}

// expected fails with what was found instead.
func (r *JSONReader) expected(what string) {
	found := "the end of the text"
	switch c := r.peek(); {
	case r.err != nil:
		return
	case r.pos >= len(r.src):
	case c == '"':
		found = "a string"
	case c == '{':
		found = "an object"
	case c == '[':
		found = "an array"
	case c == '-' || '0' <= c && c <= '9':
		found = "the number " + shorten(r.token())
	case 'a' <= c && c <= 'z':
		found = shorten(r.token())
	default:
		found = strconv.QuoteRune(rune(c))
	}
	r.fail("expected %s, found %s", what, found)
}

// token returns the run of number and word bytes at the reader without consuming it.
func (r *JSONReader) token() []byte {
	n := r.pos
	for n < len(r.src) {
		c := r.src[n]
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '+' || c == '.') {
			break
		}
		n++
	}
	return r.src[r.pos:n]
}

// Object enters an object.
func (r *JSONReader) Object() {
	if r.peek() != '{' {
		r.expected("an object")
		return
	}
	r.pos++
	r.path = append(r.path, step{})
}

// More advances to the next member of the object: [JSONReader.Key] is its name and the reader stands at
// its value. It is false at the end of the object, which it leaves, and after a fault.
func (r *JSONReader) More() bool {
	c := r.peek()
	if r.err != nil {
		return false
	}
	top := &r.path[len(r.path)-1]
	top.key = nil
	if c == '}' {
		r.pos++
		r.path = r.path[:len(r.path)-1]
		return false
	}
	if top.index > 0 {
		if c != ',' {
			r.expected("a comma or }")
			return false
		}
		r.pos++
		c = r.peek()
	}
	top.index++
	if c != '"' {
		r.expected("a member name")
		return false
	}
	r.key = r.stringBytes()
	if r.err != nil {
		return false
	}
	if r.peek() != ':' {
		r.expected("a colon")
		return false
	}
	r.pos++
	top.key = r.key
	return r.err == nil
}

// Key returns the name of the current member. It is valid until the next call of a method.
func (r *JSONReader) Key() []byte { return r.key }

// Unknown reports that the message has no field with the name of the current member.
func (r *JSONReader) Unknown() {
	r.fail("unknown field: remove it or correct its name")
}

// array enters an array.
func (r *JSONReader) array() {
	if r.peek() != '[' {
		r.expected("an array")
		return
	}
	r.pos++
	r.path = append(r.path, step{array: true})
}

// item advances to the next element. It is false at the end of the array, which it leaves, and after a fault.
func (r *JSONReader) item() bool {
	c := r.peek()
	if r.err != nil {
		return false
	}
	top := &r.path[len(r.path)-1]
	if c == ']' {
		r.pos++
		r.path = r.path[:len(r.path)-1]
		return false
	}
	if top.index > 0 {
		if c != ',' {
			r.expected("a comma or ]")
			return false
		}
		r.pos++
	}
	top.index++
	return true
}

// JSONSlice reads an array of at most limit elements, 0 for no bound, with the method that reads one.
func JSONSlice[T any](r *JSONReader, limit int, elem func(*JSONReader) T) []T {
	var s []T
	for r.array(); r.item(); {
		if limit > 0 && len(s) == limit {
			r.fail("more than the %d elements that the definition allows", limit)
			return s
		}
		s = append(s, elem(r))
	}
	return s
}

// JSONFixed reads an array of exactly len(dst) elements.
func JSONFixed[T any](r *JSONReader, dst []T, elem func(*JSONReader) T) {
	n := 0
	for r.array(); r.item(); n++ {
		if n == len(dst) {
			r.fail("more than %d elements", len(dst))
			return
		}
		dst[n] = elem(r)
	}
	if n < len(dst) {
		r.fail("%d elements where the definition has %d", n, len(dst))
	}
}

// JSONStructSlice reads an array of at most limit messages, 0 for no bound.
func JSONStructSlice[T any, P interface {
	*T
	JSONMessage
}](r *JSONReader, limit int) []T {
	return JSONSlice(r, limit, readStruct[T, P])
}

// JSONStructFixed reads an array of exactly len(dst) messages.
func JSONStructFixed[T any, P interface {
	*T
	JSONMessage
}](r *JSONReader, dst []T) {
	JSONFixed(r, dst, readStruct[T, P])
}

func readStruct[T any, P interface {
	*T
	JSONMessage
}](r *JSONReader) (v T) {
	P(&v).ReadJSON(r)
	return v
}
