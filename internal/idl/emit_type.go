package idl

import (
	"fmt"
	"strconv"
	"strings"
)

// hasDefaults reports whether a new message differs from the zero value of its struct.
func (e *emitter) hasDefaults(d *Definition) bool {
	for _, f := range d.Fields {
		if f.Default != nil {
			return true
		}
		if !f.Type.Primitive() && (f.Type.Array == Scalar || f.Type.Array == Fixed) && e.hasDefaults(e.tree.ROS2.defs[f.Type.FullName()]) {
			return true
		}
	}
	return false
}

// constructor writes NewName when the definition has default values, its own or those of a field's type.
func (e *emitter) constructor(d *Definition) {
	if !e.hasDefaults(d) {
		return
	}
	name := GoType(d.Name)
	e.printf("// New%s returns a message with the default values of the definition.\nfunc New%s() *%s {\nm := &%s{}\n", name, name, name, name)
	for _, f := range d.Fields {
		field := "m." + goField(f.Name)
		switch {
		case f.Default != nil:
			e.printf("%s = %s\n", field, e.defaultValue(d.Dialect, f))
		case f.Type.Primitive() || f.Type.Array == Unbounded || f.Type.Array == Bounded || !e.hasDefaults(e.tree.ROS2.defs[f.Type.FullName()]):
		case f.Type.Array == Fixed:
			e.printf("for i := range %s {\n%s[i] = *%s()\n}\n", field, field, e.qualified(f.Type.Package, "New"+GoType(f.Type.Name)))
		default:
			e.printf("%s = *%s()\n", field, e.qualified(f.Type.Package, "New"+GoType(f.Type.Name)))
		}
	}
	e.printf("return m\n}\n\n")
}

// defaultValue returns the expression of a field's default.
func (e *emitter) defaultValue(dialect Dialect, f Field) string {
	if f.Type.Array == Scalar {
		return e.literal(dialect, f.Type, f.Default[0])
	}
	items := make([]string, len(f.Default))
	for i, v := range f.Default {
		items[i] = e.literal(dialect, f.Type, v)
	}
	return e.fieldType(dialect, f.Type) + "{" + strings.Join(items, ", ") + "}"
}

// newValue returns the expression of a pointer to a new message with its defaults.
func (e *emitter) newValue(d *Definition) string {
	if e.hasDefaults(d) {
		return "New" + GoType(d.Name) + "()"
	}
	return "&" + GoType(d.Name) + "{}"
}

// reset returns the statement that gives *m the definition's defaults.
func (e *emitter) reset(d *Definition) string {
	if e.hasDefaults(d) {
		return "*m = *New" + GoType(d.Name) + "()\n"
	}
	return "*m = " + GoType(d.Name) + "{}\n"
}

// typeVar writes the definition texts and the idl.Type.
func (e *emitter) typeVar(d, ros1 *Definition) {
	name := GoType(d.Name)
	e.printf("// %sDefinition is the definition text without dependencies.\nconst %sDefinition = %s\n\n", name, name, rawString(d.Text))
	if ros1.Text != d.Text {
		e.printf("// %sDefinitionROS1 is the same of the ROS 1 flavour.\nconst %sDefinitionROS1 = %s\n\n", name, name, rawString(ros1.Text))
	}
	e.printf("// %sType describes %s/%s/%s.\nvar %sType = &idl.Type{\n", name, d.Package, d.Kind, d.Name, name)
	e.printf("Package: %q,\nKind: %q,\nName: %q,\nMD5: %q,\n", d.Package, d.Kind, d.Name, e.tree.ROS1.MD5(ros1))
	e.printf("Definition: %s,\n", e.fullText(e.tree.ROS2, d))
	e.printf("DefinitionROS1: %s,\n", e.fullText(e.tree.ROS1, ros1))
	e.printf("New: func() idl.Message { return %s },\n}\n\n", e.newValue(d))
}

// fullText returns the constant expression that Set.FullText would give.
func (e *emitter) fullText(set *Set, d *Definition) string {
	parts := []string{e.ownText(d)}
	for _, dep := range set.Dependencies(d) {
		parts = append(parts, fmt.Sprintf("idl.DefinitionSeparator + %q + %s", dep.FullName()+"\n", e.ownText(dep)))
	}
	return strings.Join(parts, " +\n")
}

// ownText returns the constant that holds a definition's own text.
func (e *emitter) ownText(d *Definition) string {
	ident := GoType(d.Name) + "Definition"
	if ros2, ok := e.tree.ROS2.defs[d.FullName()]; ok && d.Dialect == ROS1 && d.Text != ros2.Text {
		ident += "ROS1"
	}
	return e.qualified(d.Package, ident)
}

// rawString returns a Go string literal, readable where possible.
func rawString(s string) string {
	if strings.ContainsAny(s, "`\r\x00\ufeff") || !strconv.CanBackquote(strings.ReplaceAll(s, "\n", "")) {
		return strconv.Quote(s)
	}
	return "`" + s + "`"
}

// methods writes the methods of idl.Message, which lead to the Read and Append methods.
func (e *emitter) methods(d *Definition) {
	name, ros := GoType(d.Name), d.Package+"/"+d.Name
	reset := e.reset(d)
	e.printf("// Type returns %sType.\nfunc (*%s) Type() *idl.Type { return %sType }\n\n", name, name, name)
	e.printf("// ParseJSON implements idl.Message.\nfunc (m *%s) ParseJSON(src []byte) error { return wire.ParseJSON(src, m, %q) }\n\n", name, ros)
	e.printf("// AppendCDR implements idl.Message.\nfunc (m *%s) AppendCDR(dst []byte) []byte { return m.AppendWire(wire.BeginCDR(dst)) }\n\n", name)
	e.printf("// ParseCDR implements idl.Message.\nfunc (m *%s) ParseCDR(src []byte) error {\n%sreturn wire.ParseCDR(src, m, %q)\n}\n\n", name, reset, ros)
	e.printf("// AppendROS1 implements idl.Message.\nfunc (m *%s) AppendROS1(dst []byte) []byte { return m.AppendWire(dst, wire.ROS1) }\n\n", name)
	e.printf("// ParseROS1 implements idl.Message.\nfunc (m *%s) ParseROS1(src []byte) error {\n%sreturn wire.ParseROS1(src, m, %q)\n}\n\n", name, reset, ros)
}
