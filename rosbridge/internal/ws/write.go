package ws

import (
	"encoding/binary"
	"strings"
)

// MaxHeader is the longest header that a server writes.
const MaxHeader = 10

// AppendHeader appends the header of an unmasked frame with a payload of n bytes.
func AppendHeader(dst []byte, kind Kind, n int) []byte {
	first := 0x80 | byte(kind)
	switch {
	case n <= maxControl:
		return append(dst, first, byte(n))
	case n <= 0xffff:
		return binary.BigEndian.AppendUint16(append(dst, first, 126), uint16(n))
	default:
		return binary.BigEndian.AppendUint64(append(dst, first, 127), uint64(n))
	}
}

// AppendFrame appends a whole frame.
func AppendFrame(dst []byte, kind Kind, payload []byte) []byte {
	return append(AppendHeader(dst, kind, len(payload)), payload...)
}

// AppendClose appends a close frame. A long reason is cut.
func AppendClose(dst []byte, code int, reason string) []byte {
	if code == NoStatus {
		return AppendHeader(dst, Close, 0)
	}
	reason = strings.ToValidUTF8(reason[:min(len(reason), maxControl-2)], "")
	payload := binary.BigEndian.AppendUint16(make([]byte, 0, maxControl), uint16(code))
	return AppendFrame(dst, Close, append(payload, reason...))
}
