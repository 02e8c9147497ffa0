package teleop

import (
	"encoding/binary"
	"fmt"
)

// The framing of binary streams. Every datagram starts with a header, little-endian:
//
//	offset  type     field
//	0       4 bytes  magic
//	4       u8       stream
//	5       u32      frame number, increasing per stream, wrapping
//	9       u16      chunk index
//	11      u16      chunk count
const (
	ChunkHeaderSize = 13
	// MaxChunk is the longest payload of one datagram [bytes]: with all headers it stays below the MTU of Ethernet.
	MaxChunk = 1400
	// MaxFrame is the longest payload of one frame [bytes].
	MaxFrame = MaxChunk * 0xFFFF
)

// A ChunkHeader is the header of a stream datagram.
type ChunkHeader struct {
	Stream       Stream
	Frame        uint32
	Index, Count uint16
}

// Append appends the header with a dialect's magic.
func (h ChunkHeader) Append(dst []byte, magic [4]byte) []byte {
	dst = append(append(dst, magic[:]...), byte(h.Stream))
	dst = binary.LittleEndian.AppendUint32(dst, h.Frame)
	dst = binary.LittleEndian.AppendUint16(dst, h.Index)
	return binary.LittleEndian.AppendUint16(dst, h.Count)
}

// ParseChunk splits a stream datagram into its header and payload, which is part of data. The error wraps [ErrMalformed].
func (d *Dialect) ParseChunk(data []byte) (h ChunkHeader, payload []byte, err error) {
	if len(data) < ChunkHeaderSize {
		return h, nil, fmt.Errorf("%w: %d bytes are less than a chunk header", ErrMalformed, len(data))
	}
	if [4]byte(data[:4]) != d.Magic {
		return h, nil, fmt.Errorf("%w: magic %q is not %q", ErrMalformed, data[:4], d.Magic[:])
	}
	h = ChunkHeader{
		Stream: Stream(data[4]),
		Frame:  binary.LittleEndian.Uint32(data[5:]),
		Index:  binary.LittleEndian.Uint16(data[9:]),
		Count:  binary.LittleEndian.Uint16(data[11:]),
	}
	payload = data[ChunkHeaderSize:]
	switch {
	case !d.HasStream(h.Stream):
		return h, nil, fmt.Errorf("%w: %s does not exist in %s", ErrMalformed, h.Stream, d.Name)
	case h.Index >= h.Count:
		return h, nil, fmt.Errorf("%w: chunk %d of %d", ErrMalformed, h.Index, h.Count)
	case len(payload) > MaxChunk:
		return h, nil, fmt.Errorf("%w: a chunk of %d bytes is longer than %d", ErrMalformed, len(payload), MaxChunk)
	}
	return h, payload, nil
}

// Chunks is the number of datagrams that a frame of n bytes needs; an empty frame needs one.
func Chunks(n int) int { return max(1, (n+MaxChunk-1)/MaxChunk) }

// AppendChunk appends datagram index of a frame.
func (d *Dialect) AppendChunk(dst []byte, s Stream, frame uint32, payload []byte, index int) []byte {
	start := index * MaxChunk
	end := min(start+MaxChunk, len(payload))
	dst = ChunkHeader{Stream: s, Frame: frame, Index: uint16(index), Count: uint16(Chunks(len(payload)))}.Append(dst, d.Magic)
	return append(dst, payload[start:end]...)
}
