package config

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// validate asks every value that has a Validate method, parents before children, and refuses numbers that are not finite.
func (d *decoder) validate(v reflect.Value, path string) {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return
	}
	if v.Kind() != reflect.Pointer && v.CanAddr() {
		if c, ok := reflect.TypeAssert[interface{ Validate() error }](v.Addr()); ok {
			d.report(v.Type(), path, c.Validate())
		}
	}
	if v.Type() == rawType() || isText(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		d.validate(v.Elem(), path)
	case reflect.Struct:
		for _, k := range keys(v.Type()) {
			d.validate(v.FieldByIndex(k.index), join(path, k.name))
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			d.validate(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
		}
	case reflect.Map:
		for _, k := range sortedKeys(v) {
			elem := reflect.New(v.Type().Elem()).Elem()
			elem.Set(v.MapIndex(k))
			d.validate(elem, join(path, k.String()))
		}
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			d.report(nil, path, &FieldError{Text: notFinite(f)})
		}
	default:
	}
}

// sortedKeys returns the keys of a map with string keys in order, so that errors and printouts are the same every time.
func sortedKeys(v reflect.Value) []reflect.Value {
	out := v.MapKeys()
	slices.SortFunc(out, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	return out
}

// report files what a Validate method of a value of type t at path returned.
func (d *decoder) report(t reflect.Type, path string, err error) {
	for _, e := range flatten(err) {
		at, text := e.Path, e.Text
		if at == "" {
			at, text = splitText(t, e.Text)
		}
		if at = join(path, at); !d.faults.covers(at) {
			d.faults.add(d.origin(at), at, text)
		}
	}
}

// origin returns where the key at path, or the nearest section around it, was written.
func (d *decoder) origin(path string) place {
	for ; path != ""; path = parent(path) {
		if at, ok := d.places[path]; ok {
			return at
		}
	}
	return place{}
}

// flatten turns any error into field errors: joined errors one by one, all others whole.
func flatten(err error) []*FieldError {
	switch e := err.(type) { //nolint:errorlint // walks the tree of errors itself
	case nil:
		return nil
	case *FieldError:
		return []*FieldError{e}
	case interface{ Unwrap() []error }:
		var out []*FieldError
		for _, one := range e.Unwrap() {
			out = append(out, flatten(one)...)
		}
		return out
	default:
		return []*FieldError{{Text: err.Error()}}
	}
}

// splitText finds the path in a plain error such as "limits[0]: is negative", as packages write that must not import this one.
func splitText(t reflect.Type, text string) (path, rest string) {
	head, rest, ok := strings.Cut(text, ": ")
	if !ok || t == nil {
		return "", text
	}
	steps, err := splitPath(head)
	if err != nil || !reaches(t, steps) {
		return "", text
	}
	return head, rest
}

// reaches reports whether steps lead from t to a key that exists.
func reaches(t reflect.Type, steps []string) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if len(steps) == 0 {
		return true
	}
	switch t.Kind() {
	case reflect.Struct:
		for _, k := range keys(t) {
			if k.name == steps[0] {
				return reaches(k.typ, steps[1:])
			}
		}
		return false
	case reflect.Map:
		return reaches(t.Elem(), steps[1:])
	case reflect.Slice, reflect.Array:
		return steps[0][0] == '[' && reaches(t.Elem(), steps[1:])
	default:
		return false
	}
}
