package idl

import "strings"

// DeriveROS1 rewrites a ROS 2 definition text as its ROS 1 flavour: builtin_interfaces/Time and Duration become the
// primitives time and duration, wstring becomes string, bounds and default values go, and quoted string constants
// lose their quotes. Comments and blank lines stay. Lines that do not parse stay as they are: [Parse] reports them.
// std_msgs/Header in addition begins with uint32 seq.
func DeriveROS1(fullName, text string) string {
	var b strings.Builder
	if fullName == "std_msgs/Header" {
		b.WriteString("uint32 seq\n")
	}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' || trimmed == "---" {
			b.WriteString(line)
			continue
		}
		b.WriteString(deriveLine(trimmed))
		b.WriteByte('\n')
	}
	return b.String()
}

func deriveLine(line string) string {
	parts, what := splitMember(ROS2, line)
	if what != "" {
		return line
	}
	out := deriveType(parts.typ) + " " + parts.name
	if parts.constant {
		out += "="
		if strings.HasPrefix(parts.typ, "string") || strings.HasPrefix(parts.typ, "wstring") {
			// The rest of the line is the value: a comment would become part of it.
			if value, what := unquote(parts.value); what == "" {
				return out + value
			}
			return line
		}
		out += parts.value
	}
	if parts.comment != "" {
		out += "  # " + parts.comment
	}
	return out
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
