package mapfile

import (
	"bytes"
	"fmt"
)

// picture is a decoded image: greys scaled to 0..255, row 0 at the top.
type picture struct {
	width, height int
	grey          []uint8
	translucent   []bool // pixels that are not fully opaque; nil when the image has no transparency
}

// Decode reads a map from the contents of its two files, by the rule of Nav2.
func Decode(yaml, image []byte) (*Map, error) {
	meta, err := ParseMeta("map.yaml", yaml)
	if err != nil {
		return nil, err
	}
	return DecodeImage(meta.Image, meta, image)
}

// DecodeImage makes the map from its description and the content of its image; name is used in messages only.
func DecodeImage(name string, meta Meta, image []byte) (*Map, error) {
	s, err := NewSource(name, meta, image)
	if err != nil {
		return nil, err
	}
	return s.Map(Nav2), nil
}

// decodePicture recognises the format by its first bytes: names of real maps lie.
func decodePicture(name string, data []byte) (picture, error) {
	var pic picture
	var err error
	switch {
	case bytes.HasPrefix(data, []byte("P2")), bytes.HasPrefix(data, []byte("P5")):
		pic, err = decodePGM(data)
	case bytes.HasPrefix(data, []byte("\x89PNG")):
		pic, err = decodePNG(data)
	case bytes.HasPrefix(data, []byte("BM")):
		pic, err = decodeBMP(data)
	default:
		err = &Error{Problem: "is no PGM (P2 or P5), PNG or BMP image", Remedy: "save the map's image in one of these formats"}
	}
	if err != nil {
		return picture{}, inFile(name, err)
	}
	return pic, nil
}

// inFile adds the file's name to a decoder's fault.
func inFile(name string, err error) error {
	if e, ok := err.(*Error); ok { //nolint:errorlint // decoders return it bare, and the name belongs to the outermost fault
		e.File = name
		return e
	}
	return &Error{File: name, Problem: "damaged image", Err: err, Remedy: "export the map again"}
}

// checkSize refuses sizes that no map has, before anything is allocated for them.
func checkSize(width, height int) error {
	if width <= 0 || height <= 0 {
		return &Error{Problem: fmt.Sprintf("the image is %d × %d pixels", width, height), Remedy: "export the map again"}
	}
	if width > MaxCells || height > MaxCells || width*height > MaxCells {
		return &Error{
			Problem: fmt.Sprintf("the image is %d × %d pixels, more than %d", width, height, MaxCells),
			Remedy:  "use a coarser resolution or cut the map",
		}
	}
	return nil
}

func truncated(have, need int) error {
	return &Error{
		Problem: fmt.Sprintf("the image ends early: %d bytes of pixels in place of %d", have, need),
		Remedy:  "copy the file again or export the map again",
	}
}

// luma is the grey of a colour: Rec. 709 weights, exact for r = g = b.
func luma(r, g, b uint8) uint8 {
	if r == g && g == b {
		return r
	}
	return uint8((2126*int(r) + 7152*int(g) + 722*int(b) + 5000) / 10000)
}
