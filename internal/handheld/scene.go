package handheld

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"

	"sarathi/teleop"
)

const (
	firstScale = 0.05 // [m/dot]
	finest     = 0.01
	coarsest   = 1.0
	zoomStep   = 1.25

	mostPixels = 1 << 26 // of a map
	darkWall   = 100     // a pixel at most this bright is occupied; unknown is 205, free 254

	// Points of the floor and the ceiling would hide the walls [cm].
	lowest  = 5
	highest = 200
)

// A scene is what is around the robot.
type scene struct {
	scale  float64      // [m/dot]
	walls  [][2]float64 // centres of occupied pixels, map frame [m]
	points []teleop.LidarPoint
	route  []teleop.RoutePoint
}

func (s *scene) zoom(factor float64) { s.scale = min(max(s.scale*factor, finest), coarsest) }

// setMap takes the occupied pixels out of a map.
func (s *scene) setMap(m *teleop.Map) error {
	size, err := png.DecodeConfig(bytes.NewReader(m.PNG))
	if err != nil {
		return fmt.Errorf("read its image: %w", err)
	}
	if size.Width != m.W || size.Height != m.H || size.Width*size.Height > mostPixels {
		return fmt.Errorf("its image has %d by %d pixels, announced were %d by %d", size.Width, size.Height, m.W, m.H)
	}
	img, err := png.Decode(bytes.NewReader(m.PNG))
	if err != nil {
		return fmt.Errorf("read its image: %w", err)
	}
	gray, ok := img.(*image.Gray)
	if !ok {
		return errors.New("its image is not grayscale")
	}
	s.walls = s.walls[:0]
	for row := range m.H {
		for col := range m.W {
			if gray.Pix[row*gray.Stride+col] <= darkWall {
				y := m.OY + (float64(m.H-row)-0.5)*m.Resolution // the first row has the largest y
				s.walls = append(s.walls, [2]float64{m.OX + (float64(col)+0.5)*m.Resolution, y})
			}
		}
	}
	return nil
}

// draw draws the scene with the robot in the middle, the map's x to the right and its y up. Without a pose the robot looks up and
// only what it sees itself is shown.
func (s *scene) draw(w, h int, pose teleop.Opt[teleop.Pose]) *canvas {
	c := newCanvas(w, h)
	at := pose.V
	if !pose.OK {
		at = teleop.Pose{Yaw: math.Pi / 2}
	}
	dot := func(x, y float64, l layer) {
		c.set(w+int(math.Floor((x-at.X)/s.scale)), 2*h-1-int(math.Floor((y-at.Y)/s.scale)), l)
	}
	if pose.OK {
		for _, p := range s.walls {
			dot(p[0], p[1], layerWall)
		}
		for _, p := range s.route {
			dot(p.X, p.Y, layerRoute)
		}
	}
	sin, cos := math.Sincos(at.Yaw)
	for _, p := range s.points {
		if p.Z >= lowest && p.Z <= highest {
			x, y := float64(p.X)/100, float64(p.Y)/100
			dot(at.X+cos*x-sin*y, at.Y+sin*x+cos*y, layerLidar)
		}
	}
	arrows := []rune("→↗↑↖←↙↓↘")
	turn := int(math.Round(math.Mod(at.Yaw, 2*math.Pi)/(math.Pi/4)))%8 + 8
	c.put(w, 2*h-1, arrows[turn%8], layerRobot)
	return c
}
