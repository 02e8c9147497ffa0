package rosbridge

import (
	"encoding/binary"
	"math"
	"unicode/utf16"

	"sarathi/internal/idl"
)

// appendCBOR appends a message as rosbridge_suite does: a map; arrays of numbers as typed arrays (RFC 8746), which are
// the bytes of the CDR form as they are; uint8 and char arrays as byte strings. cdr is what the type's AppendCDR wrote.
func (c *codec) appendCBOR(dst, cdr []byte) []byte {
	const encapsulation = 4
	r := cdrReader{src: cdr[min(encapsulation, len(cdr)):]}
	return r.message(dst, c.shape)
}

// cdrReader walks little-endian CDR that this program wrote. Beyond the end it reads zeros.
type cdrReader struct {
	src []byte
	pos int
}

// take returns the next n elements of size bytes, aligned. No elements take no alignment, as in Fast CDR.
func (r *cdrReader) take(n, size int) []byte {
	if n == 0 || size == 0 {
		return nil
	}
	at := (r.pos + size - 1) &^ (size - 1)
	if n > (len(r.src)-at)/size {
		r.pos = len(r.src)
		return make([]byte, size)
	}
	r.pos = at + n*size
	return r.src[at:r.pos]
}

func (r *cdrReader) uint(size int) uint64 {
	b := r.take(1, size)
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	default:
		return binary.LittleEndian.Uint64(b)
	}
}

func (r *cdrReader) message(dst []byte, sh *shape) []byte {
	dst = appendHead(dst, cborMap, uint64(len(sh.fields)))
	for i := range sh.fields {
		f := &sh.fields[i]
		dst = appendCBORText(dst, f.name)
		if f.array == idl.Scalar {
			dst = r.scalar(dst, f)
		} else {
			dst = r.array(dst, f)
		}
	}
	if len(sh.fields) == 0 {
		r.take(1, 1) // what stands for an empty message
	}
	return dst
}

func (r *cdrReader) array(dst []byte, f *shapeField) []byte {
	n := f.len
	if f.array != idl.Fixed {
		n = int(r.uint(4))
	}
	switch tag := typedTag(f); {
	case f.bytes && !f.octet:
		b := r.take(n, 1)
		return append(appendHead(dst, cborBytes, uint64(len(b))), b...)
	case tag != 0:
		b := r.take(n, f.size)
		dst = appendHead(appendHead(dst, cborTag, tag), cborBytes, uint64(len(b)))
		return append(dst, b...)
	}
	dst = appendHead(dst, cborArray, uint64(n))
	for range n {
		dst = r.scalar(dst, f)
	}
	return dst
}

// typedTag returns the tag of a typed array, or 0 for elements that are no numbers.
func typedTag(f *shapeField) uint64 {
	switch f.kind {
	case kindFloat:
		if f.size == 4 {
			return tagFloat32
		}
		return tagFloat64
	case kindInt:
		return [...]uint64{1: tagInt8, 2: tagInt16, 4: tagInt32, 8: tagInt64}[f.size]
	case kindUint:
		return [...]uint64{1: tagInt8, 2: tagUint16, 4: tagUint32, 8: tagUint64}[f.size] // byte is int8 to rosbridge
	default:
		return 0
	}
}

func (r *cdrReader) scalar(dst []byte, f *shapeField) []byte {
	switch f.kind {
	case kindStruct:
		return r.message(dst, f.sub)
	case kindBool:
		return appendCBORBool(dst, r.uint(1) != 0)
	case kindFloat:
		if f.size == 4 {
			return appendCBORFloat64(dst, float64(math.Float32frombits(uint32(r.uint(4)))))
		}
		return appendCBORFloat64(dst, math.Float64frombits(r.uint(8)))
	case kindInt:
		shift := 64 - 8*f.size
		return appendCBORInt(dst, int64(r.uint(f.size)<<shift)>>shift)
	case kindUint:
		return appendHead(dst, cborUint, r.uint(f.size))
	case kindWString:
		units := r.take(int(r.uint(4)), 2)
		wide := make([]uint16, len(units)/2)
		for i := range wide {
			wide[i] = binary.LittleEndian.Uint16(units[2*i:])
		}
		return appendCBORText(dst, string(utf16.Decode(wide)))
	default:
		b := r.take(int(r.uint(4)), 1)
		return append(appendHead(dst, cborText, uint64(max(len(b)-1, 0))), b[:max(len(b)-1, 0)]...)
	}
}
