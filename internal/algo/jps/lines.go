package jps

import "math/bits"

// lines is a bitmap, line after line, each a whole number of words. Its lines are as long as a padded grid is wide or high.
type lines struct {
	words  []uint64
	stride int // words a line
}

func newLines(count, length int) lines {
	stride := (length + 63) / 64
	return lines{make([]uint64, count*stride), stride}
}

func (l *lines) set(line, at int) { l.words[line*l.stride+at>>6] |= 1 << (at & 63) }

func (l *lines) has(line, at int) bool { return l.words[line*l.stride+at>>6]>>(at&63)&1 != 0 }

// next is the first bit after at. The caller knows that there is one.
func (l *lines) next(line, at int) int {
	at++
	i := line*l.stride + at>>6
	if w := l.words[i] >> (at & 63); w != 0 {
		return at + bits.TrailingZeros64(w)
	}
	for at |= 63; ; at += 64 {
		i++
		if w := l.words[i]; w != 0 {
			return at + 1 + bits.TrailingZeros64(w)
		}
	}
}

// previous is the last bit before at. The caller knows that there is one.
func (l *lines) previous(line, at int) int {
	at--
	i := line*l.stride + at>>6
	if w := l.words[i] << (63 - at&63); w != 0 {
		return at - bits.LeadingZeros64(w)
	}
	for at &^= 63; ; at -= 64 {
		i--
		if w := l.words[i]; w != 0 {
			return at - 1 - bits.LeadingZeros64(w)
		}
	}
}
