package idl

import "strings"

// DeriveROS1 rewrites a ROS 2 definition text as its ROS 1 flavour: builtin_interfaces/Time and Duration become the
// primitives time and duration, wstring becomes string, bounds and default values go, and quoted string constants
// lose their quotes. All other bytes stay, also of lines that do not parse: [Parse] reports those.
// std_msgs/Header in addition gets uint32 seq as its first field.
func DeriveROS1(fullName, text string) string {
	var b strings.Builder
	seq := fullName == "std_msgs/Header"
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' || trimmed == "---" {
			b.WriteString(line)
			continue
		}
		if seq {
			b.WriteString("uint32 seq  # consecutive number of the message\n")
			seq = false
		}
		b.WriteString(deriveLine(line, trimmed))
	}
	return b.String()
}

// deriveLine rewrites the line of a field or constant; trimmed is the line without outer white space.
func deriveLine(line, trimmed string) string {
	parts, what := splitMember(ROS2, trimmed)
	if what != "" {
		return line
	}
	typ := deriveType(parts.typ)
	if parts.constant && typ == "string" {
		// The rest of the line is the value in ROS 1: a comment would become part of it.
		if value, what := unquote(parts.value); what == "" {
			return typ + " " + parts.name + "=" + value + "\n"
		}
		return line
	}
	if parts.constant || parts.value == "" {
		return strings.Replace(line, parts.typ, typ, 1)
	}
	out := typ + " " + parts.name
	if parts.comment != "" {
		out += "  # " + parts.comment
	}
	return out + "\n"
}

// deriveType returns the ROS 1 spelling of a ROS 2 field type.
func deriveType(typ string) string {
	elem, array := typ, ""
	if i := strings.IndexByte(typ, '['); i >= 0 {
		elem, array = typ[:i], typ[i:]
	}
	if strings.HasPrefix(array, "[<=") {
		array = "[]"
	}
	elem, _, _ = strings.Cut(elem, "<=")
	switch elem {
	case "wstring":
		elem = "string"
	case "builtin_interfaces/Time", "builtin_interfaces/msg/Time":
		elem = "time"
	case "builtin_interfaces/Duration", "builtin_interfaces/msg/Duration":
		elem = "duration"
	}
	if parts := strings.Split(elem, "/"); len(parts) == 3 && parts[1] == "msg" {
		elem = parts[0] + "/" + parts[2]
	}
	return elem + array
}
