package wire

import (
	"bytes"
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Bool reads true or false.
func (r *JSONReader) Bool() bool {
	if c := r.peek(); c == 't' || c == 'f' {
		switch tok := r.token(); string(tok) {
		case "true":
			r.pos += len(tok)
			return true
		case "false":
			r.pos += len(tok)
			return false
		}
	}
	r.expected("true or false")
	return false
}

// null consumes null and reports whether it was there.
func (r *JSONReader) null() bool {
	if r.peek() != 'n' || string(r.token()) != "null" {
		return false
	}
	r.pos += len("null")
	return true
}

// number returns the text of a number (RFC 8259 section 6), or nil after a fault. what is for the message.
func (r *JSONReader) number(what string) []byte {
	if c := r.peek(); c != '-' && (c < '0' || c > '9') {
		r.expected(what)
		return nil
	}
	tok := r.token()
	if !isNumber(tok) {
		r.fail("%s is no JSON number", shorten(tok))
		return nil
	}
	r.pos += len(tok)
	return tok
}

// isNumber checks the grammar: -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?
func isNumber(b []byte) bool {
	b = bytes.TrimPrefix(b, []byte{'-'})
	n := digits(b)
	if n == 0 || n > 1 && b[0] == '0' {
		return false
	}
	b = b[n:]
	if len(b) > 0 && b[0] == '.' {
		if n = digits(b[1:]); n == 0 {
			return false
		}
		b = b[1+n:]
	}
	if len(b) > 0 && (b[0] == 'e' || b[0] == 'E') {
		b = b[1:]
		if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
			b = b[1:]
		}
		if n = digits(b); n == 0 {
			return false
		}
		b = b[n:]
	}
	return len(b) == 0
}

// digits returns how many decimal digits b begins with.
func digits(b []byte) int {
	n := 0
	for n < len(b) && '0' <= b[n] && b[n] <= '9' {
		n++
	}
	return n
}

// Float64 reads a number; null is NaN, because NaN is written so.
func (r *JSONReader) Float64() float64 { return r.float(64) }

// Float32 reads a number; null is NaN.
func (r *JSONReader) Float32() float32 { return float32(r.float(32)) }

func (r *JSONReader) float(bits int) float64 {
	if r.null() {
		return math.NaN()
	}
	tok := r.number("a number or null")
	if tok == nil {
		return 0
	}
	v, err := strconv.ParseFloat(string(tok), bits)
	if err != nil {
		r.fail("%s is beyond the range of float%d", shorten(tok), bits)
		return 0
	}
	return v
}

// Int8 reads an integer.
func (r *JSONReader) Int8() int8 { return readInteger[int8](r) }

// Int16 reads an integer.
func (r *JSONReader) Int16() int16 { return readInteger[int16](r) }

// Int32 reads an integer.
func (r *JSONReader) Int32() int32 { return readInteger[int32](r) }

// Int64 reads an integer.
func (r *JSONReader) Int64() int64 { return readInteger[int64](r) }

// Uint8 reads an integer.
func (r *JSONReader) Uint8() uint8 { return readInteger[uint8](r) }

// Uint16 reads an integer.
func (r *JSONReader) Uint16() uint16 { return readInteger[uint16](r) }

// Uint32 reads an integer.
func (r *JSONReader) Uint32() uint32 { return readInteger[uint32](r) }

// Uint64 reads an integer.
func (r *JSONReader) Uint64() uint64 { return readInteger[uint64](r) }

// readInteger reads a number of the range of T. A fraction of zeros and an exponent are accepted
// (clients in languages with one number type send 3.0), a fraction is not.
func readInteger[T Integer](r *JSONReader) T {
	tok := r.number("an integer")
	if tok == nil {
		return 0
	}
	text, negative := bytes.CutPrefix(tok, []byte{'-'})
	magnitude, problem := parseMagnitude(text)
	limit := uint64(1)<<(integerBits[T]()-1) - 1 // largest value of a signed T
	switch {
	case problem != "":
	case !signed[T]():
		limit = limit<<1 | 1
		if negative && magnitude != 0 {
			problem = "is negative"
		}
	case negative:
		limit++
	}
	if problem == "" && magnitude > limit {
		problem = "is out of range"
	}
	if problem != "" {
		kind := "uint"
		if signed[T]() {
			kind = "int"
		}
		r.fail("%s %s: expected an integer of %s%d", shorten(tok), problem, kind, integerBits[T]())
		return 0
	}
	if negative {
		return T(-magnitude)
	}
	return T(magnitude)
}

