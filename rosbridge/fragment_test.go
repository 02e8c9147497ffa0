package rosbridge

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var epoch = time.Unix(1_700_000_000, 0)

func cut(t *testing.T, text, id string, size int) []Frame {
	t.Helper()
	var out []Frame
	for _, piece := range AppendFragments(nil, []byte(text), id, size) {
		f, err := ParseFrame(piece)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

func join(t *testing.T, a *Assembler, fragments []Frame) string {
	t.Helper()
	for i, f := range fragments {
		text, err := a.Add(epoch, f)
		if err != nil {
			t.Fatal(err)
		}
		if text != nil {
			if i < len(fragments)-1 {
				t.Fatalf("complete after %d of %d", i+1, len(fragments))
			}
			return string(text)
		}
	}
	return ""
}

func TestFragmentsJoinToTheFrame(t *testing.T) {
	text := `{"op":"publish","topic":"/t","msg":{"data":"h\u00e9llo ☃🤖 \"q\""}}`
	a := NewAssembler(1<<20, time.Minute)
	for size := range len(text) + 3 {
		fragments := cut(t, text, "big", size)
		if got := join(t, a, fragments); got != text {
			t.Fatalf("size %d: joined %q", size, got)
		}
		if f := fragments[0]; f.ID != `"big"` || f.Total != len(fragments) {
			t.Fatalf("fragment %+v", f)
		}
		for _, f := range fragments {
			if len(f.Data) > max(size, 4) {
				t.Errorf("size %d: %d bytes", size, len(f.Data))
			}
		}
	}
	if a.bytes != 0 || len(a.open) != 0 {
		t.Errorf("%d bytes in %d frames are left", a.bytes, len(a.open))
	}
}

func TestFragmentsInAnyOrderTwiceAndInterleaved(t *testing.T) {
	a := NewAssembler(1<<20, time.Minute)
	one, two := cut(t, strings.Repeat("one", 10), "1", 7), cut(t, strings.Repeat("two", 10), "2", 7)
	slices.Reverse(one)
	var mixed []Frame
	for i := range one {
		mixed = append(mixed, one[i], two[i], one[0])
	}
	var got []string
	for _, f := range mixed {
		text, err := a.Add(epoch, f)
		if err != nil {
			t.Fatal(err)
		}
		if text != nil {
			got = append(got, string(text))
		}
	}
	if len(got) != 2 || got[0] != strings.Repeat("one", 10) || got[1] != strings.Repeat("two", 10) {
		t.Errorf("joined %q", got)
	}
}

func TestAssemblerIsBounded(t *testing.T) {
	fragment := func(id string, num, total, size int) Frame {
		return Frame{Op: OpFragment, ID: StringID(id), Num: num, Total: total, Data: strings.Repeat("x", size)}
	}
	t.Run("bytes", func(t *testing.T) {
		a := NewAssembler(1000, time.Minute)
		if _, err := a.Add(epoch, fragment("a", 0, 3, 600)); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Add(epoch, fragment("a", 1, 3, 600)); err == nil {
			t.Error("more than the bound was taken")
		}
		if a.bytes != 0 {
			t.Errorf("%d bytes are left", a.bytes)
		}
	})
	t.Run("many small ones", func(t *testing.T) {
		a := NewAssembler(1000, time.Minute)
		n := 0
		for ; n < 100; n++ {
			if _, err := a.Add(epoch, fragment("a", n, 1000, 1)); err != nil {
				break
			}
		}
		if n > 15 {
			t.Errorf("%d fragments were taken", n)
		}
	})
	t.Run("open frames", func(t *testing.T) {
		a := NewAssembler(1<<20, time.Minute)
		for i := range 100 {
			if _, err := a.Add(epoch, fragment(fmt.Sprint(i), 0, 2, 1)); err != nil {
				t.Fatal(err)
			}
		}
		if len(a.open) != maxOpen {
			t.Errorf("%d frames are open", len(a.open))
		}
	})
	t.Run("time", func(t *testing.T) {
		a := NewAssembler(1<<20, time.Minute)
		_, _ = a.Add(epoch, fragment("a", 0, 2, 1))
		if text, err := a.Add(epoch.Add(2*time.Minute), fragment("a", 1, 2, 1)); text != nil || err != nil {
			t.Errorf("%q, %v: a frame was completed after its time", text, err)
		}
	})
	t.Run("contradiction", func(t *testing.T) {
		a := NewAssembler(1<<20, time.Minute)
		_, _ = a.Add(epoch, fragment("a", 0, 2, 1))
		if _, err := a.Add(epoch, fragment("a", 1, 3, 1)); err == nil {
			t.Error("two totals were taken")
		}
	})
}

// FuzzAssembler feeds fragments of few ids and keeps within the bound.
func FuzzAssembler(f *testing.F) {
	f.Add([]byte{0, 0, 2, 1, 0, 1, 2, 1})
	f.Fuzz(func(t *testing.T, script []byte) {
		a := NewAssembler(2000, time.Minute)
		now := epoch
		for ; len(script) >= 4; script = script[4:] {
			now = now.Add(time.Duration(script[0]>>4) * 10 * time.Second)
			total := int(script[2]) + 1
			text, err := a.Add(now, Frame{
				Op: OpFragment, ID: ID(fmt.Sprint(script[0] & 15)), Num: int(script[1]) % total, Total: total, Data: strings.Repeat("x", int(script[3])),
			})
			if err != nil && text != nil || a.bytes > 2000 || a.bytes < 0 || len(a.open) > maxOpen {
				t.Fatalf("text %q, %v; %d bytes in %d frames", text, err, a.bytes, len(a.open))
			}
		}
	})
}
