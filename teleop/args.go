package teleop

import (
	"cmp"
	"slices"

	"sarathi/internal/wire"
)

// A Kind is the type of a [Value].
type Kind uint8

// The kinds of value that command arguments are made of.
const (
	KindNull Kind = iota
	KindText
	KindNumber
	KindFlag
	KindList
	KindObject
)

// A Value is one argument of a command, or a part of one. The zero value is null.
type Value struct {
	kind   Kind
	text   string
	number float64
	list   []Value
	object Args
}

// Text makes a string.
func Text(s string) Value { return Value{kind: KindText, text: s} }

// Number makes a number.
func Number(f float64) Value { return Value{kind: KindNumber, number: f} }

// Flag makes a boolean.
func Flag(b bool) Value {
	v := Value{kind: KindFlag}
	if b {
		v.number = 1
	}
	return v
}

// Texts makes a list of strings.
func Texts(texts ...string) Value {
	v := Value{kind: KindList}
	for _, s := range texts {
		v.list = append(v.list, Text(s))
	}
	return v
}

// List makes a list.
func List(values ...Value) Value { return Value{kind: KindList, list: values} }

// Object makes an object.
func Object(a Args) Value { return Value{kind: KindObject, object: a} }

// Kind is the type of the value.
func (v Value) Kind() Kind { return v.kind }

func (v Value) appendJSON(dst []byte, sorted bool) []byte {
	switch v.kind {
	case KindText:
		return wire.JSONString(dst, v.text)
	case KindNumber:
		return wire.JSONFloat64(dst, v.number)
	case KindFlag:
		return wire.JSONBool(dst, v.number != 0)
	case KindList:
		dst = append(dst, '[')
		for i, item := range v.list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendJSON(dst, sorted)
		}
		return append(dst, ']')
	case KindObject:
		return v.object.appendJSON(dst, sorted)
	default:
		return append(dst, "null"...)
	}
}

// An Arg is a named [Value].
type Arg struct {
	Name  string
	Value Value
}

// Args are the arguments of a command, in order. What a [Session] hands out was checked against the command's schema: it holds only
// arguments that the schema names, texts trimmed and within their limits, numbers finite and in range, and the default of every
// argument that has one. Reading a name that is absent gives the zero value of its type.
type Args []Arg

// With returns the arguments with one more, or with the named one replaced. The receiver is unchanged.
func (a Args) With(name string, v Value) Args {
	out := slices.DeleteFunc(slices.Clone(a), func(x Arg) bool { return x.Name == name })
	return append(out, Arg{name, v})
}

// Get returns the named value.
func (a Args) Get(name string) (v Value, ok bool) {
	for i := range a {
		if a[i].Name == name {
			return a[i].Value, true
		}
	}
	return Value{}, false
}

// Has reports whether the named argument was given or has a default.
func (a Args) Has(name string) bool {
	_, ok := a.Get(name)
	return ok
}

// Text returns a string.
func (a Args) Text(name string) string {
	v, _ := a.Get(name)
	return v.text
}

// Number returns a number.
func (a Args) Number(name string) float64 {
	v, _ := a.Get(name)
	if v.kind != KindNumber {
		return 0
	}
	return v.number
}

// Flag returns a boolean.
func (a Args) Flag(name string) bool {
	v, _ := a.Get(name)
	return v.kind == KindFlag && v.number != 0
}

// Texts returns a list of strings.
func (a Args) Texts(name string) []string {
	v, _ := a.Get(name)
	var out []string
	for _, item := range v.list {
		out = append(out, item.text)
	}
	return out
}

// Object returns an object.
func (a Args) Object(name string) Args {
	v, _ := a.Get(name)
	return v.object
}

// Objects returns a list of objects.
func (a Args) Objects(name string) []Args {
	v, _ := a.Get(name)
	var out []Args
	for _, item := range v.list {
		out = append(out, item.object)
	}
	return out
}

// AppendJSON appends the arguments as a JSON object, in their order.
func (a Args) AppendJSON(dst []byte) []byte { return a.appendJSON(dst, false) }

// appendCanonical appends the object with its names in sorted order: equal arguments give equal text.
func (a Args) appendCanonical(dst []byte) []byte { return a.appendJSON(dst, true) }

func (a Args) appendJSON(dst []byte, sorted bool) []byte {
	if sorted {
		a = slices.Clone(a)
		slices.SortStableFunc(a, func(x, y Arg) int { return cmp.Compare(x.Name, y.Name) })
	}
	dst = append(dst, '{')
	for i := range a {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(wire.JSONString(dst, a[i].Name), ':')
		dst = a[i].Value.appendJSON(dst, sorted)
	}
	return append(dst, '}')
}

// args copies a JSON object out of its document.
func (v value) args() Args {
	var out Args
	for key, member := range v.members() {
		out = append(slices.DeleteFunc(out, func(x Arg) bool { return key.is(x.Name) }), Arg{key.text(), member.copied()})
	}
	return out
}

// copied copies a value out of its document.
func (v value) copied() Value {
	switch v.kind() {
	case kindFalse, kindTrue:
		return Flag(v.kind() == kindTrue)
	case kindNumber:
		f, _ := v.number()
		return Number(f)
	case kindString:
		return Text(v.text())
	case kindArray:
		out := Value{kind: KindList}
		for item := range v.items() {
			out.list = append(out.list, item.copied())
		}
		return out
	case kindObject:
		return Object(v.args())
	default:
		return Value{}
	}
}
