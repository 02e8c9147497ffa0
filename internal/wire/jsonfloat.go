package wire

import (
	"math"
	"strconv"
)

// JSONFloat64 appends the shortest decimal that reads back exactly, or null for NaN and ±Inf.
func JSONFloat64(dst []byte, v float64) []byte {
	const most = 1e15 // any two decimals of 15 digits are different float64
	if n, ok := thousandths(v, most); ok && float64(n)/1000 == v {
		return appendThousandths(dst, n)
	}
	return appendFloat(dst, v, 64)
}

// thousandths returns v*1000 as an integer if it is nearly one below most. Positions and settings have few decimals: such numbers
// need no search for their shortest decimal. If n/1000, rounded to float64, is v, then no other decimal of so few digits is.
func thousandths(v, most float64) (n int64, ok bool) {
	scaled := v * 1000
	if !(math.Abs(scaled) < most) || v == 0 && math.Signbit(v) {
		return 0, false
	}
	n = int64(scaled + math.Copysign(0.5, scaled))
	return n, math.Abs(scaled-float64(n)) < 0.125 // rounding moves scaled less than that
}

// appendThousandths appends n/1000 without trailing zeros.
func appendThousandths(dst []byte, n int64) []byte {
	if n < 0 {
		dst = append(dst, '-')
		n = -n
	}
	dst = strconv.AppendInt(dst, n/1000, 10)
	fraction := n % 1000
	if fraction == 0 {
		return dst
	}
	dst = append(dst, '.', byte('0'+fraction/100), byte('0'+fraction/10%10), byte('0'+fraction%10))
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// appendFloat writes plain decimals for everyday magnitudes and exponents for others, as ECMAScript does.
func appendFloat(dst []byte, v float64, bits int) []byte {
	abs := math.Abs(v)
	switch {
	case !(abs <= math.MaxFloat64): // also NaN
		return append(dst, "null"...)
	case abs == 0 || abs >= 1e-6 && abs < 1e21:
		return strconv.AppendFloat(dst, v, 'f', -1, bits)
	default:
		return strconv.AppendFloat(dst, v, 'e', -1, bits)
	}
}
