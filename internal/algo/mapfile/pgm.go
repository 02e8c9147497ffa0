package mapfile

import (
	"encoding/binary"
	"fmt"
)

// pgmReader walks the tokens of a PGM header, and of the pixels of an ASCII one (netpbm's pgm(5)).
type pgmReader struct {
	data []byte
	pos  int
}

func decodePGM(data []byte) (picture, error) {
	r := pgmReader{data: data, pos: 2}
	var head [3]int
	for i, what := range []string{"width", "height", "largest grey"} {
		n, ok := r.number()
		if !ok {
			return picture{}, &Error{Problem: "the PGM header has no " + what, Remedy: "export the map again"}
		}
		head[i] = n
	}
	width, height, maxval := head[0], head[1], head[2]
	if err := checkSize(width, height); err != nil {
		return picture{}, err
	}
	if maxval < 1 || maxval > 65535 {
		return picture{}, &Error{Problem: fmt.Sprintf("the largest grey is %d", maxval), Remedy: "PGM allows 1 to 65535; export the map again"}
	}
	if data[1] == '2' {
		return r.ascii(width, height, maxval)
	}
	return r.binary(width, height, maxval)
}

// binary reads the pixels of P5: one byte each, two (big-endian) when maxval is above 255. Bytes after them are ignored.
func (r *pgmReader) binary(width, height, maxval int) (picture, error) {
	size := 1
	if maxval > 255 {
		size = 2
	}
	need := width * height * size
	// One white space ends the header. Files made on Windows have two bytes there; a carriage return alone is only taken
	// for one of the two when there are bytes to spare.
	rest := r.data[min(r.pos+1, len(r.data)):]
	if len(rest) > need && r.data[r.pos] == '\r' && rest[0] == '\n' {
		rest = rest[1:]
	}
	if len(rest) < need {
		return picture{}, truncated(len(rest), need)
	}
	pic := picture{width: width, height: height, grey: make([]uint8, width*height)}
	scale := greyScale(maxval)
	for i := range pic.grey {
		if size == 1 {
			pic.grey[i] = scale[rest[i]]
		} else {
			pic.grey[i] = scaleGrey(int(binary.BigEndian.Uint16(rest[2*i:])), maxval)
		}
	}
	return pic, nil
}

// ascii reads the pixels of P2.
func (r *pgmReader) ascii(width, height, maxval int) (picture, error) {
	n := width * height
	// Each pixel but the last takes a digit and a separator: a short file is recognised before memory is taken for it.
	if room := (len(r.data) - r.pos + 1) / 2; room < n {
		return picture{}, truncated(len(r.data)-r.pos, 2*n-1)
	}
	pic := picture{width: width, height: height, grey: make([]uint8, n)}
	for i := range pic.grey {
		v, ok := r.number()
		if !ok {
			return picture{}, &Error{
				Problem: fmt.Sprintf("pixel %d of %d is no number", i+1, n),
				Remedy:  "copy the file again or export the map again",
			}
		}
		pic.grey[i] = scaleGrey(v, maxval)
	}
	return pic, nil
}

// number skips white space and comments and reads a decimal number, saturating far above any legal value.
func (r *pgmReader) number() (int, bool) {
	for r.pos < len(r.data) {
		c := r.data[r.pos]
		if c == '#' {
			for r.pos < len(r.data) && r.data[r.pos] != '\n' && r.data[r.pos] != '\r' {
				r.pos++
			}
			continue
		}
		if c != ' ' && (c < '\t' || c > '\r') {
			break
		}
		r.pos++
	}
	n, start := 0, r.pos
	for ; r.pos < len(r.data) && r.data[r.pos] >= '0' && r.data[r.pos] <= '9'; r.pos++ {
		n = min(n*10+int(r.data[r.pos]-'0'), 1<<30)
	}
	return n, r.pos > start
}

// scaleGrey brings 0..maxval to 0..255, rounding to the nearest.
func scaleGrey(v, maxval int) uint8 {
	return uint8((min(v, maxval)*255 + maxval/2) / maxval)
}

func greyScale(maxval int) [256]uint8 {
	var table [256]uint8
	for v := range table {
		table[v] = scaleGrey(v, maxval)
	}
	return table
}
