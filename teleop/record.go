package teleop

import (
	"math"

	"sarathi/internal/wire"
)

// A record describes how a struct of a state message is written and read: its members, in order.
type record[T any] []column[T]

// A column is one member of a struct.
type column[T any] struct {
	name   string
	append func(dst []byte, t *T) []byte
	parse  func(t *T, v value)
}

func (r record[T]) append(dst []byte, t *T) []byte {
	for i := range r {
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		dst = append(append(append(dst, separator, '"'), r[i].name...), `":`...)
		dst = r[i].append(dst, t)
	}
	return append(dst, '}')
}

func (r record[T]) parse(t *T, v value) {
	for i := range r {
		r[i].parse(t, v.get(r[i].name))
	}
}

// num is a number with three decimals; NaN is null.
func num[T any](name string, at func(*T) *float64) column[T] {
	return column[T]{
		name,
		func(dst []byte, t *T) []byte { return appendRounded(dst, *at(t)) },
		func(t *T, v value) { *at(t) = v.orNaN() },
	}
}

func whole[T any](name string, at func(*T) *int) column[T] {
	return column[T]{
		name,
		func(dst []byte, t *T) []byte { return appendInt(dst, *at(t)) },
		func(t *T, v value) {
			n, _ := v.integer()
			*at(t) = int(n)
		},
	}
}

func str[T any](name string, at func(*T) *string) column[T] {
	return column[T]{
		name,
		func(dst []byte, t *T) []byte { return wire.JSONString(dst, *at(t)) },
		func(t *T, v value) { *at(t) = v.text() },
	}
}

func yes[T any](name string, at func(*T) *bool) column[T] {
	return column[T]{
		name,
		func(dst []byte, t *T) []byte { return wire.JSONBool(dst, *at(t)) },
		func(t *T, v value) { *at(t), _ = v.boolean() },
	}
}

func strs[T any](name string, at func(*T) *[]string) column[T] {
	return column[T]{
		name,
		func(dst []byte, t *T) []byte { return wire.JSONStrings(dst, *at(t)) },
		func(t *T, v value) { *at(t) = v.texts() },
	}
}

func rev[T any](name string, at func(*T) *uint32) column[T] {
	return column[T]{
		name,
		func(dst []byte, t *T) []byte { return wire.JSONUint(dst, *at(t)) },
		func(t *T, v value) {
			n, _ := v.integer()
			*at(t) = uint32(n)
		},
	}
}

// maybe is a struct that may be null.
func maybe[T, U any](name string, at func(*T) *Opt[U], r record[U]) column[T] {
	return column[T]{
		name,
		func(dst []byte, t *T) []byte {
			if o := at(t); o.OK {
				return r.append(dst, &o.V)
			}
			return append(dst, "null"...)
		},
		func(t *T, v value) {
			if o := at(t); v.kind() == kindObject {
				o.OK = true
				r.parse(&o.V, v)
			}
		},
	}
}

// single is a plain value that may be null.
func single[T, U any](name string, at func(*T) *Opt[U], write func([]byte, U) []byte, read func(value) (U, bool)) column[T] {
	return column[T]{
		name,
		func(dst []byte, t *T) []byte {
			if o := at(t); o.OK {
				return write(dst, o.V)
			}
			return append(dst, "null"...)
		},
		func(t *T, v value) { o := at(t); o.V, o.OK = read(v) },
	}
}

func readText(v value) (string, bool) { return v.text(), v.kind() == kindString }

func readFlag(v value) (b, ok bool) { return v.boolean() }

func readInt(v value) (int, bool) {
	n, ok := v.integer()
	return int(n), ok
}

func readRev(v value) (uint32, bool) {
	n, ok := v.integer()
	return uint32(n), ok
}

func (v value) orNaN() float64 {
	f, ok := v.finite()
	if !ok {
		return math.NaN()
	}
	return f
}
