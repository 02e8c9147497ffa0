package config

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode"
)

// A key is one configurable field of a struct.
type key struct {
	name  string
	doc   string
	unit  string
	index []int // for reflect.Value.FieldByIndex
	typ   reflect.Type
}

// keys lists the configurable fields of a struct in source order, those of embedded structs in place of the struct.
func keys(t reflect.Type) []key {
	var out []key
	for f := range t.Fields() {
		tag, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case tag == "-":
		case f.Anonymous && tag == "" && f.Type.Kind() == reflect.Struct: // of an unexported type too: its fields are promoted
			for _, k := range keys(f.Type) {
				k.index = append([]int{f.Index[0]}, k.index...)
				out = append(out, k)
			}
		case !f.IsExported():
		default:
			name := tag
			if name == "" {
				name = snakeCase(f.Name)
			}
			out = append(out, key{name: name, doc: f.Tag.Get("doc"), unit: f.Tag.Get("unit"), index: f.Index, typ: f.Type})
		}
	}
	return out
}

// snakeCase turns a Go name into a key: RemoteTimeout → remote_timeout, ScanHz → scan_hz, MapURL → map_url, HTTPPort → http_port.
func snakeCase(name string) string {
	r := []rune(name)
	var b strings.Builder
	for i, c := range r {
		if unicode.IsUpper(c) && i > 0 {
			afterLower := !unicode.IsUpper(r[i-1])
			beforeLower := i+1 < len(r) && unicode.IsLower(r[i+1])
			if afterLower || beforeLower {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

func durationType() reflect.Type { return reflect.TypeFor[time.Duration]() }
func rawType() reflect.Type      { return reflect.TypeFor[json.RawMessage]() }

// isText reports whether values of type t are written as text that the type itself parses.
func isText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// checkSchema refuses types that no YAML can fill and keys that two fields claim. The fault is the program's, not the user's.
func checkSchema(t reflect.Type, path string, open map[reflect.Type]bool) error {
	if t == durationType() || t == rawType() || isText(t) || open[t] {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return checkSchema(t.Elem(), path+"[]", open)
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return fmt.Errorf("config: %s has keys of type %s, want string", path, t.Key())
		}
		return checkSchema(t.Elem(), path+".*", open)
	case reflect.Struct:
		open[t] = true
		defer delete(open, t)
		seen := map[string]bool{}
		for _, k := range keys(t) {
			if seen[k.name] {
				return fmt.Errorf("config: %s has two fields for the key %s", t, k.name)
			}
			seen[k.name] = true
			if err := checkSchema(k.typ, join(path, k.name), open); err != nil {
				return err
			}
		}
		return nil
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return nil
	default:
		return fmt.Errorf("config: %s has type %s, which cannot be written in YAML: tag it `yaml:\"-\"`", path, t)
	}
}

// typeName says in words what a key of type t wants.
func typeName(t reflect.Type) string {
	switch {
	case t == durationType():
		return "duration"
	case t == rawType():
		return "any value"
	case isText(t):
		return "text"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Pointer:
		return typeName(t.Elem()) + ", optional"
	case reflect.Array:
		return fmt.Sprintf("list of %d × %s", t.Len(), typeName(t.Elem()))
	case reflect.Slice:
		return "list of " + typeName(t.Elem())
	case reflect.Map:
		return "named " + typeName(t.Elem())
	case reflect.Struct:
		return "section"
	default:
		return "whole number"
	}
}
