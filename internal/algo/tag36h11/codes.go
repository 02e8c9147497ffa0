// Package tag36h11 knows what the AprilTags of the family 36h11 look like: eight by eight cells, a black frame around six by six cells of
// data, inside of a white margin of one cell.
package tag36h11

import (
	_ "embed" // for the codes
	"fmt"
	"strconv"
)

// Count is the number of tags; their ids are 0 to Count-1.
const Count = 587

// codes are in the order of the ids, one a line. They are those of AprilRobotics/apriltag (tag36h11.c) with the bits brought into reading
// order, which is also how the first edition of the library wrote them down (0xd5d628584 for tag 0).
//
//go:embed codes.txt
var codes string

// Code returns the 36 cells of the inside of a tag row by row from the top left, the highest bit first, 1 is white; false when the family
// has no such tag.
func Code(id int) (code uint64, ok bool) {
	const line = 10 // nine digits and a line end
	if id < 0 || id >= Count {
		return 0, false
	}
	code, err := strconv.ParseUint(codes[id*line:(id+1)*line-1], 16, 64)
	if err != nil {
		panic(fmt.Sprintf("tag36h11: line %d of codes.txt is damaged: %v", id+1, err))
	}
	return code, true
}
