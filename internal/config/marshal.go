package config

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Marshal prints a configuration as YAML that Decode reads back to the same value: keys in source order, durations as 250ms, lists of
// scalars on one line. v is a struct or a pointer to one.
func Marshal(v any) ([]byte, error) {
	rv := reflect.ValueOf(v)
	for rv.Kind() == reflect.Pointer && !rv.IsNil() {
		rv = rv.Elem()
	}
	if rv.Kind() != reflect.Struct {
		return nil, fmt.Errorf("config: cannot print %T, want a struct", v)
	}
	if err := checkSchema(rv.Type(), "", map[reflect.Type]bool{}); err != nil {
		return nil, err
	}
	p := &printer{}
	p.section(rv, "")
	return p.out, p.err
}

type printer struct {
	out []byte
	err error
}

// pair prints "key: value" at the given indentation.
func (p *printer) pair(name string, v reflect.Value, indent string) {
	p.out = append(p.out, indent...)
	p.out = append(p.out, plainOrQuoted(name)...)
	p.out = append(p.out, ':')
	p.value(v, indent)
}

// value prints what follows "key:" or "-", up to and including the end of the line.
func (p *printer) value(v reflect.Value, indent string) {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if text, ok := p.inline(v); ok {
		p.out = append(append(append(p.out, ' '), text...), '\n')
		return
	}
	p.out = append(p.out, '\n')
	deeper := indent + "  "
	switch v.Kind() {
	case reflect.Struct:
		p.section(v, deeper)
	case reflect.Map:
		for _, k := range sortedKeys(v) {
			p.pair(k.String(), v.MapIndex(k), deeper)
		}
	default: // a list whose elements need lines of their own
		for i := range v.Len() {
			p.item(v.Index(i), deeper)
		}
	}
}

// item prints one element of a list; a section begins on the line of its dash.
func (p *printer) item(v reflect.Value, indent string) {
	start := len(p.out)
	p.out = append(p.out, indent...)
	p.out = append(p.out, '-')
	p.value(v, indent)
	// "  -\n    a: 1" reads better as "  - a: 1".
	head := len(indent) + 1
	if body := p.out[start+head:]; len(body) > len(indent)+3 && body[0] == '\n' && body[len(indent)+3] != '-' {
		p.out = append(append(p.out[:start+head], ' '), body[1+len(indent)+2:]...)
	}
}

func (p *printer) section(v reflect.Value, indent string) {
	for _, k := range keys(v.Type()) {
		p.pair(k.name, v.FieldByIndex(k.index), indent)
	}
}

// inline renders what fits on one line: scalars, empty things, lists of scalars.
func (p *printer) inline(v reflect.Value) (string, bool) {
	t := v.Type()
	switch {
	case t == durationType():
		return time.Duration(v.Int()).String(), true
	case t == rawType():
		return p.raw(v.Bytes()), true
	case isText(t):
		return p.text(v), true
	}
	switch v.Kind() {
	case reflect.Pointer:
		return "null", true
	case reflect.Struct:
		return "{}", len(keys(t)) == 0
	case reflect.Map:
		return "{}", v.Len() == 0
	case reflect.Slice, reflect.Array:
		return p.inlineList(v)
	case reflect.String:
		return plainOrQuoted(v.String()), true
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()), true
	case reflect.Float32, reflect.Float64:
		return formatFloat(v.Float(), t.Bits()), true
	default:
		if v.CanInt() {
			return strconv.FormatInt(v.Int(), 10), true
		}
		return strconv.FormatUint(v.Uint(), 10), true
	}
}

func (p *printer) inlineList(v reflect.Value) (string, bool) {
	parts := make([]string, v.Len())
	for i := range parts {
		elem := v.Index(i)
		for elem.Kind() == reflect.Pointer && !elem.IsNil() {
			elem = elem.Elem()
		}
		text, ok := p.inline(elem)
		if !ok {
			return "", false
		}
		parts[i] = text
	}
	return "[" + strings.Join(parts, ", ") + "]", true
}

// text prints a value that parses itself from text, by its MarshalText if it has one.
func (p *printer) text(v reflect.Value) string {
	if !v.CanAddr() {
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		v = c
	}
	m, ok := reflect.TypeAssert[encoding.TextMarshaler](v.Addr())
	if !ok {
		return plainOrQuoted(fmt.Sprint(v.Interface()))
	}
	b, err := m.MarshalText()
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("config: print %s: %w", v.Type(), err)
	}
	return plainOrQuoted(string(b))
}

// raw prints JSON, which is YAML, on one line.
func (p *printer) raw(b []byte) string {
	if len(b) == 0 {
		return "null"
	}
	if !json.Valid(b) {
		if p.err == nil {
			p.err = fmt.Errorf("config: print %q: not JSON", b)
		}
		return "null"
	}
	return string(b)
}

// formatFloat prints the shortest text that reads back to the same number, without an exponent where that stays short.
func formatFloat(f float64, bits int) string {
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e15) {
		return strconv.FormatFloat(f, 'g', -1, bits)
	}
	return strconv.FormatFloat(f, 'f', -1, bits)
}

// plainSyntax is text that YAML takes for itself without quotes, wherever it stands.
var plainSyntax = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*$`)

// plainOrQuoted writes text so that YAML reads it back as text.
func plainOrQuoted(s string) string {
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf":
		return strconv.Quote(s)
	}
	if plainSyntax.MatchString(s) {
		return s
	}
	return string(appendJSONText(nil, s)) // YAML's double quotes are a superset of JSON's
}
