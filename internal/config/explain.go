package config

import (
	"fmt"
	"reflect"
	"strings"
)

// A Key describes one key of a configuration for people: a line of `sarathi profile explain` and of the reference.
type Key struct {
	Path    string `json:"path"`           // "control.remote_timeout"; [] stands for the elements of a list, <name> for any name
	Type    string `json:"type"`           // in words: "number", "duration", "list of 3 × number", "section"
	Default string `json:"default"`        // as it would be written; empty for sections and for what has none
	Unit    string `json:"unit,omitempty"` // SI, from the tag
	Doc     string `json:"doc,omitempty"`  // from the tag
}

// Explain lists every key of a configuration in source order, sections before their keys. v is a struct, or a pointer to one, that
// holds the defaults.
func Explain(v any) ([]Key, error) {
	rv := reflect.ValueOf(v)
	for rv.Kind() == reflect.Pointer && !rv.IsNil() {
		rv = rv.Elem()
	}
	if rv.Kind() != reflect.Struct {
		return nil, fmt.Errorf("config: cannot explain %T, want a struct", v)
	}
	if err := checkSchema(rv.Type(), "", map[reflect.Type]bool{}); err != nil {
		return nil, err
	}
	e := &explainer{open: map[reflect.Type]bool{}}
	e.section(rv, "")
	return e.keys, nil
}

type explainer struct {
	keys []Key
	open map[reflect.Type]bool // types being explained, so that one that contains itself ends
}

func (e *explainer) section(v reflect.Value, path string) {
	if e.open[v.Type()] {
		return
	}
	e.open[v.Type()] = true
	defer delete(e.open, v.Type())
	for _, k := range keys(v.Type()) {
		field := v.FieldByIndex(k.index)
		at := join(path, k.name)
		e.keys = append(e.keys, Key{Path: at, Type: typeName(k.typ), Default: printDefault(field), Unit: k.unit, Doc: k.doc})
		e.below(field, at)
	}
}

// below explains the sections inside a value: its own keys, or those of the elements it may hold.
func (e *explainer) below(v reflect.Value, path string) {
	t := v.Type()
	if t == durationType() || t == rawType() || isText(t) {
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v = create(t.Elem())
		}
		e.below(v.Elem(), path)
	case reflect.Struct:
		e.section(v, path)
	case reflect.Slice, reflect.Array:
		e.below(create(t.Elem()).Elem(), path+"[]")
	case reflect.Map:
		e.below(create(t.Elem()).Elem(), join(path, "<name>"))
	default:
	}
}

// printDefault writes a default on one line; what has keys of its own has none.
func printDefault(v reflect.Value) string {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "none"
		}
		v = v.Elem()
	}
	p := &printer{}
	if text, ok := p.inline(v); ok {
		return text
	}
	if v.Kind() != reflect.Map {
		return ""
	}
	parts := make([]string, 0, v.Len())
	for _, k := range sortedKeys(v) {
		text, ok := p.inline(v.MapIndex(k))
		if !ok {
			return ""
		}
		parts = append(parts, plainOrQuoted(k.String())+": "+text)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
