package rosbridge

import (
	"encoding/binary"
	"math"
	"strconv"
	"time"
)

// The major types of CBOR (RFC 8949 section 3.1), in place.
const (
	cborUint   = 0 << 5
	cborInt    = 1 << 5
	cborBytes  = 2 << 5
	cborText   = 3 << 5
	cborArray  = 4 << 5
	cborMap    = 5 << 5
	cborTag    = 6 << 5
	cborSimple = 7 << 5
)

// Simple values.
const (
	cborFalse     = cborSimple | 20
	cborTrue      = cborSimple | 21
	cborNull      = cborSimple | 22
	cborUndefined = cborSimple | 23
	cborFloat16   = cborSimple | 25
	cborFloat32   = cborSimple | 26
	cborFloat64   = cborSimple | 27
	cborBreak     = cborSimple | 31
)

// Tags of typed arrays, little-endian (RFC 8746 section 2).
const (
	tagUint8   = 64
	tagUint16  = 69
	tagUint32  = 70
	tagUint64  = 71
	tagInt8    = 72
	tagInt16   = 77
	tagInt32   = 78
	tagInt64   = 79
	tagFloat32 = 85
	tagFloat64 = 86
)

// appendHead appends the first bytes of an item: major type and argument, in the shortest form.
func appendHead(dst []byte, major byte, n uint64) []byte {
	switch {
	case n < 24:
		return append(dst, major|byte(n))
	case n <= math.MaxUint8:
		return append(dst, major|24, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, major|25), uint16(n))
	case n <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, major|26), uint32(n))
	default:
		return binary.BigEndian.AppendUint64(append(dst, major|27), n)
	}
}

func appendCBORText(dst []byte, s string) []byte {
	return append(appendHead(dst, cborText, uint64(len(s))), s...)
}

func appendCBORInt(dst []byte, n int64) []byte {
	if n < 0 {
		return appendHead(dst, cborInt, uint64(-(n + 1)))
	}
	return appendHead(dst, cborUint, uint64(n))
}

func appendCBORFloat64(dst []byte, v float64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, cborFloat64), math.Float64bits(v))
}

func appendCBORBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, cborTrue)
	}
	return append(dst, cborFalse)
}

// cborHeader returns a publish frame up to the message, which follows as one CBOR item.
func cborHeader(topic string) []byte {
	dst := appendHead(nil, cborMap, 3)
	dst = appendCBORText(appendCBORText(dst, "op"), OpPublish)
	dst = appendCBORText(appendCBORText(dst, "topic"), topic)
	return appendCBORText(dst, "msg")
}

// appendCBORRaw appends the message of a cbor-raw publish: when the server got it, and its serialized form.
func appendCBORRaw(dst []byte, at time.Time, serialized []byte) []byte {
	dst = appendHead(dst, cborMap, 3)
	dst = appendCBORInt(appendCBORText(dst, "secs"), at.Unix())
	dst = appendCBORInt(appendCBORText(dst, "nsecs"), int64(at.Nanosecond()))
	return append(appendHead(appendCBORText(dst, "bytes"), cborBytes, uint64(len(serialized))), serialized...)
}

// appendJSONAsCBOR appends a checked JSON value of unknown type as CBOR: whole numbers of up to 64 bits stay integers with
// every digit, all others become float64.
func appendJSONAsCBOR(dst, text []byte) []byte {
	s := scanner{src: text}
	return s.cbor(dst)
}

func (s *scanner) cbor(dst []byte) []byte {
	switch c := s.peek(); c {
	case '"':
		start := s.pos
		s.text()
		return appendCBORText(dst, unquote(s.src[start:s.pos]))
	case '{', '[':
		return s.cborItems(dst, c)
	default:
		return appendScalar(dst, s.value())
	}
}

// cborItems appends an object or array. Its head has room for any length, because the length is known at its end only.
func (s *scanner) cborItems(dst []byte, open byte) []byte {
	const room = 26 // four bytes follow
	major, end := byte(cborArray), byte(']')
	if open == '{' {
		major, end = cborMap, '}'
	}
	head := len(dst)
	dst = append(dst, major|room, 0, 0, 0, 0)
	n := uint32(0)
	s.pos++
	for !s.take(end) && s.err == nil {
		if n > 0 {
			s.take(',')
		}
		if open == '{' {
			dst = appendCBORText(dst, unquote(s.key()))
		}
		dst = s.cbor(dst)
		n++
	}
	binary.BigEndian.PutUint32(dst[head+1:], n)
	return dst
}

// appendScalar appends a number, true, false or null.
func appendScalar(dst, text []byte) []byte {
	switch string(text) {
	case "true", "false":
		return appendCBORBool(dst, text[0] == 't')
	case "null":
		return append(dst, cborNull)
	}
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return appendCBORInt(dst, n)
	}
	if n, err := strconv.ParseUint(string(text), 10, 64); err == nil {
		return appendHead(dst, cborUint, n)
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil && math.IsInf(v, 0) {
		v = math.Copysign(math.MaxFloat64, v)
	}
	return appendCBORFloat64(dst, v)
}
