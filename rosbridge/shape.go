package rosbridge

import "sarathi/internal/idl"

// kind is what a field holds, as far as JSON and CBOR tell apart.
type kind uint8

const (
	kindBool kind = iota
	kindInt
	kindUint
	kindFloat
	kindString
	kindWString
	kindStruct
)

// shape is a message type as the checker of JSON and the writer of CBOR walk it.
type shape struct {
	name   string // canonical
	fields []shapeField
	index  map[string]int
	header bool // std_msgs/Header
	time   bool // builtin_interfaces/Time
}

// shapeField is one field. Sizes are in bytes.
type shapeField struct {
	name  string
	kind  kind
	size  int  // of numbers and bool
	bytes bool // of uint8, char and byte: their arrays are base64 in JSON
	octet bool // byte, whose arrays are int8 in CBOR; those of the others are byte strings
	array idl.ArrayKind
	len   int // of fixed and bounded arrays
	bound int // of strings, 0 without
	sub   *shape
}

// newShape builds the shape of d. known holds those of the same set that were built already.
func newShape(set *idl.Set, d *idl.Definition, known map[string]*shape) *shape {
	name := d.FullName()
	if s := known[name]; s != nil {
		return s
	}
	s := &shape{name: name, index: map[string]int{}, header: name == "std_msgs/Header", time: name == "builtin_interfaces/Time"}
	known[name] = s
	for i, f := range d.Fields {
		sf := shapeField{name: f.Name, array: f.Type.Array, len: f.Type.Len, bound: f.Type.StringBound}
		if f.Type.Primitive() {
			sf.setPrimitive(f.Type.Name)
		} else if sub, ok := set.Lookup(f.Type.FullName()); ok {
			sf.kind, sf.sub = kindStruct, newShape(set, sub, known)
		}
		s.fields = append(s.fields, sf)
		s.index[f.Name] = i
	}
	return s
}

func (f *shapeField) setPrimitive(name string) {
	switch name {
	case "bool":
		f.kind, f.size = kindBool, 1
	case "int8":
		f.kind, f.size = kindInt, 1
	case "int16":
		f.kind, f.size = kindInt, 2
	case "int32":
		f.kind, f.size = kindInt, 4
	case "int64":
		f.kind, f.size = kindInt, 8
	case "byte":
		f.kind, f.size, f.bytes, f.octet = kindUint, 1, true, true
	case "uint8", "char":
		f.kind, f.size, f.bytes = kindUint, 1, true
	case "uint16":
		f.kind, f.size = kindUint, 2
	case "uint32":
		f.kind, f.size = kindUint, 4
	case "uint64":
		f.kind, f.size = kindUint, 8
	case "float32":
		f.kind, f.size = kindFloat, 4
	case "float64":
		f.kind, f.size = kindFloat, 8
	case "wstring":
		f.kind = kindWString
	default:
		f.kind = kindString
	}
}
