package idl

import (
	"fmt"
	"strings"
)

// wireField is a field as the binary methods see it.
type wireField struct {
	typ     FieldType
	dialect Dialect
	expr    string // Go expression that holds it
}

// wireMethods writes AppendWire and ReadWire. They serve both layouts; a type whose ROS 1 flavour has other
// fields, or another order, gets a branch.
func (e *emitter) wireMethods(d, ros1 *Definition) error {
	fields := make([]wireField, len(d.Fields))
	for i, f := range d.Fields {
		fields[i] = wireField{typ: f.Type, dialect: ROS2, expr: "m." + goField(f.Name)}
	}
	flavour, only, err := e.ros1Fields(d, ros1)
	if err != nil {
		return err
	}
	differs := len(flavour) != len(fields)
	for i := 0; !differs && i < len(fields); i++ {
		differs = flavour[i].expr != fields[i].expr
	}
	name := GoType(d.Name)
	e.printf("// AppendWire appends the message in a binary layout.\nfunc (m *%s) AppendWire(dst []byte, l wire.Layout) []byte {\n", name)
	if differs {
		e.printf("if l.IsROS1() {\n%s", only)
		e.appendFields(flavour)
		e.printf("return dst\n}\n")
	}
	e.appendFields(fields)
	e.printf("return dst\n}\n\n")

	e.printf("// ReadWire fills m from a binary layout.\nfunc (m *%s) ReadWire(r *wire.Reader) {\n", name)
	if differs {
		e.printf("if r.IsROS1() {\n")
		if e.hasDefaults(d) {
			e.printf("%s", e.reset(d))
		}
		e.printf("%s", only)
		e.readFields(flavour)
		e.printf("return\n}\n")
	}
	e.readFields(fields)
	e.printf("}\n\n")
	return nil
}

// ros1Fields maps the fields of the ROS 1 flavour to the struct's, by name regardless of case. Fields that only ROS 1 has go to
// a local struct, which only declares.
func (e *emitter) ros1Fields(d, ros1 *Definition) (fields []wireField, only string, err error) {
	for _, f := range ros1.Fields {
		match := -1
		for i, other := range d.Fields {
			if strings.EqualFold(f.Name, other.Name) {
				match = i
			}
		}
		if match < 0 {
			only += fmt.Sprintf("%s %s\n", GoName(f.Name), e.fieldType(ROS1, f.Type))
			fields = append(fields, wireField{typ: f.Type, dialect: ROS1, expr: "ros1." + GoName(f.Name)})
			continue
		}
		other := d.Fields[match]
		got, want := e.fieldType(ROS1, f.Type), e.fieldType(ROS2, other.Type)
		if signless(got) != signless(want) {
			return nil, "", &ParseError{Path: ros1.Path, Line: f.Line, What: fmt.Sprintf(
				"field %s is %s in Go but %s in the ROS 2 definition: fields of one name must have one type", f.Name, got, want)}
		}
		fields = append(fields, wireField{typ: other.Type, dialect: ROS2, expr: "m." + goField(other.Name)})
	}
	if only != "" {
		only = "var ros1 struct { // fields that only ROS 1 has\n" + only + "}\n"
	}
	return fields, only, nil
}

// signless makes int8 and uint8 equal: byte is the one in ROS 1 and the other in ROS 2, and both are the same byte on the wire.
func signless(goType string) string { return strings.Replace(goType, "uint8", "int8", 1) }

// wireFunc returns the part of a function name that stands for a primitive: "Int32" of wire.Int32.
func wireFunc(t FieldType, prim primitive) string {
	switch {
	case t.Name == "wstring":
		return "WString"
	case prim.class == classString:
		return "String"
	case prim.class == classBool:
		return "Bool"
	case prim.class == classFloat:
		return fmt.Sprintf("Float%d", prim.bits)
	default:
		return fmt.Sprintf("Int%d", prim.bits)
	}
}

// isStruct reports whether the elements are messages: times are, in both flavours.
func (f wireField) isStruct() bool {
	prim, ok := lookupPrimitive(f.dialect, f.typ.Name)
	return !f.typ.Primitive() || ok && prim.class == classTime
}

