package wire

import (
	"encoding/binary"
	"math"
	"slices"
	"unicode/utf16"
)

// Integer is the set of the integer types of messages.
type Integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Bool appends one byte, 0 or 1.
func Bool(dst []byte, _ Layout, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// Int8 appends one byte.
func Int8[T int8 | uint8](dst []byte, _ Layout, v T) []byte { return append(dst, byte(v)) }

// Int16 appends two bytes.
func Int16[T int16 | uint16](dst []byte, l Layout, v T) []byte {
	return binary.LittleEndian.AppendUint16(l.align(dst, 2), uint16(v))
}

// Int32 appends four bytes.
func Int32[T int32 | uint32](dst []byte, l Layout, v T) []byte {
	return binary.LittleEndian.AppendUint32(l.align(dst, 4), uint32(v))
}

// Int64 appends eight bytes.
func Int64[T int64 | uint64](dst []byte, l Layout, v T) []byte {
	return binary.LittleEndian.AppendUint64(l.align(dst, 8), uint64(v))
}

// Float32 appends four bytes of IEEE 754.
func Float32(dst []byte, l Layout, v float32) []byte {
	return binary.LittleEndian.AppendUint32(l.align(dst, 4), math.Float32bits(v))
}

// Float64 appends eight bytes of IEEE 754.
func Float64(dst []byte, l Layout, v float64) []byte {
	return binary.LittleEndian.AppendUint64(l.align(dst, 8), math.Float64bits(v))
}

// Len appends the element count of a sequence.
func Len(dst []byte, l Layout, n int) []byte {
	return binary.LittleEndian.AppendUint32(l.align(dst, 4), uint32(n))
}

// String appends the length and the bytes of s; CDR counts and appends a terminating zero byte.
func String(dst []byte, l Layout, s string) []byte {
	if l == ROS1 {
		return append(Len(dst, l, len(s)), s...)
	}
	return append(append(Len(dst, l, len(s)+1), s...), 0)
}

// WString appends a wide string. CDR: the number of UTF-16 code units, then two bytes each, without terminator,
// as Fast CDR 2 (ROS 2 Jazzy) does. ROS 1 has no wide strings and gets the UTF-8 string.
func WString(dst []byte, l Layout, s string) []byte {
	if l == ROS1 {
		return String(dst, l, s)
	}
	at := len(l.align(dst, 4))
	dst = Len(dst, l, 0)
	units := 0
	for _, r := range s {
		if hi, lo := utf16.EncodeRune(r); hi != '\uFFFD' {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(hi))
			dst = binary.LittleEndian.AppendUint16(dst, uint16(lo))
			units += 2
			continue
		}
		dst = binary.LittleEndian.AppendUint16(dst, uint16(r))
		units++
	}
	binary.LittleEndian.PutUint32(dst[at:], uint32(units))
	return dst
}

// Empty appends what stands for a message without fields: CDR forbids empty structures, so ROS 2 gives them one zero byte.
func Empty(dst []byte, l Layout) []byte {
	if l == ROS1 {
		return dst
	}
	return append(dst, 0)
}

// The functions below append the elements of an array, without a length.

// Bools appends one byte for each element.
func Bools(dst []byte, l Layout, s []bool) []byte {
	for _, v := range s {
		dst = Bool(dst, l, v)
	}
	return dst
}

// Int8s appends one byte for each element.
func Int8s[T int8 | uint8](dst []byte, _ Layout, s []T) []byte {
	n := len(dst)
	dst = slices.Grow(dst, len(s))[:n+len(s)]
	for i, v := range s {
		dst[n+i] = byte(v)
	}
	return dst
}

// Bytes appends s.
func Bytes(dst []byte, _ Layout, s []byte) []byte { return append(dst, s...) }

// Int16s appends two bytes for each element.
func Int16s[T int16 | uint16](dst []byte, l Layout, s []T) []byte {
	dst, out := room(dst, l, len(s), 2)
	for i, v := range s {
		binary.LittleEndian.PutUint16(out[2*i:], uint16(v))
	}
	return dst
}

// Int32s appends four bytes for each element.
func Int32s[T int32 | uint32](dst []byte, l Layout, s []T) []byte {
	dst, out := room(dst, l, len(s), 4)
	for i, v := range s {
		binary.LittleEndian.PutUint32(out[4*i:], uint32(v))
	}
	return dst
}

// Int64s appends eight bytes for each element.
func Int64s[T int64 | uint64](dst []byte, l Layout, s []T) []byte {
	dst, out := room(dst, l, len(s), 8)
	for i, v := range s {
		binary.LittleEndian.PutUint64(out[8*i:], uint64(v))
	}
	return dst
}

// Float32s appends four bytes for each element.
func Float32s(dst []byte, l Layout, s []float32) []byte {
	dst, out := room(dst, l, len(s), 4)
	for i, v := range s {
		binary.LittleEndian.PutUint32(out[4*i:], math.Float32bits(v))
	}
	return dst
}

// Float64s appends eight bytes for each element.
func Float64s(dst []byte, l Layout, s []float64) []byte {
	dst, out := room(dst, l, len(s), 8)
	for i, v := range s {
		binary.LittleEndian.PutUint64(out[8*i:], math.Float64bits(v))
	}
	return dst
}

// room extends dst, aligned, by n elements of size bytes and returns it and the new part.
// An empty array gets no padding, as in Fast CDR.
func room(dst []byte, l Layout, n, size int) (extended, added []byte) {
	if n == 0 {
		return dst, nil
	}
	dst = l.align(dst, size)
	at := len(dst)
	dst = slices.Grow(dst, n*size)[:at+n*size]
	return dst, dst[at:]
}

// Strings appends each string with its length.
func Strings(dst []byte, l Layout, s []string) []byte {
	for _, v := range s {
		dst = String(dst, l, v)
	}
	return dst
}

// WStrings appends each wide string with its length.
func WStrings(dst []byte, l Layout, s []string) []byte {
	for _, v := range s {
		dst = WString(dst, l, v)
	}
	return dst
}

// Structs appends each message.
func Structs[T any, P interface {
	*T
	AppendWire(dst []byte, l Layout) []byte
}](dst []byte, l Layout, s []T) []byte {
	for i := range s {
		dst = P(&s[i]).AppendWire(dst, l)
	}
	return dst
}
