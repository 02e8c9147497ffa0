package sensorlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/foxglove/mcap/go/mcap"
)

// mcapReader reads the records of an MCAP file from its beginning to its footer. The index at the end is not needed: nearly everything is read.
type mcapReader struct {
	c        *collector
	schemas  map[uint16]string // names of types
	channels map[uint16]channel
	unpack   unpacker
}

func readMCAP(r io.Reader, size int64, c *collector) error {
	m := &mcapReader{c: c, schemas: map[uint16]string{}, channels: map[uint16]channel{}}
	defer m.unpack.close()
	// Chunks are opened here, with bounds; the lexer would follow lengths in them that lie.
	lexer, err := mcap.NewLexer(r, &mcap.LexerOptions{EmitChunks: true, MaxRecordSize: int(min(size, maxRecord))})
	if err != nil {
		return damaged("%w", err)
	}
	defer lexer.Close()
	var buf []byte
	for {
		token, record, err := lexer.Next(buf)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, new(*mcap.ErrTruncatedRecord)),
			errors.Is(err, mcap.ErrRecordTooLarge):
			return cutShort("`mcap recover`")
		case err != nil:
			return damaged("%w", err)
		}
		buf = record[:cap(record)]
		switch token {
		case mcap.TokenFooter:
			return nil
		case mcap.TokenChunk:
			err = m.chunk(record)
		default:
			err = m.record(token, record)
		}
		if err != nil {
			return err
		}
	}
}

func (m *mcapReader) record(token mcap.TokenType, record []byte) error {
	switch token {
	case mcap.TokenSchema:
		s, err := mcap.ParseSchema(record)
		if err != nil {
			return damaged("%w", err)
		}
		m.schemas[s.ID] = s.Name[:min(len(s.Name), maxName+1)]
	case mcap.TokenChannel:
		in, err := mcap.ParseChannel(record)
		if err != nil {
			return damaged("%w", err)
		}
		ch, err := newChannel(in.Topic, m.schemas[in.SchemaID], in.MessageEncoding)
		if err != nil {
			return err
		}
		m.channels[in.ID] = ch
	case mcap.TokenMessage:
		msg, err := mcap.ParseMessage(record)
		if err != nil {
			return damaged("%w", err)
		}
		ch, ok := m.channels[msg.ChannelID]
		if !ok {
			return damaged("a message on channel %d, which nothing describes", msg.ChannelID)
		}
		return m.c.add(ch, msg.Data)
	default: // indexes, attachments and the like
	}
	return nil
}

// chunk reads the records in a chunk: start and end time, size, sum, compression (u32 n and n bytes), u64 length, bytes.
func (m *mcapReader) chunk(record []byte) error {
	const fixed = 8 + 8 + 8 + 4 + 4 + 8 // all but the name of the compression and the records
	if len(record) < fixed {
		return damaged("a chunk of %d bytes", len(record))
	}
	// The parser believes the length of the records, so that it is checked before.
	name := uint64(binary.LittleEndian.Uint32(record[fixed-12:]))
	if name > uint64(len(record)-fixed) || binary.LittleEndian.Uint64(record[fixed-8+name:]) != uint64(len(record)-fixed)-name {
		return damaged("a chunk whose parts are longer than the whole")
	}
	c, err := mcap.ParseChunk(record)
	if err != nil {
		return damaged("%w", err)
	}
	records, err := m.unpack.unpack(c.Compression, c.Records, c.UncompressedSize)
	if err != nil {
		return err
	}
	if sum := crc32.ChecksumIEEE(records); c.UncompressedCRC != 0 && sum != c.UncompressedCRC {
		return damaged("a chunk has the sum %08x and says %08x", sum, c.UncompressedCRC)
	}
	lexer, err := mcap.NewLexer(bytes.NewReader(records), &mcap.LexerOptions{SkipMagic: true, EmitChunks: true, MaxRecordSize: max(len(records), 1)})
	if err != nil {
		return damaged("%w", err)
	}
	defer lexer.Close()
	var buf []byte
	for {
		token, inner, err := lexer.Next(buf)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return damaged("in a chunk: %w", err)
		case token == mcap.TokenChunk:
			return damaged("a chunk in a chunk")
		}
		buf = inner[:cap(inner)]
		if err := m.record(token, inner); err != nil {
			return err
		}
	}
}
