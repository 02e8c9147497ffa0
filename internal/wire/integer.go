package wire

import "unsafe"

// integerBits returns the size of T in bits.
func integerBits[T Integer]() int {
	var zero T
	return int(unsafe.Sizeof(zero)) * 8
}

// signed reports whether T has negative values.
func signed[T Integer]() bool {
	var zero T
	return zero-1 < zero
}
