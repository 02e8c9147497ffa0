package tag36h11

import "testing"

// The family as other documents print it: the first codes in reading order.
func TestCodes(t *testing.T) {
	for id, want := range []uint64{0xd5d628584, 0xd97f18b49, 0xdd280910e, 0xe479e9c98, 0xebcbca822, 0xf31dab3ac, 0x056a5d085, 0x10652e1d4} {
		if got, ok := Code(id); !ok || got != want {
			t.Errorf("code of tag %d is %09x, want %09x", id, got, want)
		}
	}
	if got, want := len(codes), 10*Count; got != want {
		t.Errorf("the file has %d bytes, want %d", got, want)
	}
	for _, id := range []int{-1, Count} {
		if _, ok := Code(id); ok {
			t.Errorf("tag %d has a code", id)
		}
	}
	// The family's promise: any two tags, however turned, differ in at least 11 cells.
	var turned [Count][4]uint64
	for id := range turned {
		c, _ := Code(id)
		for k := range turned[id] {
			turned[id][k], c = c, quarterTurn(c)
		}
	}
	for a := range turned {
		for b := range a {
			for k := range 4 {
				if n := ones(turned[a][0] ^ turned[b][k]); n < 11 {
					t.Fatalf("tags %d and %d differ in %d cells", a, b, n)
				}
			}
		}
	}
}

func quarterTurn(c uint64) uint64 {
	out := uint64(0)
	for i := range 36 {
		row, col := i/6, i%6
		out = out<<1 | c>>(35-((5-col)*6+row))&1
	}
	return out
}

func ones(v uint64) int {
	n := 0
	for ; v != 0; v &= v - 1 {
		n++
	}
	return n
}
