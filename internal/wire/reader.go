package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf16"
)

// Message is what the parse functions fill: a pointer to a generated struct.
type Message interface{ ReadWire(r *Reader) }

// ErrShort is the error of input that ends before the message does.
var ErrShort = errors.New("input ends inside the message")

// maxPadding is how many bytes may follow a CDR message: transports round the size up to four.
const maxPadding = 3

// Reader takes the values of a message out of its binary form. After the first fault all methods
// return zero values; [ParseCDR] and [ParseROS1] report the fault.
type Reader struct {
	src   []byte
	pos   int
	ros1  bool
	order binary.ByteOrder
	err   error
}

// ParseCDR fills m from XCDR1 in either byte order, beginning with the encapsulation header. name is for errors.
func ParseCDR(src []byte, m Message, name string) error {
	if len(src) < 4 {
		return fmt.Errorf("parse %s: %d bytes of CDR: the encapsulation header alone takes 4", name, len(src))
	}
	r := Reader{src: src[4:], order: binary.LittleEndian}
	switch kind := binary.BigEndian.Uint16(src); kind {
	case 0:
		r.order = binary.BigEndian
	case 1:
	default:
		return fmt.Errorf("parse %s: CDR encapsulation 0x%04x: only plain XCDR1 (0x0000, 0x0001) is supported", name, kind)
	}
	m.ReadWire(&r)
	return r.finish(name+" CDR", maxPadding)
}

// ParseROS1 fills m from the ROS 1 serialization. name is for errors.
func ParseROS1(src []byte, m Message, name string) error {
	r := Reader{src: src, ros1: true, order: binary.LittleEndian}
	m.ReadWire(&r)
	return r.finish(name+" ROS 1 data", 0)
}

func (r *Reader) finish(what string, spare int) error {
	if r.err == nil && len(r.src)-r.pos > spare {
		r.err = fmt.Errorf("%d bytes follow the message", len(r.src)-r.pos)
	}
	if r.err != nil {
		return fmt.Errorf("parse %s at byte %d of %d: %w", what, r.pos, len(r.src), r.err)
	}
	return nil
}

// IsROS1 reports whether the input is the ROS 1 layout.
func (r *Reader) IsROS1() bool { return r.ros1 }