// parseMagnitude returns the exact value of an unsigned JSON number that is a whole number below 2^64.
func parseMagnitude(text []byte) (v uint64, problem string) {
	const outOfRange = "is out of range"
	whole := digits(text)
	mantissa, exponent := text[:whole], 0
	if whole < len(text) {
		rest := text[whole:]
		if rest[0] == '.' {
			n := digits(rest[1:])
			fraction := bytes.TrimRight(rest[1:1+n], "0")
			mantissa = append(append(make([]byte, 0, whole+len(fraction)), mantissa...), fraction...)
			exponent = -len(fraction)
			rest = rest[1+n:]
		}
		if len(rest) > 0 {
			e, err := strconv.Atoi(string(bytes.TrimPrefix(rest[1:], []byte{'+'})))
			if err != nil {
				e = math.MaxInt32 // the sign does not matter: neither is a whole number in range, except zero
			}
			exponent += e
		}
	}
	mantissa = bytes.TrimLeft(mantissa, "0")
	if len(mantissa) == 0 {
		return 0, ""
	}
	for exponent < 0 && mantissa[len(mantissa)-1] == '0' {
		mantissa = mantissa[:len(mantissa)-1]
		exponent++
	}
	const most = 20 // digits of 2^64
	switch {
	case exponent < 0:
		return 0, "has a fraction"
	case len(mantissa)+exponent > most:
		return 0, outOfRange
	}
	for i := range len(mantissa) + exponent {
		digit := uint64(0)
		if i < len(mantissa) {
			digit = uint64(mantissa[i] - '0')
		}
		if v > (math.MaxUint64-digit)/10 {
			return 0, outOfRange
		}
		v = v*10 + digit
	}
	return v, ""
}

// String reads a string.
func (r *JSONReader) String() string { return string(r.stringBytes()) }

// BoundedString reads a string of at most limit bytes.
func (r *JSONReader) BoundedString(limit int) string {
	b := r.stringBytes()
	if len(b) > limit {
		r.fail("string of %d bytes where the definition allows %d", len(b), limit)
		return ""
	}
	return string(b)
}

// stringBytes reads a string; without escapes the result is part of the input.
func (r *JSONReader) stringBytes() []byte {
	if r.peek() != '"' {
		r.expected("a string")
		return nil
	}
	start := r.pos + 1
	for i := start; i < len(r.src); i++ {
		switch c := r.src[i]; {
		case c == '"':
			r.pos = i + 1
			return validUTF8(r.src[start:i])
		case c == '\\':
			return r.escapedString(start, i)
		case c < 0x20:
			r.pos = i
			r.fail("control character 0x%02x in a string: escape it", c)
			return nil
		}
	}
	r.fail("string without closing quote")
	return nil
}

// validUTF8 replaces each byte that is not UTF-8 by U+FFFD, as encoding/json does.
func validUTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return []byte(string([]rune(string(b))))
}

// escapedString reads on from the first backslash at i of a string that begins at start.
func (r *JSONReader) escapedString(start, i int) []byte {
	out := append(make([]byte, 0, i-start+32), r.src[start:i]...)
	for i < len(r.src) {
		c := r.src[i]
		switch {
		case c == '"':
			r.pos = i + 1
			return validUTF8(out)
		case c < 0x20:
			r.pos = i
			r.fail("control character 0x%02x in a string: escape it", c)
			return nil
		case c != '\\':
			out = append(out, c)
			i++
			continue
		}
		n := 0
		if out, n = appendEscape(out, r.src[i:]); n == 0 {
			r.pos = i
			r.fail("bad escape in a string")
			return nil
		}
		i += n
	}
	r.fail("string without closing quote")
	return nil
}

// appendEscape decodes the escape that src begins with and returns its length, 0 for a bad one.
// A surrogate without its partner becomes U+FFFD.
func appendEscape(out, src []byte) (extended []byte, n int) {
	if len(src) < 2 {
		return out, 0
	}
	switch c := src[1]; c {
	case '"', '\\', '/':
		return append(out, c), 2
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
	}
	unit, ok := hexUnit(src)
	if !ok {
		return out, 0
	}
	if utf16.IsSurrogate(unit) {
		if low, ok := hexUnit(src[6:]); ok {
			if c := utf16.DecodeRune(unit, low); c != utf8.RuneError {
				return utf8.AppendRune(out, c), 12
			}
		}
	}
	return utf8.AppendRune(out, unit), 6 // AppendRune writes U+FFFD for a lone surrogate
}

// hexUnit reads \uXXXX.
func hexUnit(src []byte) (rune, bool) {
	if len(src) < 6 || src[0] != '\\' || src[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(src[2:6]), 16, 16)
	return rune(v), err == nil
}

// Bytes reads base64 or an array of numbers, at most limit bytes, 0 for no bound.
func (r *JSONReader) Bytes(limit int) []byte {
	if r.peek() != '"' {
		if r.peek() != '[' {
			r.expected("a base64 string or an array of numbers")
			return nil
		}
		return JSONSlice(r, limit, (*JSONReader).Uint8)
	}
	text := r.stringBytes()
	if len(text) == 0 {
		return nil
	}
	out := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(out, text)
	if err != nil {
		r.fail("bad base64: use the standard alphabet with padding (RFC 4648 section 4)")
		return nil
	}
	if limit > 0 && n > limit {
		r.fail("%d bytes where the definition allows %d", n, limit)
		return nil
	}
	return out[:n:n]
}

// FixedBytes reads base64 or an array of numbers of exactly len(dst) bytes.
func (r *JSONReader) FixedBytes(dst []byte) {
	b := r.Bytes(0)
	if r.err == nil && len(b) != len(dst) {
		r.fail("%d bytes where the definition has %d", len(b), len(dst))
		return
	}
	copy(dst, b)
}
