package teleop

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"
)

// MaxDatagram is the longest UDP payload over IPv4 [bytes], and so the longest JSON message.
const MaxDatagram = 65507

// maxDepth is how deep JSON may nest. The protocols need 5.
const maxDepth = 32

// keptNodes is how many nodes a document keeps for its next message; a longer message gives its memory back.
const keptNodes = 1024

// ErrMalformed is wrapped by every error about a datagram that cannot be understood.
var ErrMalformed = errors.New("malformed datagram")

type kind uint8

const (
	kindNull kind = iota
	kindFalse
	kindTrue
	kindNumber
	kindString
	kindArray
	kindObject
)

// A node is one JSON value of a document; children follow their parent, an object's as key, value, key, value.
type node struct {
	kind       kind
	escaped    bool // a string that contains a backslash
	start, end int32
	next       int32 // the node after this value and all that is in it
}

// A document is a parsed JSON text: a list of nodes that refer to the text, which must not change meanwhile. It is reused from
// message to message, so that reading a joystick message allocates nothing.
//
// It reads RFC 8259 and, because Python's json writes and reads them, NaN, Infinity and -Infinity as numbers that are not finite.
type document struct {
	src   []byte
	nodes []node
	pos   int
}

// parse reads one JSON object. It keeps src.
func (d *document) parse(src []byte) (value, error) {
	if cap(d.nodes) > keptNodes {
		d.nodes = nil
	}
	d.src, d.nodes, d.pos = src, d.nodes[:0], 0
	if !utf8.Valid(src) {
		return value{}, ErrMalformed
	}
	if d.space(); !d.value(0) {
		return value{}, ErrMalformed
	}
	if d.space(); d.pos != len(src) || d.nodes[0].kind != kindObject {
		return value{}, ErrMalformed
	}
	return value{d, 0}, nil
}

func (d *document) space() {
	for d.pos < len(d.src) {
		switch d.src[d.pos] {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return
		}
	}
}

// value reads one value with everything in it and reports whether it is well-formed.
func (d *document) value(depth int) bool {
	if d.pos >= len(d.src) {
		return false
	}
	switch c := d.src[d.pos]; c {
	case '{', '[':
		return depth < maxDepth && d.container(c == '{', depth+1)
	case '"':
		return d.text()
	case 't':
		return d.literal("true", kindTrue)
	case 'f':
		return d.literal("false", kindFalse)
	case 'n':
		return d.literal("null", kindNull)
	case 'N':
		return d.literal("NaN", kindNumber)
	case 'I':
		return d.literal("Infinity", kindNumber)
	default:
		return d.number()
	}
}

func (d *document) add(k kind, start int) *node {
	d.nodes = append(d.nodes, node{kind: k, start: int32(start), end: int32(d.pos), next: int32(len(d.nodes) + 1)})
	return &d.nodes[len(d.nodes)-1]
}

func (d *document) literal(word string, k kind) bool {
	start := d.pos
	if !bytes.HasPrefix(d.src[start:], []byte(word)) {
		return false
	}
	d.pos += len(word)
	d.add(k, start)
	return true
}

func (d *document) container(object bool, depth int) bool {
	index, start, closing := len(d.nodes), d.pos, byte(']')
	k := kindArray
	if object {
		k, closing = kindObject, '}'
	}
	d.add(k, start)
	d.pos++
	d.space()
	if d.pos < len(d.src) && d.src[d.pos] == closing {
		return d.finish(index)
	}
	for {
		if object && !d.member() || !d.value(depth) {
			return false
		}
		d.space()
		if d.pos >= len(d.src) {
			return false
		}
		switch d.src[d.pos] {
		case closing:
			return d.finish(index)
		case ',':
			d.pos++
			d.space()
		default:
			return false
		}
	}
}

// member reads a key and its colon.
func (d *document) member() bool {
	if d.pos >= len(d.src) || d.src[d.pos] != '"' || !d.text() {
		return false
	}
	if d.space(); d.pos >= len(d.src) || d.src[d.pos] != ':' {
		return false
	}
	d.pos++
	d.space()
	return true
}

func (d *document) finish(index int) bool {
	d.pos++
	d.nodes[index].end, d.nodes[index].next = int32(d.pos), int32(len(d.nodes))
	return true
}

// text reads a string; the node spans what is between the quotes.
func (d *document) text() bool {
	d.pos++
	start, escaped := d.pos, false
	for ; d.pos < len(d.src); d.pos++ {
		switch c := d.src[d.pos]; {
		case c == '"':
			d.add(kindString, start).escaped = escaped
			d.pos++
			return true
		case c == '\\':
			escaped = true
			n := escapeLen(d.src[d.pos:])
			if n == 0 {
				return false
			}
			d.pos += n - 1
		case c < ' ':
			return false
		}
	}
	return false
}

// escapeLen is the length of the escape at the beginning of b, or 0 if it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(b[2:]); ok {
			return 6
		}
	}
	return 0
}

func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

func (d *document) number() bool {
	start := d.pos
	if d.src[d.pos] == '-' {
		d.pos++
		if bytes.HasPrefix(d.src[d.pos:], []byte("Infinity")) {
			d.pos += len("Infinity")
			d.add(kindNumber, start)
			return true
		}
	}
	whole := d.digits()
	if whole == 0 || whole > 1 && d.src[d.pos-whole] == '0' {
		return false
	}
	if d.pos < len(d.src) && d.src[d.pos] == '.' {
		d.pos++
		if d.digits() == 0 {
			return false
		}
	}
	if d.pos < len(d.src) && d.src[d.pos]|0x20 == 'e' {
		d.pos++
		if d.pos < len(d.src) && (d.src[d.pos] == '+' || d.src[d.pos] == '-') {
			d.pos++
		}
		if d.digits() == 0 {
			return false
		}
	}
	d.add(kindNumber, start)
	return true
}

