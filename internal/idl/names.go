package idl

import (
	"fmt"
	"strings"
	"unicode"
)

// GoPackage returns the name of the Go package for a ROS package: geometry_msgs is geometry.
func GoPackage(rosPackage string) string {
	if rosPackage == "std_srvs" {
		return "stdsrvs" // std is std_msgs
	}
	name := strings.TrimSuffix(strings.TrimSuffix(rosPackage, "_msgs"), "_interfaces")
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

// GoType returns the Go name of a definition: Trigger_Request is TriggerRequest.
func GoType(name string) string { return strings.ReplaceAll(name, "_", "") }

// GoName returns the exported CamelCase form of a field or constant name with Go's
// initialisms: frame_id is FrameID, TYPE_DOCK is TypeDock.
func GoName(rosName string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(rosName, "_") {
		if word == "" {
			continue
		}
		switch upper := strings.ToUpper(word); upper {
		case "ID", "URL", "CPU", "GPU", "RAM", "IP":
			b.WriteString(upper)
		default:
			b.WriteString(camelWord(word))
		}
	}
	return b.String()
}

// camelWord capitalizes a word; capitals inside a mixed-case word stay.
func camelWord(word string) string {
	if word == strings.ToUpper(word) {
		word = strings.ToLower(word)
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

// goField returns the Go name of a field. A name that is also a method of every message gets an
// underscore, as in generated protobuf code.
func goField(rosName string) string {
	name := GoName(rosName)
	switch name {
	case "Type", "AppendJSON", "ParseJSON", "ReadJSON", "AppendCDR", "ParseCDR", "AppendROS1", "ParseROS1", "AppendWire", "ReadWire":
		return name + "_"
	}
	return name
}

// snake returns the file name for a type: OccupancyGrid is occupancy_grid, TFMessage is tf_message.
func snake(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		boundary := i > 0 && unicode.IsUpper(r) &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if boundary && runes[i-1] != '_' {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// goFile returns the file of an interface below msg/. Services and actions carry their kind, so that a message
// may have the same name. A message name whose end means something to the go tool (SelfTest, RobotArm) gets one too.
func goFile(i Interface) string {
	base := snake(i.Name)
	switch last := base[strings.LastIndexByte(base, '_')+1:]; {
	case i.Kind != "msg":
		base += "_" + i.Kind
	case last != base && isBuildSuffix(last):
		base += "_msg"
	}
	return GoPackage(i.Package) + "/" + base + ".go"
}

// isBuildSuffix reports whether the go tool would build name_<s>.go only sometimes.
func isBuildSuffix(s string) bool {
	switch s {
	case "test", "linux", "windows", "darwin", "android", "ios", "js", "plan9", "unix", "freebsd", "netbsd", "openbsd", "solaris",
		"aix", "illumos", "dragonfly", "hurd", "nacl", "wasip1", "zos",
		"arm", "arm64", "386", "amd64", "wasm", "loong64", "mips", "mipsle", "mips64", "mips64le", "ppc", "ppc64", "ppc64le", "riscv",
		"riscv64", "s390", "s390x", "sparc", "sparc64", "armbe", "arm64be", "amd64p32", "mips64p32", "mips64p32le":
		return true
	}
	return false
}

// checkNames reports Go identifiers that two things of one package would share, and fields that
// differ only in ways Go names do not keep.
func checkNames(interfaces []Interface) []error {
	var errs []error
	type use struct{ what, path string }
	taken := map[string]use{}
	claim := func(pkg, ident, what, path string, line int) {
		key := pkg + "." + ident
		if first, dup := taken[key]; dup {
			errs = append(errs, &ParseError{Path: path, Line: line, What: fmt.Sprintf(
				"%s and %s (%s) are both %s in Go: rename one", what, first.what, first.path, key)})
			return
		}
		taken[key] = use{what, path}
	}
	for _, i := range interfaces {
		pkg := GoPackage(i.Package)
		claim("msg", goFile(i), "file of "+i.Name, i.Path, 0)
		if i.Kind != "msg" {
			claim(pkg, i.Name+kindVar(i.Kind), i.Kind+" "+i.Name, i.Path, 0)
		}
		for _, d := range i.ROS2 {
			name := GoType(d.Name)
			for _, ident := range []string{name, "New" + name, name + "Type", name + "Definition", name + "DefinitionROS1"} {
				claim(pkg, ident, "type "+d.Name, d.Path, 0)
			}
			for _, c := range d.Constants {
				claim(pkg, name+GoName(c.Name), "constant "+d.Name+"."+c.Name, d.Path, c.Line)
			}
			for _, f := range d.Fields {
				claim(pkg+"."+name, goField(f.Name), "field "+f.Name, d.Path, f.Line)
			}
		}
	}
	return errs
}

// kindVar returns the ending of the Go variable that describes a service or action.
func kindVar(kind string) string {
	if kind == "srv" {
		return "Service"
	}
	return "Action"
}