func (r *Reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// take returns the next n elements of size bytes, aligned, or nil after a fault.
func (r *Reader) take(n, size int) []byte {
	if r.err != nil {
		return nil
	}
	pos := r.pos
	if !r.ros1 && n > 0 {
		pos += -pos & (size - 1)
	}
	if pos > len(r.src) || n > (len(r.src)-pos)/size {
		r.fail(ErrShort)
		return nil
	}
	r.pos = pos + n*size
	return r.src[pos:r.pos]
}

// Len reads the element count of a sequence whose elements take at least minSize bytes each.
// limit is the bound of the sequence, 0 for none.
func (r *Reader) Len(limit, minSize int) int {
	n := r.Uint32()
	switch {
	case r.err != nil:
		return 0
	case uint64(n)*uint64(minSize) > uint64(len(r.src)-r.pos):
		r.fail(fmt.Errorf("%w: %d elements announced, %d bytes left", ErrShort, n, len(r.src)-r.pos))
		return 0
	case limit > 0 && n > uint32(limit):
		r.fail(fmt.Errorf("%d elements where the definition allows %d", n, limit))
		return 0
	}
	return int(n)
}

// Make reads the length of a sequence as [Reader.Len] does and returns a slice of that length, nil for 0.
func Make[T any](r *Reader, limit, minSize int) []T {
	n := r.Len(limit, minSize)
	if n == 0 {
		return nil
	}
	return make([]T, n)
}

// Empty skips the byte that CDR has for a message without fields.
func (r *Reader) Empty() {
	if !r.ros1 {
		r.take(1, 1)
	}
}

// Bool reads one byte; other values than 0 are true.
func (r *Reader) Bool() bool { return r.Uint8() != 0 }

// Uint8 reads one byte.
func (r *Reader) Uint8() uint8 {
	if b := r.take(1, 1); b != nil {
		return b[0]
	}
	return 0
}

// Uint16 reads two bytes.
func (r *Reader) Uint16() uint16 {
	if b := r.take(1, 2); b != nil {
		return r.order.Uint16(b)
	}
	return 0
}

// Uint32 reads four bytes.
func (r *Reader) Uint32() uint32 {
	if b := r.take(1, 4); b != nil {
		return r.order.Uint32(b)
	}
	return 0
}

// Uint64 reads eight bytes.
func (r *Reader) Uint64() uint64 {
	if b := r.take(1, 8); b != nil {
		return r.order.Uint64(b)
	}
	return 0
}

// Int8 reads one byte.
func (r *Reader) Int8() int8 { return int8(r.Uint8()) }

// Int16 reads two bytes.
func (r *Reader) Int16() int16 { return int16(r.Uint16()) }

// Int32 reads four bytes.
func (r *Reader) Int32() int32 { return int32(r.Uint32()) }

// Int64 reads eight bytes.
func (r *Reader) Int64() int64 { return int64(r.Uint64()) }

// Float32 reads four bytes of IEEE 754.
func (r *Reader) Float32() float32 { return math.Float32frombits(r.Uint32()) }

// Float64 reads eight bytes of IEEE 754.
func (r *Reader) Float64() float64 { return math.Float64frombits(r.Uint64()) }

// String reads a string of at most limit bytes, 0 for no bound.
func (r *Reader) String(limit int) string {
	n := r.Len(0, 1)
	b := r.take(n, 1)
	if !r.ros1 && n > 0 && r.err == nil {
		if b[n-1] != 0 {
			r.fail(errors.New("string without terminating zero"))
			return ""
		}
		b = b[:n-1]
	}
	if limit > 0 && len(b) > limit {
		r.fail(fmt.Errorf("string of %d bytes where the definition allows %d", len(b), limit))
		return ""
	}
	return string(b)
}

// WString reads a wide string of at most limit UTF-16 code units, 0 for no bound.
func (r *Reader) WString(limit int) string {
	if r.ros1 {
		return r.String(0)
	}
	n := r.Len(limit, 2)
	b := r.take(n, 2)
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = r.order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// Bools fills dst.
func (r *Reader) Bools(dst []bool) {
	for i, b := range r.take(len(dst), 1) {
		dst[i] = b != 0
	}
}

// Bytes fills dst.
func (r *Reader) Bytes(dst []byte) { copy(dst, r.take(len(dst), 1)) }

// Int8s fills dst.
func (r *Reader) Int8s(dst []int8) {
	for i, b := range r.take(len(dst), 1) {
		dst[i] = int8(b)
	}
}

// Float32s fills dst.
func (r *Reader) Float32s(dst []float32) {
	b := r.take(len(dst), 4)
	for i := range len(b) / 4 {
		dst[i] = math.Float32frombits(r.order.Uint32(b[4*i:]))
	}
}

// Float64s fills dst.
func (r *Reader) Float64s(dst []float64) {
	b := r.take(len(dst), 8)
	for i := range len(b) / 8 {
		dst[i] = math.Float64frombits(r.order.Uint64(b[8*i:]))
	}
}

// ReadInts fills dst with integers of two bytes or more.
func ReadInts[T int16 | uint16 | int32 | uint32 | int64 | uint64](r *Reader, dst []T) {
	size := integerBits[T]() / 8
	b := r.take(len(dst), size)
	for i := range len(b) / size {
		switch size {
		case 2:
			dst[i] = T(r.order.Uint16(b[2*i:]))
		case 4:
			dst[i] = T(r.order.Uint32(b[4*i:]))
		default:
			dst[i] = T(r.order.Uint64(b[8*i:]))
		}
	}
}

// Strings fills dst with strings of at most limit bytes.
func (r *Reader) Strings(dst []string, limit int) {
	for i := range dst {
		dst[i] = r.String(limit)
	}
}

// WStrings fills dst with wide strings of at most limit code units.
func (r *Reader) WStrings(dst []string, limit int) {
	for i := range dst {
		dst[i] = r.WString(limit)
	}
}

// ReadStructs fills dst.
func ReadStructs[T any, P interface {
	*T
	Message
}](r *Reader, dst []T) {
	for i := range dst {
		if r.err != nil {
			return
		}
		P(&dst[i]).ReadWire(r)
	}
}
