package rosbridge

import (
	"fmt"
	"strings"

	"sarathi/internal/idl"
	"sarathi/msg/rosapi"
)

// typeDefs describes a message type and the types of its fields, each once, itself first.
func (b *Broker) typeDefs(typeName string, d Dialect) ([]rosapi.TypeDef, error) {
	set, def, ok := b.types.parsed(canonical(typeName), d)
	if !ok {
		return nil, fmt.Errorf("%.80s: %w", typeName, errNoType)
	}
	out := []rosapi.TypeDef{typeDef(def, d)}
	for _, dep := range set.Dependencies(def) {
		out = append(out, typeDef(dep, d))
	}
	return out, nil
}

// typeDef describes one type. The field lists are equally long, and so are the constant lists.
func typeDef(def *idl.Definition, d Dialect) rosapi.TypeDef {
	name := def.FullName()
	if d == ROS1 { // ROS 1 calls the parts of std_srvs/SetBool std_srvs/SetBoolRequest and SetBoolResponse
		name = strings.NewReplacer("_Request", "Request", "_Response", "Response").Replace(name)
	}
	out := rosapi.TypeDef{Type_: name}
	for _, f := range def.Fields {
		length, example := -1, exampleOf(f.Type)
		switch f.Type.Array {
		case idl.Scalar:
		case idl.Fixed:
			length, example = f.Type.Len, "[]"
		default:
			length, example = 0, "[]"
		}
		out.Fieldnames = append(out.Fieldnames, f.Name)
		out.Fieldtypes = append(out.Fieldtypes, f.Type.FullName())
		out.Fieldarraylen = append(out.Fieldarraylen, int32(length))
		out.Examples = append(out.Examples, example)
	}
	for _, c := range def.Constants {
		out.Constnames = append(out.Constnames, c.Name)
		out.Constvalues = append(out.Constvalues, c.Value)
	}
	return out
}

// exampleOf returns the zero value of an element type as text.
func exampleOf(t idl.FieldType) string {
	switch {
	case !t.Primitive() || t.Name == "time" || t.Name == "duration":
		return "{}"
	case t.Name == "string" || t.Name == "wstring":
		return ""
	case t.Name == "bool":
		return "false"
	case strings.HasPrefix(t.Name, "float"):
		return "0.0"
	default:
		return "0"
	}
}
