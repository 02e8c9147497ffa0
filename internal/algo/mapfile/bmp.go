package mapfile

import (
	"encoding/binary"
	"fmt"
	"image/color"
	"math/bits"
)

// Compressions of a BMP file that hold plain pixels.
const (
	bmpRGB            = 0
	bmpBitFields      = 3
	bmpAlphaBitFields = 6
)

// bmp is the header of a Windows bitmap (BITMAPCOREHEADER and BITMAPINFOHEADER to BITMAPV5HEADER).
type bmp struct {
	data          []byte
	pixels        int // offset of the first row
	width, height int
	topDown       bool
	depth         int // bits per pixel
	palette       []color.NRGBA
	masks         [4]uint32 // red, green, blue, alpha, of 16 and 32 bits
}

func decodeBMP(data []byte) (picture, error) {
	b, err := parseBMP(data)
	if err != nil {
		return picture{}, err
	}
	stride := (b.width*b.depth + 31) / 32 * 4
	if have := len(data) - b.pixels; b.pixels > len(data) || have < stride*b.height {
		return picture{}, truncated(max(have, 0), stride*b.height)
	}
	pic := picture{width: b.width, height: b.height, grey: make([]uint8, b.width*b.height)}
	for y := range b.height {
		from := y
		if !b.topDown {
			from = b.height - 1 - y
		}
		row := data[b.pixels+from*stride:]
		for x := range b.width {
			c := b.at(row, x)
			i := y*b.width + x
			pic.grey[i] = luma(c.R, c.G, c.B)
			if c.A != 255 {
				if pic.translucent == nil {
					pic.translucent = make([]bool, len(pic.grey))
				}
				pic.translucent[i] = true
			}
		}
	}
	return pic, nil
}

func parseBMP(data []byte) (bmp, error) {
	damaged := &Error{Problem: "the BMP header is damaged", Remedy: "export the map again"}
	if len(data) < 26 {
		return bmp{}, damaged
	}
	le := binary.LittleEndian
	b := bmp{data: data, pixels: int(le.Uint32(data[10:]))}
	size := int(le.Uint32(data[14:]))
	compression, colors, entry := 0, 0, 4
	switch {
	case size == 12: // BITMAPCOREHEADER
		b.width, b.height, b.depth = int(le.Uint16(data[18:])), int(le.Uint16(data[20:])), int(le.Uint16(data[24:]))
		entry = 3
	case size >= 40 && size <= 1024 && len(data) >= 14+size:
		b.width, b.height = int(int32(le.Uint32(data[18:]))), int(int32(le.Uint32(data[22:])))
		b.depth, compression = int(le.Uint16(data[28:])), int(le.Uint32(data[30:]))
		colors = int(le.Uint32(data[46:]))
	default:
		return bmp{}, damaged
	}
	if b.height < 0 {
		b.height, b.topDown = -b.height, true
	}
	if err := checkSize(b.width, b.height); err != nil {
		return bmp{}, err
	}
	after := 14 + size
	switch {
	case b.depth == 1 || b.depth == 2 || b.depth == 4 || b.depth == 8:
		if compression != bmpRGB {
			return bmp{}, unsupportedBMP(b.depth, compression)
		}
		return b, b.readPalette(after, colors, entry)
	case b.depth == 24 && compression == bmpRGB:
		return b, nil
	case b.depth == 16 || b.depth == 32:
		return b, b.readMasks(compression, size)
	}
	return bmp{}, unsupportedBMP(b.depth, compression)
}

func unsupportedBMP(depth, compression int) error {
	return &Error{
		Problem: fmt.Sprintf("a BMP of %d bits a pixel with compression %d is not read", depth, compression),
		Remedy:  "save it without compression, or as PNG or PGM",
	}
}

func (b *bmp) readPalette(offset, colors, entry int) error {
	if colors <= 0 || colors > 1<<b.depth {
		colors = 1 << b.depth
	}
	if end := offset + colors*entry; end > len(b.data) {
		return truncated(len(b.data), end)
	}
	b.palette = make([]color.NRGBA, 1<<b.depth) // an index beyond the colours given is opaque black
	for i := range b.palette {
		b.palette[i].A = 255
	}
	for i := range colors {
		e := b.data[offset+i*entry:]
		b.palette[i] = color.NRGBA{R: e[2], G: e[1], B: e[0], A: 255}
	}
	return nil
}

// readMasks sets the masks of 16 and 32 bits: those of the file, or 5-5-5 and 8-8-8 without transparency.
func (b *bmp) readMasks(compression, size int) error {
	switch compression {
	case bmpRGB:
		b.masks = [4]uint32{0xff0000, 0xff00, 0xff, 0}
		if b.depth == 16 {
			b.masks = [4]uint32{0x7c00, 0x3e0, 0x1f, 0}
		}
		return nil
	case bmpBitFields, bmpAlphaBitFields:
		n := 3
		if size >= 56 || compression == bmpAlphaBitFields {
			n = 4
		}
		// The masks begin 40 bytes into the header, or right behind one that ends there.
		if end := 54 + 4*n; end > len(b.data) {
			return truncated(len(b.data), end)
		}
		for i := range n {
			b.masks[i] = binary.LittleEndian.Uint32(b.data[54+4*i:])
		}
		return nil
	}
	return unsupportedBMP(b.depth, compression)
}

// at is pixel x of a row.
func (b *bmp) at(row []byte, x int) color.NRGBA {
	switch b.depth {
	case 24:
		return color.NRGBA{R: row[3*x+2], G: row[3*x+1], B: row[3*x], A: 255}
	case 32:
		return b.masked(binary.LittleEndian.Uint32(row[4*x:]))
	case 16:
		return b.masked(uint32(binary.LittleEndian.Uint16(row[2*x:])))
	}
	per := 8 / b.depth // pixels in a byte, the leftmost in the highest bits
	shift := (per - 1 - x%per) * b.depth
	return b.palette[int(row[x/per])>>shift&(1<<b.depth-1)]
}

func (b *bmp) masked(v uint32) color.NRGBA {
	c := color.NRGBA{R: channel(v, b.masks[0]), G: channel(v, b.masks[1]), B: channel(v, b.masks[2]), A: 255}
	if b.masks[3] != 0 {
		c.A = channel(v, b.masks[3])
	}
	return c
}

// channel scales the bits of v under mask to 0..255.
func channel(v, mask uint32) uint8 {
	if mask == 0 {
		return 0
	}
	shift := bits.TrailingZeros32(mask)
	most := uint64(mask >> shift)
	return uint8((uint64(v&mask)>>shift*255 + most/2) / most)
}
