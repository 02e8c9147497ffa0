package sensorlog

import (
	"bytes"
	"compress/bzip2"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

const (
	maxRecord = 1 << 30   // [bytes] of a record in a file
	maxChunk  = 256 << 20 // [bytes] of an unpacked chunk; recorders make them of 1 to 64 MB
)

// damaged is the error of a file that breaks the rules of its format.
func damaged(format string, args ...any) error {
	return fmt.Errorf("the file is damaged: "+format+": copy it again from where it was recorded", args...)
}

// cutShort is the error of a file that ends too early.
func cutShort(repair string) error {
	return fmt.Errorf("the file was cut short: copy it again, or repair it with %s", repair)
}

// unpacker decompresses chunks. Its buffers are reused: a chunk holds until the next is unpacked.
type unpacker struct {
	zstd *zstd.Decoder
	out  bytes.Buffer
}

// unpack decompresses a chunk that says how large it will be. The buffer grows with what is really there.
func (u *unpacker) unpack(compression string, packed []byte, size uint64) ([]byte, error) {
	if size > maxChunk {
		return nil, fmt.Errorf("a chunk of %d bytes: record with chunks of at most %d", size, maxChunk)
	}
	source := io.Reader(bytes.NewReader(packed))
	switch compression {
	case "":
		if uint64(len(packed)) != size {
			return nil, damaged("a chunk has %d bytes and says %d", len(packed), size)
		}
		return packed, nil
	case "lz4":
		source = lz4.NewReader(source)
	case "bz2":
		source = bzip2.NewReader(source)
	case "zstd":
		if err := u.open(source); err != nil {
			return nil, err
		}
		source = u.zstd
	default:
		return nil, fmt.Errorf("a chunk is compressed with %.20q: record with zstd, lz4, bz2 (bags) or none", compression)
	}
	u.out.Reset()
	n, err := u.out.ReadFrom(io.LimitReader(source, int64(size)+1))
	switch {
	case err != nil:
		return nil, damaged("a chunk cannot be decompressed: %w", err)
	case uint64(n) != size:
		return nil, damaged("a chunk does not have the %d bytes that it says", size)
	}
	return u.out.Bytes(), nil
}

func (u *unpacker) open(source io.Reader) (err error) {
	if u.zstd == nil {
		// One at a time: chunks are small, and other work has the other cores.
		u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxChunk), zstd.WithDecoderMaxWindow(maxChunk))
		if err != nil {
			return fmt.Errorf("prepare to decompress: %w", err)
		}
	}
	if err := u.zstd.Reset(source); err != nil {
		return damaged("a chunk cannot be decompressed: %w", err)
	}
	return nil
}

func (u *unpacker) close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
}