// appendFields writes the statements that append fields to dst.
func (e *emitter) appendFields(fields []wireField) {
	if len(fields) == 0 {
		e.printf("dst = wire.Empty(dst, l)\n")
	}
	for _, f := range fields {
		x := f.expr
		switch f.typ.Array {
		case Fixed:
			x += "[:]"
		case Unbounded, Bounded:
			e.printf("dst = wire.Len(dst, l, len(%s))\n", x)
		case Scalar:
		}
		if f.isStruct() {
			if f.typ.Array == Scalar {
				e.printf("dst = %s.AppendWire(dst, l)\n", x)
			} else {
				e.printf("dst = wire.Structs(dst, l, %s)\n", x)
			}
			continue
		}
		prim, _ := lookupPrimitive(f.dialect, f.typ.Name)
		fn := wireFunc(f.typ, prim)
		switch {
		case f.typ.Array == Scalar:
		case prim.goType == "uint8":
			fn = "Bytes"
		default:
			fn += "s"
		}
		e.printf("dst = wire.%s(dst, l, %s)\n", fn, x)
	}
}

// readFields writes the statements that read fields from r.
func (e *emitter) readFields(fields []wireField) {
	if len(fields) == 0 {
		e.printf("r.Empty()\n")
	}
	for _, f := range fields {
		x := f.expr
		switch f.typ.Array {
		case Fixed:
			x += "[:]"
		case Unbounded, Bounded:
			e.printf("%s = wire.Make[%s](r, %d, %d)\n", x, e.elemType(f.dialect, f.typ), f.typ.Len, e.minSize(f))
		case Scalar:
		}
		if f.isStruct() {
			if f.typ.Array == Scalar {
				e.printf("%s.ReadWire(r)\n", x)
			} else {
				e.printf("wire.ReadStructs(r, %s)\n", x)
			}
			continue
		}
		e.printf("%s\n", e.readPrimitive(f, x))
	}
}

// readPrimitive returns the statement that reads a primitive field into x.
func (e *emitter) readPrimitive(f wireField, x string) string {
	prim, _ := lookupPrimitive(f.dialect, f.typ.Name)
	method := strings.ToUpper(prim.goType[:1]) + prim.goType[1:]
	if f.typ.Name == "wstring" {
		method = "WString"
	}
	isString := prim.class == classString
	switch {
	case f.typ.Array == Scalar && isString:
		return fmt.Sprintf("%s = r.%s(%d)", x, method, f.typ.StringBound)
	case f.typ.Array == Scalar:
		return fmt.Sprintf("%s = r.%s()", x, method)
	case isString:
		return fmt.Sprintf("r.%ss(%s, %d)", method, x, f.typ.StringBound)
	case prim.goType == "uint8":
		return fmt.Sprintf("r.Bytes(%s)", x)
	case prim.class == classInt && prim.bits > 8:
		return fmt.Sprintf("wire.ReadInts(r, %s)", x)
	default:
		return fmt.Sprintf("r.%ss(%s)", method, x)
	}
}

// minSize returns a lower bound, at least 1, of the bytes that one element takes in any layout.
func (e *emitter) minSize(f wireField) int {
	return max(1, e.minElem(f.dialect, f.typ))
}

func (e *emitter) minElem(d Dialect, t FieldType) int {
	if t.Primitive() {
		prim, _ := lookupPrimitive(d, t.Name)
		if prim.class == classString {
			return 4 // the length
		}
		return prim.bits / 8
	}
	ros2, ros1 := e.minFields(e.tree.ROS2.defs[t.FullName()]), 8
	if def, ok := e.tree.ROS1.defs[t.FullName()]; ok {
		ros1 = e.minFields(def)
	}
	return min(ros2, ros1)
}

// minFields sums the lower bounds of the fields of a definition.
func (e *emitter) minFields(d *Definition) int {
	sum := 0
	for _, f := range d.Fields {
		switch f.Type.Array {
		case Fixed:
			sum += f.Type.Len * e.minElem(d.Dialect, f.Type)
		case Scalar:
			sum += e.minElem(d.Dialect, f.Type)
		default:
			sum += 4 // the length
		}
	}
	return sum
}
