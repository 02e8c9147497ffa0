package teleop

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestChunkHeaderIsAsDocumented(t *testing.T) {
	h := ChunkHeader{Stream: StreamMap, Frame: 0x01020304, Index: 0x0506, Count: 0x0708}
	for _, tc := range []struct {
		d    *Dialect
		want string
	}{{Molly(), "4d4c5931" + "04" + "04030201" + "0605" + "0807"}, {Pashupati(), "50534831" + "04" + "04030201" + "0605" + "0807"}} {
		data := h.Append(nil, tc.d.Magic)
		want(t, tc.d.Name, hex.EncodeToString(data), tc.want)
		want(t, "size", len(data), ChunkHeaderSize)
	}
	got, payload, err := Molly().ParseChunk(append(h.Append(nil, Molly().Magic), "abc"...))
	if err != nil || got != h || string(payload) != "abc" {
		t.Errorf("%+v %q %v", got, payload, err)
	}
}

func TestChunksThatLieAreRefused(t *testing.T) {
	m := Molly()
	header := func(h ChunkHeader) []byte { return h.Append(nil, m.Magic) }
	for name, data := range map[string][]byte{
		"empty":               nil,
		"short":               header(ChunkHeader{Stream: 1, Count: 1})[:12],
		"magic of the other":  ChunkHeader{Stream: 1, Count: 1}.Append(nil, Pashupati().Magic),
		"no such stream":      header(ChunkHeader{Stream: 6, Count: 1}),
		"stream 0":            header(ChunkHeader{Count: 1}),
		"no chunks":           header(ChunkHeader{Stream: 1}),
		"index beyond count":  header(ChunkHeader{Stream: 1, Index: 3, Count: 3}),
		"payload beyond 1400": append(header(ChunkHeader{Stream: 1, Count: 1}), make([]byte, MaxChunk+1)...),
	} {
		if _, _, err := m.ParseChunk(data); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := Pashupati().ParseChunk(ChunkHeader{Stream: StreamMap, Count: 1}.Append(nil, Pashupati().Magic)); err == nil {
		t.Error("Pashupati has no map stream")
	}
}

// datagrams are the chunks of one frame.
func datagrams(d *Dialect, s Stream, frame uint32, payload []byte) [][]byte {
	var out [][]byte
	for i := range Chunks(len(payload)) {
		out = append(out, d.AppendChunk(nil, s, frame, payload, i))
	}
	return out
}

func pattern(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i * 7)
	}
	return p
}

// feed hands datagrams over and returns the frames that became complete.
func feed(t *testing.T, r *Reassembler, now time.Time, data ...[]byte) [][]byte {
	t.Helper()
	var out [][]byte
	for _, d := range data {
		h, payload, err := Molly().ParseChunk(d)
		if err != nil {
			t.Fatal(err)
		}
		if frame, ok := r.Add(now, h, payload); ok {
			out = append(out, bytes.Clone(frame))
		}
	}
	return out
}

func TestFramesSurviveAnyOrderAndCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	r := Reassembler{Limit: 1 << 20}
	for i, n := range []int{0, 1, MaxChunk, MaxChunk + 1, 10 * MaxChunk, 100_000} {
		data := datagrams(Molly(), StreamMap, uint32(i), pattern(n))
		data = append(data, data...)
		rng.Shuffle(len(data), func(i, j int) { data[i], data[j] = data[j], data[i] })
		frames := feed(t, &r, epoch, data...)
		if len(frames) != 1 || !bytes.Equal(frames[0], pattern(n)) {
			t.Errorf("%d bytes: %d frames", n, len(frames))
		}
		for _, d := range data {
			if len(d) > MaxChunk+ChunkHeaderSize {
				t.Errorf("a datagram of %d bytes", len(d))
			}
		}
	}
}

