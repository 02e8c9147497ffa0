package tfbuffer

import (
	"errors"
	"testing"
	"time"
)

// FuzzSequence plays any sequence of sets and lookups, four bytes each, and checks after each that the buffer is a forest, that
// what was set can be looked up, and that refusals are typed.
func FuzzSequence(f *testing.F) {
	f.Add([]byte{0, 0x01, 10, 1, 0, 0x12, 10, 2, 0, 0x20, 10, 3, 2, 0x02, 10, 0})
	f.Add([]byte{1, 0x01, 0, 1, 0, 0x01, 9, 9, 0, 0x21, 9, 9, 1, 0x21, 0, 1})
	f.Add([]byte{0, 0x01, 200, 1, 0, 0x01, 3, 2, 0, 0x31, 1, 2, 0, 0x31, 190, 2})
	f.Fuzz(func(t *testing.T, ops []byte) {
		b := New(Config{History: 5 * time.Second, MaxSamples: 8, MaxFrames: 6})
		for ; len(ops) >= 4; ops = ops[4:] {
			parent, child := "f"+string('0'+ops[1]>>4&7), "f"+string('0'+ops[1]&7)
			when, tf := at(float64(ops[2])/10), shift(float64(ops[3]))
			switch ops[0] % 3 {
			case 0:
				if err := b.Set(parent, child, when, tf); err == nil {
					got, err := b.Lookup(parent, child, when)
					if err != nil || got != tf {
						// The only samples not kept are those older than the history, and those beyond the most of them.
						if s := b.frames[child].track.samples(); len(s) != 8 && s[len(s)-1].at-when.UnixNano() < int64(5*time.Second) {
							t.Fatalf("set %v at %v, found %v: %v", tf, when, got, err)
						}
					}
				} else if !errors.As(err, new(*RefusedError)) && !errors.As(err, new(*LoopError)) {
					t.Fatalf("untyped refusal: %v", err)
				}
			case 1:
				if err := b.SetStatic(parent, child, tf); err == nil {
					if got, err := b.Lookup(parent, child, when); err != nil || got != tf {
						t.Fatalf("set static %v, found %v: %v", tf, got, err)
					}
				}
			case 2:
				there, err := b.Lookup(parent, child, when)
				back, err2 := b.Lookup(child, parent, when)
				if (err == nil) != (err2 == nil) {
					t.Fatalf("there: %v, back: %v", err, err2)
				}
				if err == nil {
					near(t, "there and back", there.Mul(back), shift(0))
				}
			}
			checkForest(t, b)
		}
	})
}

func checkForest(t *testing.T, b *Buffer) {
	t.Helper()
	if len(b.frames) > b.cfg.MaxFrames {
		t.Fatalf("%d frames", len(b.frames))
	}
	for name, f := range b.frames {
		steps := 0
		for up := f; up.parent != nil; up = up.parent {
			if steps++; steps > len(b.frames) {
				t.Fatalf("%s is its own ancestor", name)
			}
		}
		if s := f.track.samples(); f.parent != nil && !f.static && len(s) == 0 {
			t.Fatalf("%s has a parent but no place", name)
		} else {
			for i := 1; i < len(s); i++ {
				if s[i-1].at >= s[i].at {
					t.Fatalf("the samples of %s are not in order", name)
				}
			}
		}
	}
}
