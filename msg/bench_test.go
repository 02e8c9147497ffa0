package msg_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"sarathi/internal/idl"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
)

// benchmarkGrid is a map of 1000 x 1000 cells as a mapper makes it: unknown, free and occupied areas with soft borders.
func benchmarkGrid() *nav.OccupancyGrid {
	m := nav.NewOccupancyGrid()
	m.Header.FrameID = "map"
	m.Info.Width, m.Info.Height, m.Info.Resolution = 1000, 1000, 0.05
	m.Data = make([]int8, 1000*1000)
	for i := range m.Data {
		x, y := float64(i%1000)-500, float64(i/1000)-500
		switch r := math.Hypot(x, y); {
		case r > 450:
			m.Data[i] = -1
		case r > 400:
			m.Data[i] = int8(2 * (r - 400))
		}
	}
	return m
}

// benchmarkScan is a full turn of 1080 beams with noise, so that no range is a round number.
func benchmarkScan() *sensor.LaserScan {
	rng := rand.New(rand.NewPCG(1, 2))
	m := &sensor.LaserScan{AngleMin: -math.Pi, AngleMax: math.Pi, AngleIncrement: 2 * math.Pi / 1080, RangeMin: 0.1, RangeMax: 30}
	m.Header.FrameID = "base_scan"
	for range 1080 {
		m.Ranges = append(m.Ranges, float32(5+rng.NormFloat64()))
		m.Intensities = append(m.Intensities, float32(rng.IntN(256)))
	}
	return m
}

// benchmarkJSON compares with encoding/json, of which minRatio times the speed is wanted.
func benchmarkJSON(b *testing.B, m idl.Message, minRatio float64) {
	buf := m.AppendJSON(nil)
	b.Run("sarathi", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(buf)))
		for b.Loop() {
			buf = m.AppendJSON(buf[:0])
		}
		b.ReportMetric(minRatio, "ratio:min")
		b.ReportMetric(0, "allocs/op:max")
	})
	b.Run("encoding_json", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(buf)))
		for b.Loop() {
			if _, err := json.Marshal(m); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkOccupancyGridJSON(b *testing.B) { benchmarkJSON(b, benchmarkGrid(), 5) }

func BenchmarkLaserScanJSON(b *testing.B) { benchmarkJSON(b, benchmarkScan(), 1.2) }

func BenchmarkLaserScanCDR(b *testing.B) {
	m := benchmarkScan()
	buf := m.AppendCDR(nil)
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			buf = m.AppendCDR(buf[:0])
		}
	})
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		var out sensor.LaserScan
		for b.Loop() {
			if err := out.ParseCDR(buf); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkLaserScanParseJSON(b *testing.B) {
	m := benchmarkScan()
	buf := m.AppendJSON(nil)
	b.Run("sarathi", func(b *testing.B) {
		b.ReportAllocs()
		var out sensor.LaserScan
		for b.Loop() {
			if err := out.ParseJSON(buf); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding_json", func(b *testing.B) {
		b.ReportAllocs()
		var out sensor.LaserScan
		for b.Loop() {
			if err := json.Unmarshal(buf, &out); err != nil {
				b.Fatal(err)
			}
		}
	})
}
