package idl

import (
	"fmt"
	"strings"
)

// jsonMethods writes AppendJSON and ReadJSON.
func (e *emitter) jsonMethods(d *Definition) {
	name := GoType(d.Name)
	e.printf("// AppendJSON implements idl.Message.\nfunc (m *%s) AppendJSON(dst []byte) []byte {\n", name)
	if len(d.Fields) == 0 {
		e.printf("return append(dst, \"{}\"...)\n}\n\n")
	} else {
		before := "{"
		for _, f := range d.Fields {
			e.printf("dst = append(dst, `%s%q:`...)\n", before, f.Name)
			e.printf("dst = %s\n", e.jsonAppend(d.Dialect, f.Type, "m."+goField(f.Name)))
			before = ","
		}
		e.printf("return append(dst, '}')\n}\n\n")
	}
	e.printf("// ReadJSON fills m from the object at the reader; missing fields get their defaults.\nfunc (m *%s) ReadJSON(r *wire.JSONReader) {\n%s", name, e.reset(d))
	e.printf("for r.Object(); r.More(); {\n")
	if len(d.Fields) == 0 {
		e.printf("r.Unknown()\n}\n}\n\n")
		return
	}
	e.printf("switch string(r.Key()) {\n")
	for _, f := range d.Fields {
		e.printf("case %s:\n%s\n", jsonKeys(d, f), e.jsonRead(d.Dialect, f.Type, "m."+goField(f.Name)))
	}
	e.printf("default:\nr.Unknown()\n}\n}\n}\n\n")
}

// jsonKeys returns the member names that set a field: times also go by their ROS 1 names.
func jsonKeys(d *Definition, f Field) string {
	keys := fmt.Sprintf("%q", f.Name)
	if d.FullName() != "builtin_interfaces/Time" && d.FullName() != "builtin_interfaces/Duration" {
		return keys
	}
	switch f.Name {
	case "sec":
		keys += `, "secs"`
	case "nanosec":
		keys += `, "nsecs"`
	}
	return keys
}

// jsonFunc returns the part of a function name that stands for a primitive: "Int" of wire.JSONInt.
func jsonFunc(prim primitive) string {
	switch {
	case prim.class == classBool:
		return "Bool"
	case prim.class == classString:
		return "String"
	case prim.class == classFloat:
		return strings.ToUpper(prim.goType[:1]) + prim.goType[1:]
	case prim.signed:
		return "Int"
	default:
		return "Uint"
	}
}

// jsonAppend returns the expression that appends the value x.
func (e *emitter) jsonAppend(d Dialect, t FieldType, x string) string {
	if t.Array == Fixed {
		x += "[:]"
	}
	if !t.Primitive() {
		if t.Array == Scalar {
			return x + ".AppendJSON(dst)"
		}
		return fmt.Sprintf("wire.JSONStructs(dst, %s)", x)
	}
	prim, _ := lookupPrimitive(d, t.Name)
	fn := jsonFunc(prim)
	switch {
	case t.Array == Scalar:
	case prim.goType == "uint8":
		fn = "Bytes"
	case prim.goType == "int8":
		fn = "Int8s"
	default:
		fn += "s"
	}
	return fmt.Sprintf("wire.JSON%s(dst, %s)", fn, x)
}

// jsonRead returns the statement that reads into x.
func (e *emitter) jsonRead(d Dialect, t FieldType, x string) string {
	if !t.Primitive() {
		switch t.Array {
		case Scalar:
			return x + ".ReadJSON(r)"
		case Fixed:
			return fmt.Sprintf("wire.JSONStructFixed(r, %s[:])", x)
		default:
			return fmt.Sprintf("%s = wire.JSONStructSlice[%s](r, %d)", x, e.typeName(t), t.Len)
		}
	}
	prim, _ := lookupPrimitive(d, t.Name)
	method := strings.ToUpper(prim.goType[:1]) + prim.goType[1:]
	elem := "(*wire.JSONReader)." + method
	if t.StringBound > 0 {
		elem = fmt.Sprintf("func(r *wire.JSONReader) string { return r.BoundedString(%d) }", t.StringBound)
	}
	switch {
	case t.Array == Scalar && t.StringBound > 0:
		return fmt.Sprintf("%s = r.BoundedString(%d)", x, t.StringBound)
	case t.Array == Scalar:
		return fmt.Sprintf("%s = r.%s()", x, method)
	case t.Array == Fixed && prim.goType == "uint8":
		return fmt.Sprintf("r.FixedBytes(%s[:])", x)
	case t.Array == Fixed:
		return fmt.Sprintf("wire.JSONFixed(r, %s[:], %s)", x, elem)
	case prim.goType == "uint8":
		return fmt.Sprintf("%s = r.Bytes(%d)", x, t.Len)
	default:
		return fmt.Sprintf("%s = wire.JSONSlice(r, %d, %s)", x, t.Len, elem)
	}
}
