package rosbridge

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
)

// EncodePNG wraps the text of a frame as rosbridge does: its bytes, padded with newlines, are the pixels of an RGB picture
// that is about square. The result is the base64 text for [Frame].Data of an [OpPNG] frame.
func EncodePNG(text []byte) string {
	pixels := (len(text) + 2) / 3
	w := max(int(math.Sqrt(float64(pixels))), 1)
	h := max((pixels+w-1)/w, 1)
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		p := img.Pix[4*i : 4*i+4]
		p[0], p[1], p[2], p[3] = '\n', '\n', '\n', 0xff
		copy(p[:3], text[min(3*i, len(text)):])
	}
	var out bytes.Buffer
	base := base64.NewEncoder(base64.StdEncoding, &out)
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if enc.Encode(base, img) != nil || base.Close() != nil {
		return "" // cannot happen: the picture has a size and a buffer takes all
	}
	return out.String()
}

// DecodePNG returns the text that data, the base64 text of a png frame, holds. It refuses pictures of more than limit bytes before
// it unpacks them.
func DecodePNG(data string, limit int) ([]byte, error) {
	file, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, fmt.Errorf("png data: %w", err)
	}
	head, err := png.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("png data: %w", err)
	}
	if head.Width < 1 || head.Height < 1 || head.Width > limit/3/head.Height {
		return nil, fmt.Errorf("png data: %d x %d pixels hold more than %d bytes", head.Width, head.Height, limit)
	}
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("png data: %w", err)
	}
	return bytes.TrimRight(pixels(img), "\n"), nil
}

// pixels returns the red, green and blue of each pixel, row by row.
func pixels(img image.Image) []byte {
	b := img.Bounds()
	out := make([]byte, 0, 3*b.Dx()*b.Dy())
	if rgba, ok := img.(*image.RGBA); ok {
		for i := 0; i+4 <= len(rgba.Pix); i += 4 {
			out = append(out, rgba.Pix[i:i+3]...)
		}
		return out
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c, _ := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			out = append(out, c.R, c.G, c.B)
		}
	}
	return out
}
