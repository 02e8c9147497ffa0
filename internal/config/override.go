package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// setFlag is how an override is named in errors.
const setFlag = "--set "

// override applies one "path=value". The path is made of keys with dots between them and [n] for an element of a list.
func (d *decoder) override(root reflect.Value, set string) {
	d.faults.files = append(d.faults.files, setFlag+set)
	d.source = len(d.faults.files) - 1
	path, text, ok := strings.Cut(set, "=")
	if path = strings.TrimSpace(path); !ok || path == "" {
		d.faults.add(place{source: d.source}, "", "want path=value, as in --set control.remote_timeout=250ms")
		return
	}
	n, syntax := parse([]byte(text))
	if syntax != nil {
		d.faults.add(place{source: d.source}, path, "the value is not YAML: "+syntax.text)
		return
	}
	if n.kind == kindMapping && len(n.fields) == 0 && strings.TrimSpace(text) == "" {
		n = &value{kind: kindNull}
	}
	steps, err := splitPath(path)
	if err != nil {
		d.faults.add(place{source: d.source}, path, err.Error())
		return
	}
	d.descend(root, steps, "", "", n)
}

// splitPath takes "a.b[2].c" apart into "a", "b", "[2]", "c".
func splitPath(path string) ([]string, error) {
	var steps []string
	for part := range strings.SplitSeq(path, ".") {
		name, rest, indexed := strings.Cut(part, "[")
		if name == "" {
			return nil, fmt.Errorf("%q is not a path: write keys with single dots between them", path)
		}
		steps = append(steps, name)
		for indexed {
			var index string
			var closed bool
			index, rest, closed = strings.Cut(rest, "]")
			if _, err := strconv.ParseUint(index, 10, 31); !closed || err != nil {
				return nil, fmt.Errorf("%q is not a path: write an element of a list as name[0]", path)
			}
			steps = append(steps, "["+index+"]")
			if rest == "" {
				break
			}
			var before string
			if before, rest, indexed = strings.Cut(rest, "["); before != "" || !indexed {
				return nil, fmt.Errorf("%q is not a path: put a dot after ]", path)
			}
		}
	}
	return steps, nil
}

// descend walks to the value that steps lead to and decodes n there.
func (d *decoder) descend(v reflect.Value, steps []string, path, unit string, n *value) {
	if len(steps) == 0 {
		d.decode(v, n, path, unit)
		return
	}
	fail := func(format string, args ...any) {
		d.failf(n, join(path, steps[0]), format, args...)
	}
	t, step := v.Type(), steps[0]
	if t == durationType() || t == rawType() || isText(t) {
		fail("has no keys: it is a %s", typeName(t))
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(create(t.Elem()))
		}
		d.descend(v.Elem(), steps, path, unit, n)
	case reflect.Struct:
		fields := keys(t)
		i := slices.IndexFunc(fields, func(k key) bool { return k.name == step })
		if i < 0 {
			fail("unknown key: %s", advise(d.root, t, path, step))
			return
		}
		d.descend(v.FieldByIndex(fields[i].index), steps[1:], join(path, step), fields[i].unit, n)
	case reflect.Map:
		d.entry(v, step, func(elem reflect.Value) { d.descend(elem, steps[1:], join(path, step), unit, n) })
	case reflect.Slice, reflect.Array:
		i, err := strconv.Atoi(strings.Trim(step, "[]"))
		if err != nil || step[0] != '[' {
			fail("is not an element: write %s[0] for the first", path)
			return
		}
		if i >= v.Len() {
			fail("there is no such element: the list has %d", v.Len())
			return
		}
		d.descend(v.Index(i), steps[1:], join(path, step), unit, n)
	default:
		fail("has no keys: it is a %s", typeName(t))
	}
}
