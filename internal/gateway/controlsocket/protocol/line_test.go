package protocol_test

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/gateway/controlsocket/protocol"
)

func TestReadLine(t *testing.T) {
	longest := strings.Repeat("x", protocol.MaxRequest-1)
	tests := []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"lines", "a\nbc\r\n\n \nd\n", []string{"a", "bc", " ", "d"}},
		{"end without newline", "a\nb", []string{"a"}},
		{"longest", longest + "\na\n", []string{longest, "a"}},
		{"one longer", longest + "x\na\n", []string{"too long", "a"}},
		{"much longer", longest + longest + longest + "\na\n", []string{"too long", "a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := bufio.NewReader(strings.NewReader(tt.text))
			var got []string
			for {
				line, err := protocol.ReadLine(r)
				if errors.Is(err, io.EOF) {
					break
				}
				if errors.Is(err, protocol.ErrTooLong) {
					line = []byte("too long")
				}
				got = append(got, string(line))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("lines (-want +got):\n%.200s", diff)
			}
		})
	}
}
