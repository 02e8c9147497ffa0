package wire

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// wantFloat is the contract of the JSON floats, by strconv alone.
func wantFloat(v float64, bits int) string {
	abs := math.Abs(v)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "null"
	case abs != 0 && (abs < 1e-6 || abs >= 1e21):
		return strconv.FormatFloat(v, 'e', -1, bits)
	}
	return strconv.FormatFloat(v, 'f', -1, bits)
}

func TestJSONFloatsAreShortest(t *testing.T) {
	check := func(v float64) {
		t.Helper()
		if got, want := string(JSONFloat64(nil, v)), wantFloat(v, 64); got != want {
			t.Errorf("JSONFloat64(%b) = %s, want %s", v, got, want)
		}
		f := float32(v)
		if got, want := string(JSONFloat32(nil, f)), wantFloat(float64(f), 32); got != want {
			t.Errorf("JSONFloat32(%b) = %s, want %s", f, got, want)
		}
	}
	for _, v := range []float64{
		0, math.Copysign(0, -1), 1, -1, 0.5, 0.1, 0.3, 1.0 / 3, 100, 123456, 999999, 1e6, 1e15, 1e20, 1e21, 1e-6, 9.99e-7, 5e-324, 0.001, 0.0005, 99999.99,
		math.MaxFloat64, math.MaxFloat32, math.SmallestNonzeroFloat32, 1 << 24, 1<<24 + 1, 1 << 53, 0.0009999999, 99999.995, 1e5,
		math.NaN(), math.Inf(1), math.Inf(-1),
	} {
		check(v)
		check(-v)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50_000 {
		check(math.Float64frombits(rng.Uint64()))
		check(float64(math.Float32frombits(rng.Uint32())))
		check(math.Exp(rng.Float64()*24 - 10))                       // everyday magnitudes, all digits
		check(math.Round(rng.Float64()*1e7) / 1000)                  // millimetres
		check(float64(float32(math.Round(rng.Float64()*3e5) / 1e4))) // few digits, as float32
	}
	for e := -12; e < 20; e++ { // around every power of two
		v := float32(math.Ldexp(1, e))
		check(float64(math.Nextafter32(v, 0)))
		check(float64(v))
		check(float64(math.Nextafter32(v, math.MaxFloat32)))
	}
}
