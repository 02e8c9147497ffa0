package idl

import (
	"sort"
	"strings"
)

// registry writes package msg's look-up functions.
func (e *emitter) registry() string {
	e.pkg = ""
	e.imports = map[string]bool{e.internal("idl"): true}
	e.code.Reset()
	var types, services, actions []registryEntry
	for _, i := range e.tree.Interfaces {
		ident := GoPackage(i.Package) + "."
		for _, d := range i.ROS2 {
			types = append(types, registryEntry{d.Package, d.Kind, d.Name, ident + GoType(d.Name) + "Type"})
			e.qualified(i.Package, "")
		}
		switch i.Kind {
		case "srv":
			services = append(services, registryEntry{i.Package, i.Kind, i.Name, ident + i.Name + "Service"})
		case "action":
			actions = append(actions, registryEntry{i.Package, i.Kind, i.Name, ident + i.Name + "Action"})
		}
	}
	e.lookup("", "*idl.Type", "type, request, response, goal, result or feedback", types)
	e.lookup("Service", "*idl.ServiceType", "service", services)
	e.lookup("Action", "*idl.ActionType", "action", actions)
	e.all("All", "*idl.Type", "message types, requests, responses, goals, results and feedbacks", types)
	e.all("AllServices", "*idl.ServiceType", "service types", services)
	e.all("AllActions", "*idl.ActionType", "action types", actions)
	return "package msg\n\n" + e.importBlock() + "\n" + e.code.String()
}

// registryEntry is one variable that the registry returns.
type registryEntry struct{ pkg, kind, name, ident string }

func (r registryEntry) ros2Name() string { return r.pkg + "/" + r.kind + "/" + r.name }

// lookup writes a function that finds a description by its ROS 1 or ROS 2 name.
func (e *emitter) lookup(suffix, result, what string, entries []registryEntry) {
	e.printf("// Lookup%s returns the %s called name, spelled as in ROS 1 or in ROS 2.\n", suffix, what)
	e.printf("func Lookup%s(name string) (%s, bool) {\nswitch name {\n", suffix, result)
	for _, r := range entries {
		e.printf("case %q, %q:\nreturn %s, true\n", r.pkg+"/"+r.name, r.ros2Name(), r.ident)
	}
	e.printf("}\nreturn nil, false\n}\n\n")
}

// all writes a function that lists descriptions sorted by their ROS 2 name.
func (e *emitter) all(name, result, what string, entries []registryEntry) {
	sort.Slice(entries, func(i, j int) bool { return entries[i].ros2Name() < entries[j].ros2Name() })
	idents := make([]string, len(entries))
	for i, r := range entries {
		idents[i] = r.ident + ",\n"
	}
	e.printf("// %s returns all %s, sorted by ROS 2 name.\nfunc %s() []%s {\nreturn []%s{\n%s}\n}\n\n",
		name, what, name, result, result, strings.Join(idents, ""))
}
