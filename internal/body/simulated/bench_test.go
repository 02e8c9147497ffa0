package simulated_test

import (
	"testing"
	"time"

	"sarathi/driver"
	"sarathi/internal/body/simulated"
)

// BenchmarkMolly is one simulated second of the body alone, walking through the house: scan at 10 Hz, cloud at 5 Hz, no camera.
func BenchmarkMolly(b *testing.B) {
	r := newBench(newPlant(b, "house", molly(), nil))
	r.sink.want(driver.StreamPoints)
	b.ReportAllocs()
	for b.Loop() {
		for range int(time.Second / simulated.Period) {
			if err := r.driver.Command(r.now, driver.Velocity{VX: 0.2, WZ: 0.5}); err != nil {
				b.Fatal(err)
			}
			r.run(simulated.Period)
		}
		r.sink.forget()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "x-real-time")
}
