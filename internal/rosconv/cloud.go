package rosconv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"sarathi/msg/sensor"
	"sarathi/msg/std"
)

// ErrCloud is what every error of [NewCloud] wraps.
var ErrCloud = errors.New("point cloud refused")

// Cloud reads the places of the points of a PointCloud2 without copying it. The zero value has no points.
type Cloud struct {
	data    []byte
	width   int // points in a row
	step    int // bytes of a point
	rowStep int // bytes of a row
	count   int
	x, y, z int // offset of each coordinate in a point
	order   binary.ByteOrder
}

// NewCloud looks at the layout of m, which must have the float32 fields x, y and z, and refuses what does not fit into its data.
// The Cloud shares the data of m.
func NewCloud(m *sensor.PointCloud2) (Cloud, error) {
	c := Cloud{data: m.Data, step: int(m.PointStep), rowStep: int(m.RowStep), order: binary.LittleEndian}
	if m.IsBigendian {
		c.order = binary.BigEndian
	}
	for _, f := range []struct {
		name string
		at   *int
	}{{"x", &c.x}, {"y", &c.y}, {"z", &c.z}} {
		off, err := coordinate(m, f.name)
		if err != nil {
			return Cloud{}, err
		}
		*f.at = off
	}
	// All factors are below 2³², so the products fit into 64 bits.
	width, height := uint64(m.Width), uint64(m.Height)
	if width == 0 || height == 0 {
		return Cloud{}, nil
	}
	if width*uint64(m.PointStep) > uint64(m.RowStep) && height > 1 {
		return Cloud{}, fmt.Errorf("%w: %d points of %d bytes do not fit into a row of %d bytes", ErrCloud, width, m.PointStep, m.RowStep)
	}
	need := (height-1)*uint64(m.RowStep) + width*uint64(m.PointStep)
	if have := uint64(len(m.Data)); need > have || height-1 > have {
		return Cloud{}, fmt.Errorf("%w: %d x %d points need %d bytes, the data has %d", ErrCloud, width, height, need, have)
	}
	c.width, c.count = int(width), int(width*height)
	return c, nil
}

// coordinate returns where in a point the coordinate of that name lies.
func coordinate(m *sensor.PointCloud2, name string) (int, error) {
	for _, f := range m.Fields {
		if f.Name != name {
			continue
		}
		if f.Datatype != sensor.PointFieldFloat32 {
			return 0, fmt.Errorf("%w: field %s has data type %d, only float32 (%d) is read", ErrCloud, name, f.Datatype, sensor.PointFieldFloat32)
		}
		if uint64(f.Offset)+4 > uint64(m.PointStep) {
			return 0, fmt.Errorf("%w: field %s at byte %d lies outside of a point of %d bytes", ErrCloud, name, f.Offset, m.PointStep)
		}
		return int(f.Offset), nil
	}
	return 0, fmt.Errorf("%w: it has no field %s", ErrCloud, name)
}

// Len returns the number of points.
func (c *Cloud) Len() int { return c.count }

// At returns point i, in the frame of the cloud [m]; i is at least 0 and below Len. Points that the sensor did not measure are NaN.
func (c *Cloud) At(i int) (x, y, z float32) {
	p := c.data[(i/c.width)*c.rowStep+(i%c.width)*c.step:]
	return c.float(p[c.x:]), c.float(p[c.y:]), c.float(p[c.z:])
}

// Append appends the coordinates of all points to dst, x, y, z, x, y, z …, and returns it; a dst with room saves the allocation.
func (c *Cloud) Append(dst []float32) []float32 {
	if c.order == binary.ByteOrder(binary.LittleEndian) {
		for first := 0; first < c.count; first += c.width { // the usual case, without a call for each number
			row := c.data[(first/c.width)*c.rowStep:]
			for i := range c.width {
				p := row[i*c.step : i*c.step+c.step]
				dst = append(dst,
					math.Float32frombits(binary.LittleEndian.Uint32(p[c.x:])),
					math.Float32frombits(binary.LittleEndian.Uint32(p[c.y:])),
					math.Float32frombits(binary.LittleEndian.Uint32(p[c.z:])))
			}
		}
		return dst
	}
	for i := range c.count {
		x, y, z := c.At(i)
		dst = append(dst, x, y, z)
	}
	return dst
}

func (c *Cloud) float(b []byte) float32 { return math.Float32frombits(c.order.Uint32(b)) }

// PointCloud returns a cloud of the given coordinates, x, y, z, x, y, z … [m], in the layout that Append reads fastest: one row of
// little-endian float32. Coordinates that do not make a whole point at the end are left out.
func PointCloud(h std.Header, xyz []float32) sensor.PointCloud2 {
	const step = 12
	n := len(xyz) / 3
	data := make([]byte, 0, n*step)
	for _, v := range xyz[:3*n] {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	field := func(name string, offset uint32) sensor.PointField {
		return sensor.PointField{Name: name, Offset: offset, Datatype: sensor.PointFieldFloat32, Count: 1}
	}
	return sensor.PointCloud2{
		Header: h, Height: 1, Width: uint32(n), PointStep: step, RowStep: uint32(n * step),
		Fields: []sensor.PointField{field("x", 0), field("y", 4), field("z", 8)}, Data: data, IsDense: true,
	}
}
