package rosconv

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/msg/sensor"
)

func TestCloudRoundTrip(t *testing.T) {
	want := []float32{1, 2, 3, -4, 5.5, float32(math.Inf(1))}
	m := PointCloud(Header(time.Unix(1, 0), "livox_frame"), append(want, 9)) // 9 makes no whole point
	c, err := NewCloud(&m)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Append(nil); !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if x, y, z := c.At(1); c.Len() != 2 || x != -4 || y != 5.5 || z != want[5] {
		t.Errorf("point 1 of %d is %g, %g, %g", c.Len(), x, y, z)
	}
}

// organised returns a cloud of two rows of two points with a field before the coordinates, and padding after points and rows.
func organised(order binary.AppendByteOrder, big bool) sensor.PointCloud2 {
	var data []byte
	for row := range 2 {
		for col := range 2 {
			data = append(data, 0xff, 0xff)
			for axis := range 3 {
				data = order.AppendUint32(data, math.Float32bits(float32(100*row+10*col+axis)))
			}
			data = append(data, 0xee, 0xee)
		}
		data = append(data, 0xdd)
	}
	f := func(name string, offset uint32) sensor.PointField {
		return sensor.PointField{Name: name, Offset: offset, Datatype: sensor.PointFieldFloat32, Count: 1}
	}
	return sensor.PointCloud2{
		Height: 2, Width: 2, PointStep: 16, RowStep: 33, IsBigendian: big, Data: data,
		Fields: []sensor.PointField{{Name: "ring", Datatype: 4, Count: 1}, f("x", 2), f("y", 6), f("z", 10)},
	}
}

func TestCloudLayouts(t *testing.T) {
	want := []float32{0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112}
	little, big := organised(binary.LittleEndian, false), organised(binary.BigEndian, true)
	for _, m := range []sensor.PointCloud2{little, big} {
		c, err := NewCloud(&m)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Append(nil); !cmp.Equal(got, want) {
			t.Errorf("big-endian %v: got %v, want %v", m.IsBigendian, got, want)
		}
	}
}

func TestMalformedCloudsAreRefused(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*sensor.PointCloud2)
	}{
		{"no z", func(m *sensor.PointCloud2) { m.Fields = m.Fields[:3] }},
		{"doubles", func(m *sensor.PointCloud2) { m.Fields[1].Datatype = sensor.PointFieldFloat64 }},
		{"field outside of the point", func(m *sensor.PointCloud2) { m.Fields[3].Offset = 13 }},
		{"field far outside", func(m *sensor.PointCloud2) { m.Fields[3].Offset = math.MaxUint32 }},
		{"too little data", func(m *sensor.PointCloud2) { m.Data = m.Data[:40] }},
		{"row too short", func(m *sensor.PointCloud2) { m.RowStep = 31 }},
		{"huge", func(m *sensor.PointCloud2) { m.Width, m.Height, m.RowStep = 1<<31, 1<<31, math.MaxUint32 }},
		{"many empty rows", func(m *sensor.PointCloud2) { m.Height, m.RowStep, m.Width, m.PointStep = math.MaxUint32, 0, 1, 16 }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := organised(binary.LittleEndian, false)
			tt.spoil(&m)
			if c, err := NewCloud(&m); !errors.Is(err, ErrCloud) {
				t.Errorf("got %d points and error %v, want ErrCloud", c.Len(), err)
			}
		})
	}
}

func FuzzCloud(f *testing.F) {
	f.Add(uint32(2), uint32(2), uint32(16), uint32(33), uint32(2), uint32(6), uint32(10), false, organised(binary.LittleEndian, false).Data)
	f.Add(uint32(1), uint32(0), uint32(0), uint32(0), uint32(0), uint32(4), uint32(8), true, []byte{})
	f.Add(uint32(1<<31), uint32(1<<31), uint32(12), uint32(0), uint32(0), uint32(4), uint32(8), false, make([]byte, 64))
	f.Fuzz(func(t *testing.T, h, w, step, row, x, y, z uint32, big bool, data []byte) {
		m := organised(binary.LittleEndian, big)
		m.Height, m.Width, m.PointStep, m.RowStep, m.Data = h, w, step, row, data
		m.Fields[1].Offset, m.Fields[2].Offset, m.Fields[3].Offset = x, y, z
		c, err := NewCloud(&m)
		if err != nil {
			return
		}
		if n := c.Len(); n > len(data) {
			t.Fatalf("%d points in %d bytes", n, len(data))
		}
		all := c.Append(nil)
		for i := range c.Len() {
			x, y, z := c.At(i)
			for j, v := range []float32{x, y, z} {
				if math.Float32bits(all[3*i+j]) != math.Float32bits(v) {
					t.Fatalf("point %d: Append gives %v, At %v", i, all[3*i:3*i+3], []float32{x, y, z})
				}
			}
		}
	})
}

func BenchmarkCloudAppend(b *testing.B) {
	m := PointCloud(Header(time.Unix(1, 0), "livox_frame"), make([]float32, 3*20_000))
	var buf []float32
	b.ReportAllocs()
	for b.Loop() {
		c, err := NewCloud(&m)
		if err != nil {
			b.Fatal(err)
		}
		buf = c.Append(buf[:0])
	}
}
