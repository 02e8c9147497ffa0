package wire

import (
	"math"
	"strconv"
)

// JSONFloat32 appends the shortest decimal that a 32-bit float reads back exactly, or null for NaN and ±Inf.
// Scans and clouds are mostly float32, and formatting is most of the time their JSON takes: magnitudes from 0.001 up to 100,000 take a
// shorter way than strconv, to the same text.
func JSONFloat32(dst []byte, v float32) []byte {
	abs := v
	if v < 0 {
		abs = -v
	}
	if !(abs >= 1e-3 && abs < 1e5) {
		return appendFloat(dst, float64(v), 32)
	}
	n, decimals := shortest32(abs)
	if decimals < 0 {
		return appendFloat(dst, float64(v), 32)
	}
	if v < 0 {
		dst = append(dst, '-')
	}
	return appendDecimal(dst, n, decimals)
}

// shortest32 returns n and decimals so that n/10^decimals is the decimal nearest to v of the fewest digits, trailing zeros not
// counted, that rounds to v. v is in [0.001, 100,000). decimals is -1 for the rare cases that it leaves to strconv.
//
// It tries 7, 8 and 9 digits. Why that is right:
//   - v has 24 bits and 5^11 has 26, so v*10^decimals is exact in float64 and n is the decimal of that many digits nearest to v.
//   - If n/10^decimals does not round to v then no decimal of that many digits does: the interval that rounds to v is
//     symmetric, except at powers of two, which are left to strconv, as are ties.
//   - n/10^decimals in float64 is safe: the quotient differs from every midpoint between two float32, relatively, by more than
//     1/(5^11 2^25) > 2^-51 or not at all, so rounding twice is rounding once.
//   - In this range 7 digits are further apart than float32 are. A shorter decimal that rounds to v is then itself
//     the nearest of 7 digits, with zeros at its end.
func shortest32(v float32) (n uint32, decimals int) {
	const mantissa = 1<<23 - 1
	if math.Float32bits(v)&mantissa == 0 {
		return 0, -1
	}
	for decimals = sevenDigits(v); ; decimals++ {
		scale := powersOfTen[decimals]
		scaled := float64(v) * scale
		n = uint32(scaled + 0.5)
		switch {
		case float64(n)-scaled == 0.5 || n >= 1e9:
			return 0, -1
		case float32(float64(n)/scale) == v:
			return n, decimals
		}
	}
}

// powersOfTen are exact.
//
//nolint:gochecknoglobals // a constant table
var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11}

// sevenDigits returns how many decimals a number in [0.001, 100,000) has when it has 7 digits in all.
func sevenDigits(v float32) int {
	switch {
	case v >= 1e4:
		return 2
	case v >= 1e3:
		return 3
	case v >= 1e2:
		return 4
	case v >= 10:
		return 5
	case v >= 1:
		return 6
	case v >= 0.1:
		return 7
	case v >= 0.01:
		return 8
	default:
		return 9
	}
}

// appendDecimal appends n/10^decimals without trailing zeros.
func appendDecimal(dst []byte, n uint32, decimals int) []byte {
	var digits [12]byte // of the fraction, from the right
	at := len(digits)
	for range decimals {
		at--
		digits[at] = byte('0' + n%10)
		n /= 10
	}
	end := len(digits)
	for end > at && digits[end-1] == '0' {
		end--
	}
	dst = strconv.AppendUint(dst, uint64(n), 10)
	if end == at {
		return dst
	}
	dst = append(dst, '.')
	return append(dst, digits[at:end]...)
}
