package sensorlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/foxglove/go-rosbag"
)

// bagReader reads the records of a bag from its beginning to its end. It does so by itself, because the library's readers believe all sizes,
// and its linear one loses records after a chunk; the format is a header of named fields, and data, for each record
// (wiki.ros.org/Bags/Format/2.0).
type bagReader struct {
	c           *collector
	connections map[uint32]channel
	unpack      unpacker
	chunks      int
}

// bagRecord is one record.
type bagRecord struct {
	op     rosbag.OpCode
	fields map[string][]byte
	data   []byte
}

func readBag(r io.Reader, size int64, c *collector) error {
	b := &bagReader{c: c, connections: map[uint32]channel{}}
	defer b.unpack.close()
	in := &bagRecords{r: r, left: size}
	if err := in.skip(len(rosbag.Magic)); err != nil {
		return err
	}
	head, err := in.next()
	if err != nil {
		return bagFault(err)
	}
	if head.op != rosbag.OpBagHeader {
		return damaged("it begins with a record of kind %d", head.op)
	}
	index, okIndex := head.number("index_pos", 8)
	chunks, okChunks := head.number("chunk_count", 4)
	switch {
	case !okIndex || !okChunks:
		return damaged("its header has no index_pos or chunk_count")
	case index == 0:
		return errors.New("the recording was never closed: repair it with `rosbag reindex`")
	}
	for {
		record, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = b.record(record)
		}
		if err != nil {
			return bagFault(err)
		}
	}
	if uint64(b.chunks) != chunks {
		return cutShort("`rosbag reindex`")
	}
	return nil
}

func bagFault(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return cutShort("`rosbag reindex`")
	}
	return err
}

func (b *bagReader) record(r bagRecord) error {
	if r.op != rosbag.OpChunk {
		return b.inner(r)
	}
	b.chunks++
	size, ok := r.number("size", 4)
	if !ok {
		return damaged("a chunk without a size")
	}
	compression := string(r.fields["compression"])
	if compression == rosbag.CompressionNone {
		compression = ""
	}
	records, err := b.unpack.unpack(compression, r.data, size)
	if err != nil {
		return err
	}
	in := &bagRecords{r: bytes.NewReader(records), left: int64(len(records))}
	for {
		record, err := in.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return damaged("a chunk ends inside a record")
		case err != nil:
			return err
		}
		if err := b.inner(record); err != nil {
			return err
		}
	}
}

func (b *bagReader) inner(r bagRecord) error {
	switch r.op {
	case rosbag.OpConnection:
		id, ok := r.number("conn", 4)
		fields, err := bagFields(r.data)
		if !ok || err != nil {
			return damaged("a connection without a number or a header")
		}
		ch, err := newChannel(string(r.fields["topic"]), string(fields["type"]), "ros1")
		if err != nil {
			return err
		}
		if b.connections[uint32(id)] = ch; len(b.connections) > maxChannels {
			return damaged("more than %d connections", maxChannels)
		}
	case rosbag.OpMessageData:
		id, ok := r.number("conn", 4)
		ch, known := b.connections[uint32(id)]
		if !ok || !known {
			return damaged("a message on connection %d, which nothing describes", id)
		}
		return b.c.add(ch, r.data)
	case rosbag.OpChunk:
		return damaged("a chunk in a chunk")
	default: // indexes
	}
	return nil
}

// number is a field of n bytes, little-endian.
func (r bagRecord) number(name string, n int) (v uint64, ok bool) {
	field := r.fields[name]
	if len(field) != n {
		return 0, false
	}
	var wide [8]byte
	copy(wide[:], field)
	return binary.LittleEndian.Uint64(wide[:]), true
}

// bagRecords reads records one by one. buf is reused: a record holds until the next is read.
type bagRecords struct {
	r    io.Reader
	left int64 // bytes that can still come
	buf  [2][]byte
}

// next reads a record. The error is io.EOF where no further record begins.
func (b *bagRecords) next() (out bagRecord, err error) {
	header, err := b.part(0)
	if err != nil {
		return out, err
	}
	if out.data, err = b.part(1); err != nil {
		return out, noEOF(err)
	}
	if out.fields, err = bagFields(header); err != nil {
		return out, err
	}
	op := out.fields["op"]
	if len(op) != 1 {
		return out, damaged("a record of no kind")
	}
	out.op = rosbag.OpCode(op[0])
	return out, nil
}

func (b *bagRecords) part(i int) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(b.r, length[:]); err != nil {
		return nil, err
	}
	b.left -= 4
	n := int64(binary.LittleEndian.Uint32(length[:]))
	switch {
	case n > b.left:
		return nil, io.ErrUnexpectedEOF
	case n > maxRecord:
		return nil, damaged("a record of %d bytes", n)
	}
	b.left -= n
	if n > int64(cap(b.buf[i])) {
		b.buf[i] = make([]byte, n)
	}
	part := b.buf[i][:n]
	_, err := io.ReadFull(b.r, part)
	return part, noEOF(err)
}

func (b *bagRecords) skip(n int) error {
	b.left -= int64(n)
	if _, err := io.CopyN(io.Discard, b.r, int64(n)); err != nil {
		return fmt.Errorf("read its first bytes: %w", err)
	}
	return nil
}

// noEOF makes an end of the file inside of something unexpected.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// bagFields splits a header: for each field u32 n, and n bytes name=value.
func bagFields(header []byte) (map[string][]byte, error) {
	fields := map[string][]byte{}
	for len(header) > 0 {
		if len(header) < 4 {
			return nil, damaged("a header that ends inside a field")
		}
		n := uint64(binary.LittleEndian.Uint32(header))
		if n > uint64(len(header)-4) {
			return nil, damaged("a header with a field that is longer than it")
		}
		name, value, ok := bytes.Cut(header[4:4+n], []byte{'='})
		if !ok {
			return nil, damaged("a header with a field that has no name")
		}
		fields[string(name)] = value
		header = header[4+n:]
	}
	return fields, nil
}
