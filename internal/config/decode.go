package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A Defaulter fills values that Decode creates while it reads: elements of lists, new entries of maps, optional sections. The
// method is called on the pointer before the YAML is laid over it. Plain nested structs need none; they keep what their parent set.
type Defaulter interface{ SetDefaults() }

// Decode lays the YAML document data, then the overrides, over into, and validates the result. into is a pointer to a struct that
// holds the defaults; keys that are not mentioned keep them. Lists are replaced whole, maps are merged by key.
//
// path names the file in errors; data may be empty when there is none. Each of sets is "path=value" as given to --set: the value is
// YAML and goes through the same checks.
//
// The error joins every problem found, in file order, then the overrides ([All] takes it apart); each is a [*Problem] and matches
// [ErrInvalid]. An error that does not match it is a fault of the program: a field type that YAML cannot fill. After an error into
// is partly filled and must not be used.
func Decode(path string, data []byte, into any, sets ...string) error {
	root := reflect.ValueOf(into)
	if root.Kind() != reflect.Pointer || root.IsNil() || root.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("config: cannot decode into %T, want a pointer to a struct", into)
	}
	root = root.Elem()
	if err := checkSchema(root.Type(), "", map[reflect.Type]bool{}); err != nil {
		return err
	}
	d := &decoder{
		root:   root.Type(),
		places: map[string]place{},
		faults: problems{files: []string{path}},
	}
	doc, syntax := parse(data)
	switch {
	case syntax != nil:
		d.faults.add(place{0, syntax.line}, "", syntax.text)
	case doc.kind != kindMapping:
		d.faults.add(place{0, doc.line}, "", "the file holds "+doc.kind.String()+" where keys are wanted: write key: value")
	default:
		d.decode(root, doc, "", "")
	}
	for _, set := range sets {
		d.override(root, set)
	}
	d.validate(root, "")
	return d.faults.err()
}

type decoder struct {
	root   reflect.Type
	source int              // what is being read: 0 the file, then the overrides
	places map[string]place // where each key got its value
	faults problems
}

func (d *decoder) at(n *value) place {
	if d.source > 0 {
		return place{source: d.source}
	}
	return place{line: n.line}
}

func (d *decoder) failf(n *value, path, format string, args ...any) {
	d.faults.add(d.at(n), path, fmt.Sprintf(format, args...))
}

// decode stores n in v, which is addressable. unit is that of the nearest field, for advice.
func (d *decoder) decode(v reflect.Value, n *value, path, unit string) {
	d.places[path] = d.at(n)
	t := v.Type()
	switch {
	case t == rawType():
		v.Set(reflect.ValueOf(toJSON(n)))
		return
	case t == durationType() || isText(t):
		d.scalar(v, n, path, unit)
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		d.optional(v, n, path, unit)
	case reflect.Struct:
		d.section(v, n, path)
	case reflect.Map:
		d.named(v, n, path, unit)
	case reflect.Slice, reflect.Array:
		d.sequence(v, n, path, unit)
	default:
		d.scalar(v, n, path, unit)
	}
}

func (d *decoder) scalar(v reflect.Value, n *value, path, unit string) {
	switch n.kind {
	case kindScalar:
		if err := setScalar(v, n, unit); err != nil {
			d.failf(n, path, "%s", err)
		}
	case kindNull:
		d.failf(n, path, "has no value: write a %s or remove the key", typeName(v.Type()))
	default:
		d.failf(n, path, "is %s where a %s is wanted", n.kind, typeName(v.Type()))
	}
}

func (d *decoder) optional(v reflect.Value, n *value, path, unit string) {
	if n.kind == kindNull {
		v.SetZero()
		return
	}
	if v.IsNil() {
		v.Set(create(v.Type().Elem()))
	}
	d.decode(v.Elem(), n, path, unit)
}

// create returns a pointer to a new t that holds its own defaults.
func create(t reflect.Type) reflect.Value {
	p := reflect.New(t)
	if f, ok := reflect.TypeAssert[Defaulter](p); ok {
		f.SetDefaults()
	}
	return p
}

