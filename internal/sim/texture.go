package sim

import (
	"image/color"
	"math"

	"sarathi/internal/geom"
)

// color is what things of a kind look like.
func (k Kind) color() color.RGBA {
	switch k {
	case KindBox:
		return color.RGBA{150, 104, 62, 255}
	case KindCircle:
		return color.RGBA{96, 128, 88, 255}
	case KindDoor:
		return color.RGBA{92, 120, 160, 255}
	case KindPerson:
		return color.RGBA{196, 84, 72, 255}
	case KindRobot:
		return color.RGBA{70, 70, 78, 255}
	case KindFence, KindMap, KindWall:
	}
	return color.RGBA{200, 196, 184, 255}
}

// texture is the colour of a point of a surface: its place along the surface and its height [m].
func (k Kind) texture(along, height float64) color.RGBA {
	c := k.color()
	switch k {
	case KindPerson:
		switch {
		case height > 1.5: // face
			c = color.RGBA{214, 164, 132, 255}
		case height < 0.85: // trousers
			c = color.RGBA{62, 66, 92, 255}
		}
		return speckle(c, along*30, height*30, 8)
	case KindBox: // grain of wood
		return speckle(c, along*3, height*40, 14)
	case KindDoor:
		return speckle(c, along*2, height*2, 6)
	case KindCircle, KindRobot:
		return speckle(c, along*10, height*10, 8)
	case KindFence, KindMap, KindWall:
	}
	if height < 0.08 { // skirting board
		return color.RGBA{150, 146, 138, 255}
	}
	return speckle(c, along*8, height*8, 10)
}

// floorTexture is the colour of the floor: tiles of half a metre, no two alike.
func floorTexture(at geom.Vec2) color.RGBA {
	const tile = 0.5
	return speckle(color.RGBA{126, 112, 96, 255}, at.X/tile, at.Y/tile, 16)
}

// speckle makes a colour lighter or darker by up to half of by, the same for each square of the pattern.
func speckle(c color.RGBA, x, y float64, by int) color.RGBA {
	// The finalizer of MurmurHash3 over both indices.
	h := uint32(int32(math.Floor(x)))*0x9e3779b1 ^ uint32(int32(math.Floor(y)))*0x85ebca77
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	h ^= h >> 16
	d := int(h%uint32(by+1)) - by/2
	shade := func(v uint8) uint8 { return uint8(min(max(int(v)+d, 0), 255)) }
	return color.RGBA{shade(c.R), shade(c.G), shade(c.B), 255}
}
