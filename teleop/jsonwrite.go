package teleop

import (
	"fmt"
	"math"

	"sarathi/internal/wire"
)

// appendMember appends a comma, a name and a value.
func appendMember[T any](dst []byte, name string, appendValue func([]byte, T) []byte, v T) []byte {
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return appendValue(dst, v)
}

// appendRounded appends a number with three decimals at most: millimetres and milliradians are finer than anything measured.
func appendRounded(dst []byte, v float64) []byte { return appendDecimals(dst, v, 1e3) }

// appendFraction appends a fraction of an image side with four decimals at most.
func appendFraction(dst []byte, v float64) []byte { return appendDecimals(dst, v, 1e4) }

func appendDecimals(dst []byte, v, scale float64) []byte {
	if r := math.Round(v*scale) / scale; math.Abs(v) < 1e12 {
		v = r + 0 // no -0
	}
	return wire.JSONFloat64(dst, v)
}

func appendNumbers(dst []byte, numbers ...float64) []byte {
	dst = append(dst, '[')
	for i, v := range numbers {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendRounded(dst, v)
	}
	return append(dst, ']')
}

// appendEach appends an array.
func appendEach[T any](appendItem func([]byte, T) []byte) func([]byte, []T) []byte {
	return func(dst []byte, items []T) []byte {
		dst = append(dst, '[')
		for i := range items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendItem(dst, items[i])
		}
		return append(dst, ']')
	}
}

func appendInt(dst []byte, n int) []byte { return wire.JSONInt(dst, int64(n)) }

// parseTyped reads an object whose t is the given one.
func parseTyped(data []byte, t string) (value, error) {
	var doc document
	root, err := doc.parse(data)
	if err != nil {
		return value{}, err
	}
	if !root.get("t").is(t) {
		return value{}, fmt.Errorf("%w: t is not %q", ErrMalformed, t)
	}
	return root, nil
}

// numbers returns the elements of an array of n finite numbers.
func numbers(v value, n int) (out []float64, ok bool) {
	out = make([]float64, 0, n)
	for item := range v.items() {
		f, ok := item.finite()
		if !ok || len(out) == n {
			return nil, false
		}
		out = append(out, f)
	}
	return out, len(out) == n
}

// texts returns the strings of an array.
func (v value) texts() []string {
	if v.kind() != kindArray {
		return nil
	}
	out := []string{}
	for item := range v.items() {
		out = append(out, item.text())
	}
	return out
}

func (v value) orZero() float64 {
	f, _ := v.finite()
	return f
}
