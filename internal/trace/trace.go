// Package trace writes every message of a run to one file, such that two runs that
// went the same way give the same bytes.
//
// File: the 8 bytes "SRTRACE1", then one record for each message in the order of
// publication, all numbers little-endian:
//
//	u64 time since the start of the run in ns · u16 n · n bytes topic name · u32 m · m bytes CDR (JSON for unknown types)
package trace

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"time"

	"sarathi/internal/bus"
)

// Magic begins every trace.
const Magic = "SRTRACE1"

// Writer writes one trace and its SHA-256. It is not safe for concurrent use.
type Writer struct {
	start    time.Time
	out      *bufio.Writer // nil when only the sum is wanted
	sum      hash.Hash
	head     []byte
	messages uint64
	err      error
}

// NewWriter returns a writer for a run that begins at start. out may be nil, to get the sum only.
func NewWriter(out io.Writer, start time.Time) *Writer {
	w := &Writer{start: start, sum: sha256.New()}
	if out != nil {
		w.out = bufio.NewWriterSize(out, 1<<20)
	}
	w.write([]byte(Magic))
	return w
}

// Add appends one message. Errors are kept for Close.
func (w *Writer) Add(s *bus.Sample) {
	body := s.CDR()
	if body == nil {
		body = s.JSON()
	}
	h := binary.LittleEndian.AppendUint64(w.head[:0], uint64(s.At.Sub(w.start)))
	h = binary.LittleEndian.AppendUint16(h, uint16(len(s.Topic)))
	h = append(h, s.Topic...)
	h = binary.LittleEndian.AppendUint32(h, uint32(len(body)))
	w.head = h
	w.write(h)
	w.write(body)
	w.messages++
}

func (w *Writer) write(b []byte) {
	w.sum.Write(b) // a hash never fails
	if w.out == nil || w.err != nil {
		return
	}
	if _, err := w.out.Write(b); err != nil {
		w.err = fmt.Errorf("write trace: %w", err)
	}
}

// Messages returns how many messages were added.
func (w *Writer) Messages() uint64 { return w.messages }

// Close flushes and returns the first error. It does not close the file below.
func (w *Writer) Close() error {
	if w.out != nil && w.err == nil {
		if err := w.out.Flush(); err != nil {
			w.err = fmt.Errorf("write trace: %w", err)
		}
	}
	return w.err
}

// SHA256 returns the sum of everything written so far, in hex.
func (w *Writer) SHA256() string { return hex.EncodeToString(w.sum.Sum(nil)) }
