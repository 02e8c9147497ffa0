package trace_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/bus"
	"sarathi/internal/bus/bustest"
	"sarathi/internal/clock"
	"sarathi/internal/trace"
	"sarathi/msg/std"
)

// record is one message of a trace, taken apart by the description in the package comment alone.
type record struct {
	At    time.Duration
	Topic string
	Body  []byte
}

func parse(t *testing.T, b []byte) []record {
	t.Helper()
	if len(b) < 8 || string(b[:8]) != "SRTRACE1" {
		t.Fatalf("begins with %q", b[:min(8, len(b))])
	}
	var out []record
	for b = b[8:]; len(b) > 0; {
		at := binary.LittleEndian.Uint64(b)
		n := int(binary.LittleEndian.Uint16(b[8:]))
		topic := string(b[10 : 10+n])
		b = b[10+n:]
		m := int(binary.LittleEndian.Uint32(b))
		out = append(out, record{time.Duration(at), topic, b[4 : 4+m]})
		b = b[4+m:]
	}
	return out
}

func TestTheFormat(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	clk := clock.NewManual(start)
	var file bytes.Buffer
	w := trace.NewWriter(&file, start)
	sum := trace.NewWriter(nil, start)
	b := bus.New(bus.Options{Clock: clk, Tap: func(s *bus.Sample) {
		w.Add(s)
		sum.Add(s)
	}})
	greet := bus.NewPublisher(bustest.NewClient(t, b, "tester"), bus.NewTopic[std.String]("/greeting", bus.Queue(1), "a text"))
	number := bus.NewPublisher(bustest.NewClient(t, b, "tester"), bus.NewTopic[std.Float64]("/number", bus.Queue(1), "a number"))
	greet.Publish(std.String{Data: "hi"})
	clk.Advance(1500 * time.Millisecond)
	number.Publish(std.Float64{Data: -2.5})
	clk.Advance(-2 * time.Second) // a clock that jumps is written as it was
	greet.Publish(std.String{})
	if err := errors.Join(w.Close(), sum.Close()); err != nil {
		t.Fatal(err)
	}
	float := binary.LittleEndian.AppendUint64([]byte{0, 1, 0, 0}, math.Float64bits(-2.5))
	want := []record{
		{0, "/greeting", []byte{0, 1, 0, 0, 3, 0, 0, 0, 'h', 'i', 0}},
		{1500 * time.Millisecond, "/number", float},
		{-500 * time.Millisecond, "/greeting", []byte{0, 1, 0, 0, 1, 0, 0, 0, 0}},
	}
	if diff := cmp.Diff(want, parse(t, file.Bytes())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if w.Messages() != 3 {
		t.Errorf("%d messages", w.Messages())
	}
	whole := sha256.Sum256(file.Bytes())
	if got := hex.EncodeToString(whole[:]); w.SHA256() != got || sum.SHA256() != got {
		t.Errorf("sums %s and %s, of the file %s", w.SHA256(), sum.SHA256(), got)
	}
}

// full is a disk that is full after some bytes.
type full struct{ left int }

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestAFullDiskIsToldAtTheEnd(t *testing.T) {
	clk := clock.NewManual(time.Time{})
	w := trace.NewWriter(&full{left: 1 << 20}, time.Time{})
	b := bus.New(bus.Options{Clock: clk, Tap: w.Add})
	pub := bus.NewPublisher(bustest.NewClient(t, b, "tester"), bus.NewTopic[std.String]("/big", bus.Queue(1), "a text"))
	big := std.String{Data: string(make([]byte, 1<<18))}
	for range 10 {
		pub.Publish(big)
	}
	if err := w.Close(); !errors.Is(err, errFull) || err.Error() != "write trace: no space left" {
		t.Errorf("got %v", err)
	}
	if w.Messages() != 10 {
		t.Errorf("%d messages", w.Messages())
	}
}
