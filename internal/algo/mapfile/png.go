package mapfile

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
)

// deflateRatio is the most that zlib can shrink data.
const deflateRatio = 1032

func decodePNG(data []byte) (picture, error) {
	if err := checkPNG(data); err != nil {
		return picture{}, err
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return picture{}, err
	}
	size := img.Bounds().Size()
	pic := picture{width: size.X, height: size.Y, grey: make([]uint8, size.X*size.Y)}
	switch img := img.(type) {
	case *image.Gray:
		for y := range size.Y {
			copy(pic.grey[y*size.X:(y+1)*size.X], img.Pix[y*img.Stride:])
		}
	case *image.Paletted:
		pic.fillPaletted(img)
	case *image.RGBA: // of a PNG without transparency
		pic.fillRGB(img.Pix, img.Stride)
	case *image.NRGBA:
		pic.fillRGB(img.Pix, img.Stride)
		pic.fillAlpha(img.Pix, img.Stride)
	case *image.Gray16:
		for i := range pic.grey {
			pic.grey[i] = scaleGrey(int(img.Gray16At(i%size.X, i/size.X).Y), 65535)
		}
	default:
		for i := range pic.grey {
			pic.set(i, img.At(i%size.X, i/size.X))
		}
	}
	return pic, nil
}

// fillRGB takes the greys of pixels of four bytes: red, green, blue and one that does not count.
func (p *picture) fillRGB(pix []uint8, stride int) {
	for y := range p.height {
		row, to := pix[y*stride:y*stride+4*p.width], p.grey[y*p.width:(y+1)*p.width]
		for x := range to {
			c := row[4*x : 4*x+3 : 4*x+3]
			to[x] = luma(c[0], c[1], c[2])
		}
	}
}

// fillAlpha notes the pixels of four bytes whose last is not 255.
func (p *picture) fillAlpha(pix []uint8, stride int) {
	for i := range p.grey {
		if pix[i/p.width*stride+i%p.width*4+3] == 255 {
			continue
		}
		if p.translucent == nil {
			p.translucent = make([]bool, len(p.grey))
		}
		p.translucent[i] = true
	}
}

// fillPaletted converts each colour of the palette once.
func (p *picture) fillPaletted(img *image.Paletted) {
	colors := picture{width: 256, height: 1, grey: make([]uint8, 256)}
	for i, c := range img.Palette {
		colors.set(i, c)
	}
	if colors.translucent != nil {
		p.translucent = make([]bool, len(p.grey))
	}
	for i := range p.grey {
		index := img.ColorIndexAt(i%p.width, i/p.width)
		p.grey[i] = colors.grey[index]
		if p.translucent != nil {
			p.translucent[i] = colors.translucent[index]
		}
	}
}

// set stores a colour as pixel i, in its shade before transparency.
func (p *picture) set(i int, c color.Color) {
	n, ok := color.NRGBA64Model.Convert(c).(color.NRGBA64)
	if !ok {
		return // cannot happen: the model converts to this type
	}
	p.grey[i] = luma(scaleGrey(int(n.R), 65535), scaleGrey(int(n.G), 65535), scaleGrey(int(n.B), 65535))
	if n.A == 0xffff {
		return
	}
	if p.translucent == nil {
		p.translucent = make([]bool, len(p.grey))
	}
	p.translucent[i] = true
}

// checkPNG compares the size that the header declares with the size of the file, before the decoder takes memory for it.
func checkPNG(data []byte) error {
	const header = 8 + 8 + 13 // signature, chunk length and name, IHDR
	if len(data) < header {
		return truncated(len(data), header)
	}
	width := int(binary.BigEndian.Uint32(data[16:]))
	height := int(binary.BigEndian.Uint32(data[20:]))
	if err := checkSize(width, height); err != nil {
		return err
	}
	channels := map[byte]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[data[25]]
	if need := (width*int(data[24])*channels + 7) / 8 * height; need/deflateRatio > len(data) {
		return truncated(len(data), need/deflateRatio)
	}
	return nil
}
