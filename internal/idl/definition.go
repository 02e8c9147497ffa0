package idl

// Dialect says which ROS generation's syntax and primitives a text uses.
type Dialect uint8

// The dialects. They differ in string constants (ROS 1: the rest of the line, ROS 2: quoted),
// in the primitives time and duration (ROS 1 only), and in byte (ROS 1: int8, ROS 2: uint8).
const (
	ROS2 Dialect = iota
	ROS1
)

// Definition is one parsed message, or one section of a service or action.
type Definition struct {
	Package string // ROS package, such as "geometry_msgs"
	Kind    string // "msg", "srv" or "action"
	Name    string // "Twist"; sections are named as ROS 2 does: "Trigger_Request"
	Path    string // where the text came from, for error messages
	Dialect Dialect

	Doc       string     // first comment block when a blank line follows it
	Constants []Constant // in file order
	Fields    []Field    // in file order
	Text      string     // the text of the section as it was written
}

// FullName returns the name by which fields refer to the definition, such as "geometry_msgs/Twist".
func (d *Definition) FullName() string { return d.Package + "/" + d.Name }

// Constant is a named value of a definition.
type Constant struct {
	Type    FieldType // always a scalar primitive
	Name    string
	Value   string // canonical: decimal integer, "true"/"false", float text, or the decoded string
	Text    string // the value as it was written, which enters the ROS 1 md5 sum
	Comment Comment
	Line    int
}

// Field is one member of a definition.
type Field struct {
	Type    FieldType
	Name    string
	Default []string // nil without default; else the canonical value, or the items of an array default
	Comment Comment
	Line    int
}

// ArrayKind says how often a field holds its element.
type ArrayKind uint8

// The kinds of fields.
const (
	Scalar    ArrayKind = iota // T
	Fixed                      // T[N]
	Unbounded                  // T[]
	Bounded                    // T[<=N]
)

// FieldType is the type of a field or constant.
type FieldType struct {
	Package string // empty for primitives
	Name    string // primitive such as "float64", or type name such as "Vector3"
	Written string // the element type as written, such as "Header"; it enters definition texts

	Array ArrayKind
	Len   int // N of Fixed and Bounded

	StringBound int // N of string<=N and wstring<=N, 0 without bound
}

// Primitive reports whether the element type is built into ROS.
func (t FieldType) Primitive() bool { return t.Package == "" }

// FullName returns "geometry_msgs/Vector3", or the name of the primitive.
func (t FieldType) FullName() string {
	if t.Primitive() {
		return t.Name
	}
	return t.Package + "/" + t.Name
}

// primitive describes how one built-in type appears in Go and on the wire.
type primitive struct {
	goType string
	bits   int  // size on the wire, 0 for strings
	signed bool // of integers
	class  class
}

// class groups the primitives that share code.
type class uint8

const (
	classBool class = iota
	classInt
	classFloat
	classString
	classTime
)

// lookupPrimitive returns the meaning of a built-in type name in a dialect.
func lookupPrimitive(d Dialect, name string) (primitive, bool) {
	switch name {
	case "bool":
		return primitive{goType: "bool", bits: 8, class: classBool}, true
	case "int8":
		return primitive{goType: "int8", bits: 8, signed: true, class: classInt}, true
	case "uint8", "char":
		return primitive{goType: "uint8", bits: 8, class: classInt}, true
	case "byte":
		if d == ROS1 {
			return primitive{goType: "int8", bits: 8, signed: true, class: classInt}, true
		}
		return primitive{goType: "uint8", bits: 8, class: classInt}, true
	case "int16":
		return primitive{goType: "int16", bits: 16, signed: true, class: classInt}, true
	case "uint16":
		return primitive{goType: "uint16", bits: 16, class: classInt}, true
	case "int32":
		return primitive{goType: "int32", bits: 32, signed: true, class: classInt}, true
	case "uint32":
		return primitive{goType: "uint32", bits: 32, class: classInt}, true
	case "int64":
		return primitive{goType: "int64", bits: 64, signed: true, class: classInt}, true
	case "uint64":
		return primitive{goType: "uint64", bits: 64, class: classInt}, true
	case "float32":
		return primitive{goType: "float32", bits: 32, signed: true, class: classFloat}, true
	case "float64":
		return primitive{goType: "float64", bits: 64, signed: true, class: classFloat}, true
	case "string":
		return primitive{goType: "string", class: classString}, true
	case "wstring":
		return primitive{goType: "string", class: classString}, d == ROS2
	case "time", "duration":
		return primitive{bits: 64, class: classTime}, d == ROS1
	}
	return primitive{}, false
}
