package sensorlog

import (
	"encoding/base64"
	"strings"
	"testing"
)

func TestUnpack(t *testing.T) {
	// 100 bytes of "a", which nothing in the standard library can compress with bzip2.
	packed, err := base64.StdEncoding.DecodeString("QlpoOTFBWSZTWYpXIb0AAAIBAGAAIAAhAIILF3JFOFCQilchvQ==")
	if err != nil {
		t.Fatal(err)
	}
	var u unpacker
	defer u.close()
	if out, err := u.unpack("bz2", packed, 100); err != nil || string(out) != strings.Repeat("a", 100) {
		t.Errorf("%q, %v", out, err)
	}
	for _, tt := range []struct {
		name, compression string
		packed            []byte
		size              uint64
		want              string
	}{
		{"more than it says", "bz2", packed, 99, "does not have the 99 bytes"},
		{"less than it says", "bz2", packed, 101, "does not have the 101 bytes"},
		{"cut", "bz2", packed[:len(packed)-9], 100, "cannot be decompressed"},
		{"no zstd", "zstd", []byte("nonsense"), 100, "cannot be decompressed"},
		{"no lz4", "lz4", []byte("nonsense"), 100, "cannot be decompressed"},
		{"plain and wrong", "", []byte("four"), 5, "has 4 bytes and says 5"},
		{"huge", "zstd", nil, maxChunk + 1, "record with chunks of at most"},
		{"unknown", "rar", nil, 0, `"rar"`},
	} {
		if _, err := u.unpack(tt.compression, tt.packed, tt.size); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
