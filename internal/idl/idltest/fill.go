package idltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"

	"sarathi/internal/idl"
)

// Fill gives every field of m random content that depends only on the seed: extreme numbers, NaN but no
// infinity (JSON has no word for it), strings of at most 3 bytes and sequences of at most 2 elements, so that bounds hold.
func Fill(m idl.Message, seed uint64) {
	f := filler{rand.New(rand.NewPCG(seed, 0))}
	f.fill(reflect.ValueOf(m).Elem())
}

type filler struct{ rng *rand.Rand }

func (f filler) fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			f.fill(field)
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Slice:
		n := f.rng.IntN(3)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			f.fill(v.Index(i))
		}
	case reflect.Bool:
		v.SetBool(f.rng.IntN(2) == 1)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(f.integer(v.Type().Bits()))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(f.integer(64)) >> (64 - v.Type().Bits()))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(f.float(v.Type().Bits()))
	case reflect.String:
		texts := []string{"", "a", "map", "\"", "\\\n\t", "\x01", "é", "€", "/\x7f"}
		v.SetString(texts[f.rng.IntN(len(texts))])
	default:
		panic(fmt.Sprintf("messages have no fields of kind %s", v.Kind()))
	}
}

// integer returns the extremes half of the time.
func (f filler) integer(bits int) int64 {
	switch f.rng.IntN(4) {
	case 0:
		return math.MinInt64 >> (64 - bits)
	case 1:
		return math.MaxInt64 >> (64 - bits)
	default:
		return int64(f.rng.Uint64()) >> (64 - bits)
	}
}

func (f filler) float(bits int) float64 {
	largest := math.MaxFloat64
	if bits == 32 {
		largest = math.MaxFloat32
	}
	switch f.rng.IntN(8) {
	case 0:
		return math.NaN()
	case 1:
		return math.Copysign(0, -1)
	case 2:
		return -largest
	case 3:
		return float64(f.rng.IntN(2000)-1000) / 100
	default:
		return f.rng.NormFloat64()
	}
}