func TestNewerFrameDropsTheIncompleteOlder(t *testing.T) {
	r := Reassembler{Limit: 1 << 20}
	old, fresh := datagrams(Molly(), StreamMap, 7, pattern(3000)), datagrams(Molly(), StreamMap, 8, pattern(2000))
	want(t, "begun", len(feed(t, &r, epoch, old[0], old[1])), 0)
	want(t, "newer begun", len(feed(t, &r, epoch, fresh[0])), 0)
	want(t, "older finished", len(feed(t, &r, epoch, old[2])), 0)
	want(t, "newer finished", len(feed(t, &r, epoch, fresh[1])), 1)
	want(t, "stats", r.Stats, ReassemblyStats{Frames: 1, Incomplete: 1, Late: 1})
}

func TestFrameNumbersWrap(t *testing.T) {
	r := Reassembler{Limit: 1 << 20}
	for _, n := range []uint32{math.MaxUint32 - 1, math.MaxUint32, 0, 1} {
		want(t, "frames", len(feed(t, &r, epoch, datagrams(Molly(), StreamLidar, n, pattern(60))...)), 1)
	}
	want(t, "an old one", len(feed(t, &r, epoch, datagrams(Molly(), StreamLidar, math.MaxUint32, pattern(60))...)), 0)
}

func TestRestartedRobotIsBelieved(t *testing.T) {
	r := Reassembler{Limit: 1 << 20}
	feed(t, &r, epoch, datagrams(Molly(), StreamLidar, 900, pattern(60))...)
	one := datagrams(Molly(), StreamLidar, 1, pattern(60))
	want(t, "at once", len(feed(t, &r, epoch.Add(restartAfter-1), one...)), 0)
	want(t, "after a while", len(feed(t, &r, epoch.Add(restartAfter), one...)), 1)
}

func TestCountThatChangesWithinAFrameIsALie(t *testing.T) {
	r := Reassembler{Limit: 1 << 20}
	add := func(index, count uint16) bool {
		_, ok := r.Add(epoch, ChunkHeader{Stream: StreamMap, Frame: 1, Index: index, Count: count}, []byte("x"))
		return ok
	}
	if add(0, 3) || add(1, 2) || add(1, 3) || !add(2, 3) {
		t.Error("wrong frame")
	}
	want(t, "invalid", r.Stats.Invalid, 1)
}

func TestMemoryFollowsWhatArrivedNotWhatWasClaimed(t *testing.T) {
	r := Reassembler{Limit: 100 * MaxChunk}
	if _, ok := r.Add(epoch, ChunkHeader{Frame: 1, Index: 0, Count: math.MaxUint16}, []byte("x")); ok || cap(r.parts) != 0 {
		t.Errorf("a frame of 92 MB was begun: %d parts", cap(r.parts))
	}
	for i := range uint16(100) {
		r.Add(epoch, ChunkHeader{Frame: 2, Index: i, Count: 101}, make([]byte, MaxChunk))
	}
	r.Add(epoch, ChunkHeader{Frame: 2, Index: 100, Count: 101}, make([]byte, MaxChunk))
	want(t, "beyond the limit", r.Stats.Invalid, 2)
}

func FuzzReassembler(f *testing.F) {
	for _, d := range datagrams(Molly(), StreamMap, 1, pattern(2000)) {
		f.Add(d, uint8(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, split uint8) {
		r := Reassembler{Limit: 64 * MaxChunk}
		now := epoch
		for len(data) > 0 {
			n := min(len(data), ChunkHeaderSize+int(split))
			now = now.Add(time.Duration(split) * time.Millisecond)
			if h, payload, err := Molly().ParseChunk(data[:n]); err == nil {
				if frame, ok := r.Add(now, h, payload); ok && len(frame) > r.Limit {
					t.Fatalf("a frame of %d bytes", len(frame))
				}
			}
			data = data[n:]
		}
		if cap(r.arrived) > 2*r.Limit || cap(r.parts) > 65 {
			t.Fatalf("%d bytes, %d parts", cap(r.arrived), cap(r.parts))
		}
	})
}
