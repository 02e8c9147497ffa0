package wire

import (
	"encoding/base64"
	"strconv"
	"unicode/utf8"
)

// JSONBool appends true or false.
func JSONBool(dst []byte, v bool) []byte { return strconv.AppendBool(dst, v) }

// JSONInt appends a signed integer with every digit.
func JSONInt[T int8 | int16 | int32 | int64](dst []byte, v T) []byte {
	return strconv.AppendInt(dst, int64(v), 10)
}

// JSONUint appends an unsigned integer with every digit.
func JSONUint[T uint8 | uint16 | uint32 | uint64](dst []byte, v T) []byte {
	return strconv.AppendUint(dst, uint64(v), 10)
}

const hexDigits = "0123456789abcdef"

// JSONString appends s quoted and escaped (RFC 8259 section 7); bytes that are not UTF-8 become U+FFFD.
func JSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		i++
		start = i
		switch {
		case c >= utf8.RuneSelf:
			dst = append(dst, "\ufffd"...)
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(append(dst, s[start:]...), '"')
}

// JSONBytes appends s as a base64 string (RFC 4648 section 4).
func JSONBytes(dst, s []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), s), '"')
}

// JSONBools appends an array.
func JSONBools(dst []byte, s []bool) []byte { return jsonArray(dst, s, JSONBool) }

// JSONInts appends an array.
func JSONInts[T int16 | int32 | int64](dst []byte, s []T) []byte {
	return jsonArray(dst, s, JSONInt[T])
}

// JSONUints appends an array.
func JSONUints[T uint16 | uint32 | uint64](dst []byte, s []T) []byte {
	return jsonArray(dst, s, JSONUint[T])
}

// JSONStrings appends an array.
func JSONStrings(dst []byte, s []string) []byte { return jsonArray(dst, s, JSONString) }

func jsonArray[T any](dst []byte, s []T, elem func([]byte, T) []byte) []byte {
	dst = append(dst, '[')
	for i, v := range s {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = elem(dst, v)
	}
	return append(dst, ']')
}

// JSONFloat32s appends an array.
func JSONFloat32s(dst []byte, s []float32) []byte {
	dst = append(dst, '[')
	for i, v := range s {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = JSONFloat32(dst, v)
	}
	return append(dst, ']')
}

// JSONFloat64s appends an array.
func JSONFloat64s(dst []byte, s []float64) []byte {
	dst = append(dst, '[')
	for i, v := range s {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = JSONFloat64(dst, v)
	}
	return append(dst, ']')
}

// int8Texts holds ",-128" to ",127" padded to 8 bytes, the last of which is the length.
// Occupancy grids are millions of int8: one store each beats formatting.
//
//nolint:gochecknoglobals // a constant table
var int8Texts = func() (table [256][8]byte) {
	for i := range table {
		n := copy(table[i][:], strconv.AppendInt([]byte{','}, int64(int8(i)), 10))
		table[i][7] = byte(n)
	}
	return table
}()

// JSONInt8s appends an array.
func JSONInt8s(dst []byte, s []int8) []byte {
	if len(s) == 0 {
		return append(dst, "[]"...)
	}
	start := len(dst)
	for _, v := range s {
		text := &int8Texts[uint8(v)]
		n := len(dst)
		if cap(dst)-n < len(text) { // at the end of the slice: only what is needed
			dst = append(dst, text[:text[7]]...)
			continue
		}
		dst = dst[:n+len(text)]
		*(*[8]byte)(dst[n:]) = *text
		dst = dst[:n+int(text[7])]
	}
	dst[start] = '['
	return append(dst, ']')
}

// JSONStructs appends an array.
func JSONStructs[T any, P interface {
	*T
	AppendJSON(dst []byte) []byte
}](dst []byte, s []T) []byte {
	dst = append(dst, '[')
	for i := range s {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = P(&s[i]).AppendJSON(dst)
	}
	return append(dst, ']')
}
