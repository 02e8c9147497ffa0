package wire

// Layout is a binary message format. Appending functions take it because CDR aligns every primitive to its
// size, counted from the end of the encapsulation header.
type Layout int

// ROS1 packs values without padding, little-endian, strings without terminator.
// Every other Layout is CDR: its value is the index in the slice from which alignment counts.
const ROS1 Layout = -1

// BeginCDR appends the encapsulation header of little-endian XCDR1 and returns the layout of what follows.
func BeginCDR(dst []byte) ([]byte, Layout) {
	dst = append(dst, 0, 1, 0, 0)
	return dst, Layout(len(dst))
}

// IsROS1 reports whether l is the ROS 1 layout: types whose ROS 1 flavour has other fields need to know.
func (l Layout) IsROS1() bool { return l == ROS1 }

// align pads dst with zeros to a multiple of n (a power of two).
func (l Layout) align(dst []byte, n int) []byte {
	if l == ROS1 {
		return dst
	}
	for pad := (int(l) - len(dst)) & (n - 1); pad > 0; pad-- {
		dst = append(dst, 0)
	}
	return dst
}
