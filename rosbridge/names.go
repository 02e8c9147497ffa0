package rosbridge

import "strings"

// resolve returns the absolute name of a topic, service, action or node: "gold" is "/gold". It returns "" for a name that nothing
// can have: empty, too long, or with spaces or control characters.
func resolve(name string) string {
	if name == "" || len(name) > maxName {
		return ""
	}
	for i := range len(name) {
		if name[i] <= ' ' || name[i] == 0x7f {
			return ""
		}
	}
	if name[0] == '/' && len(name) > 1 && !strings.Contains(name, "//") && name[len(name)-1] != '/' {
		return name
	}
	var b strings.Builder
	for part := range strings.SplitSeq(name, "/") {
		if part != "" {
			b.WriteByte('/')
			b.WriteString(part)
		}
	}
	return b.String()
}

// canonical returns the ROS 1 spelling of a type name, which stands for both: "pkg/msg/Type" is "pkg/Type".
func canonical(typeName string) string {
	first, rest, ok := strings.Cut(typeName, "/")
	if !ok {
		return typeName
	}
	if kind, name, ok := strings.Cut(rest, "/"); ok && (kind == "msg" || kind == "srv" || kind == "action") {
		return first + "/" + name
	}
	return typeName
}

// spelled returns a canonical type name as a dialect has it. kind is msg, srv or action.
func (d Dialect) spelled(typeName, kind string) string {
	pkg, name, ok := strings.Cut(typeName, "/")
	if !ok || d == ROS1 || strings.Contains(name, "/") {
		return typeName
	}
	return pkg + "/" + kind + "/" + name
}