func (d *decoder) section(v reflect.Value, n *value, path string) {
	if n.kind == kindNull {
		return // a section whose every key is commented out keeps its defaults
	}
	if n.kind != kindMapping {
		d.failf(n, path, "is %s where a section is wanted: indent its keys (%s) below it", n.kind, known(v.Type()))
		return
	}
	fields := keys(v.Type())
	for _, f := range d.unique(n, path) {
		i := slices.IndexFunc(fields, func(k key) bool { return k.name == f.key })
		if i < 0 {
			d.faults.add(d.at(&value{line: f.line}), join(path, f.key), "unknown key: "+advise(d.root, v.Type(), path, f.key))
			continue
		}
		d.decode(v.FieldByIndex(fields[i].index), f.value, join(path, f.key), fields[i].unit)
		d.places[join(path, f.key)] = d.at(&value{line: f.line})
	}
}

// unique returns the fields of n without those that repeat a key, which are reported.
func (d *decoder) unique(n *value, path string) []field {
	first := make(map[string]int, len(n.fields))
	out := make([]field, 0, len(n.fields))
	for _, f := range n.fields {
		if line, ok := first[f.key]; ok {
			where := ""
			if d.source == 0 {
				where = fmt.Sprintf(" (line %d)", line)
			}
			d.faults.add(d.at(&value{line: f.line}), join(path, f.key), "is set twice"+where+": remove one")
			continue
		}
		first[f.key] = f.line
		out = append(out, f)
	}
	return out
}

func (d *decoder) named(v reflect.Value, n *value, path, unit string) {
	if n.kind == kindNull {
		v.Set(reflect.MakeMap(v.Type()))
		return
	}
	if n.kind != kindMapping {
		d.failf(n, path, "is %s where names and values are wanted: write name: value below it", n.kind)
		return
	}
	for _, f := range d.unique(n, path) {
		d.entry(v, f.key, func(elem reflect.Value) { d.decode(elem, f.value, join(path, f.key), unit) })
		d.places[join(path, f.key)] = d.at(&value{line: f.line})
	}
}

// entry changes one entry of the map v, which reflect does not let us address in place. The caller's map stays as it was: defaults
// may be shared between profiles.
func (d *decoder) entry(v reflect.Value, name string, change func(reflect.Value)) {
	t := v.Type()
	out := reflect.MakeMapWithSize(t, v.Len()+1)
	for it := v.MapRange(); it.Next(); {
		out.SetMapIndex(it.Key(), it.Value())
	}
	k := reflect.ValueOf(name).Convert(t.Key())
	elem := create(t.Elem()).Elem()
	if have := v.MapIndex(k); have.IsValid() {
		elem.Set(have)
	}
	change(elem)
	out.SetMapIndex(k, elem)
	v.Set(out)
}

func (d *decoder) sequence(v reflect.Value, n *value, path, unit string) {
	t := v.Type()
	if n.kind == kindNull && t.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(t, 0, 0))
		return
	}
	if n.kind != kindSequence {
		d.failf(n, path, "is %s where a %s is wanted: write [a, b] or lines that begin with '- '", n.kind, typeName(t))
		return
	}
	out := reflect.New(t).Elem()
	if t.Kind() == reflect.Slice {
		out.Set(reflect.MakeSlice(t, len(n.items), len(n.items)))
	} else if len(n.items) != t.Len() {
		d.failf(n, path, "has %d values, want %d", len(n.items), t.Len())
		return
	}
	for i, item := range n.items {
		out.Index(i).Set(create(t.Elem()).Elem())
		d.decode(out.Index(i), item, fmt.Sprintf("%s[%d]", path, i), unit)
	}
	v.Set(out)
}

// known lists the keys of a struct for an error message.
func known(t reflect.Type) string {
	fields := keys(t)
	names := make([]string, len(fields))
	for i, k := range fields {
		names[i] = k.name
	}
	return strings.Join(names, ", ")
}