func (d *document) digits() int {
	start := d.pos
	for d.pos < len(d.src) && d.src[d.pos] >= '0' && d.src[d.pos] <= '9' {
		d.pos++
	}
	return d.pos - start
}

// A value is one value of a document. The zero value is a missing one.
type value struct {
	d *document
	i int32
}

func (v value) exists() bool { return v.d != nil }

func (v value) node() node {
	if v.d == nil {
		return node{}
	}
	return v.d.nodes[v.i]
}

func (v value) kind() kind { return v.node().kind }

// raw is the text of the value; of a string, what is between the quotes, with escapes as they came.
func (v value) raw() []byte {
	if v.d == nil {
		return nil
	}
	n := v.node()
	return v.d.src[n.start:n.end]
}

// get returns the member of an object; of equal names the last one counts, as in every common decoder.
func (v value) get(name string) (found value) {
	if v.kind() != kindObject {
		return value{}
	}
	for key, member := range v.members() {
		if key.is(name) {
			found = member
		}
	}
	return found
}

// members yields the keys and values of an object, in order.
func (v value) members() func(yield func(key, member value) bool) {
	return func(yield func(key, member value) bool) {
		if v.kind() != kindObject {
			return
		}
		for i, end := v.i+1, v.node().next; i < end; {
			if !yield(value{v.d, i}, value{v.d, i + 1}) {
				return
			}
			i = v.d.nodes[i+1].next
		}
	}
}

// items yields the elements of an array, in order.
func (v value) items() func(yield func(value) bool) {
	return func(yield func(value) bool) {
		if v.kind() != kindArray {
			return
		}
		for i, end := v.i+1, v.node().next; i < end; i = v.d.nodes[i].next {
			if !yield(value{v.d, i}) {
				return
			}
		}
	}
}

// is reports whether the value is the string s.
func (v value) is(s string) bool {
	n := v.node()
	if n.kind != kindString {
		return false
	}
	if n.escaped {
		return v.text() == s
	}
	return string(v.d.src[n.start:n.end]) == s
}

// text decodes a string; anything else is "".
func (v value) text() string {
	n := v.node()
	switch {
	case n.kind != kindString:
		return ""
	case !n.escaped:
		return string(v.raw())
	}
	raw := v.raw()
	out := make([]byte, 0, len(raw))
	for len(raw) > 0 {
		if raw[0] != '\\' {
			out = append(out, raw[0])
			raw = raw[1:]
			continue
		}
		var size int
		out, size = appendEscape(out, raw)
		raw = raw[size:]
	}
	return string(out)
}

// appendEscape decodes the escape at the beginning of raw. Half a surrogate pair becomes U+FFFD.
func appendEscape(out, raw []byte) (extended []byte, size int) {
	switch c := raw[1]; c {
	case 'b':
		return append(out, '\b'), 2
	case 'f':
		return append(out, '\f'), 2
	case 'n':
		return append(out, '\n'), 2
	case 'r':
		return append(out, '\r'), 2
	case 't':
		return append(out, '\t'), 2
	case 'u':
		r, _ := hex4(raw[2:])
		size = 6
		if r >= 0xD800 && r < 0xDC00 && len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
			if low, _ := hex4(raw[8:]); low >= 0xDC00 && low < 0xE000 {
				r, size = 0x10000+(r-0xD800)<<10+(low-0xDC00), 12
			}
		}
		return utf8.AppendRune(out, r), size // AppendRune writes U+FFFD for what is left of a pair
	default:
		return append(out, c), 2
	}
}

// number returns a number; ok is false for anything else. NaN, Infinity and what overflows are numbers that are not finite.
func (v value) number() (f float64, ok bool) {
	if v.kind() != kindNumber {
		return 0, false
	}
	raw := v.raw()
	if f, ok = shortDecimal(raw); ok {
		return f, true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return math.NaN(), true
	}
	return f, true
}

// shortDecimal reads decimals of up to 15 digits without an exponent: the digits and the power of ten are exact in float64, so that
// their quotient is correctly rounded (Clinger, "How to read floating point numbers accurately", 1990).
func shortDecimal(raw []byte) (float64, bool) {
	negative := raw[0] == '-'
	if negative {
		raw = raw[1:]
	}
	if len(raw) > 16 {
		return 0, false
	}
	mantissa, scale, fraction := 0.0, 1.0, false
	for _, c := range raw {
		switch {
		case c == '.':
			fraction = true
		case c < '0' || c > '9':
			return 0, false
		default:
			mantissa = mantissa*10 + float64(c-'0')
			if fraction {
				scale *= 10
			}
		}
	}
	if mantissa >= 1<<53 {
		return 0, false
	}
	if negative {
		mantissa = -mantissa
	}
	return mantissa / scale, true
}

// finite returns a finite number; ok is false for anything else.
func (v value) finite() (f float64, ok bool) {
	f, ok = v.number()
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// integer returns a whole number: any that int64 holds if written without point and exponent, else one that float64 holds exactly.
func (v value) integer() (n int64, ok bool) {
	if v.kind() != kindNumber {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(v.raw()), 10, 64); err == nil {
		return n, true
	}
	f, ok := v.finite()
	const exact = 1 << 53
	if !ok || f != math.Trunc(f) || math.Abs(f) > exact {
		return 0, false
	}
	return int64(f), true
}

// boolean returns true or false; ok is false for anything else.
func (v value) boolean() (b, ok bool) {
	switch v.kind() {
	case kindTrue:
		return true, true
	case kindFalse:
		return false, true
	default:
		return false, false
	}
}
