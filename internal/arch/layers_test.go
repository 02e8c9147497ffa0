package arch

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// order is the repository from the bottom to the top. A package may import what stands on lines above its own, and its own entry:
// an entry is a folder with all below it; "x/*" makes every folder in x an entry of its own, so that they cannot import each other.
var order = []string{
	/* L0 */ "internal/geom internal/clock internal/wire internal/mailbox",
	/* L1 */ "internal/idl",
	/*    */ "msg",
	/*    */ "driver",
	/* L2 */ "internal/algo internal/config",
	/*    */ "internal/sim internal/site",
	/* L3 */ "internal/bus",
	/*    */ "internal/node internal/rosconv",
	/*    */ "internal/topics",
	/*    */ "hal rosbridge teleop",
	/* L4 */ "internal/nodes/* internal/body/* internal/gateway/*",
	/* L5 */ "profiles internal/script internal/handheld internal/trace internal/sensorlog",
	/*    */ "internal/profile",
	/*    */ "internal/scenario",
	/* L6 */ "internal/app",
	/*    */ "internal/tools/*",
	/*    */ "cmd/*",
	/*    */ "examples",
	/*    */ "internal/arch",
}

// only narrows the order: of this repository these entries may import nothing else.
var only = map[string]string{
	"internal/geom":  "",
	"internal/clock": "",
	"internal/wire":  "",
	"internal/idl":   "internal/wire",
	"msg":            "internal/idl internal/wire",
	"internal/algo":  "internal/geom",
	"internal/sim":   "internal/geom internal/algo",
	"internal/site":  "internal/geom internal/algo",
	"internal/bus":   "internal/mailbox internal/idl internal/wire internal/clock msg",
	// Examples show what other people's programs can do: they see the public face only.
	"examples": "driver hal rosbridge teleop msg",
	// Code generators know definitions, not the robot.
	"internal/tools/*": "internal/idl internal/wire internal/config internal/topics internal/profile msg",
}

// pure lists the folders where decisions live, and what no decision needs from the standard library. A file whose name begins or
// ends with "load" reads files for such a package and may import os and io/fs.
var (
	pure      = []string{"internal/geom", "internal/algo", "internal/sim"}
	unpure    = []string{"context", "log", "log/slog", "net", "net/http", "os", "os/exec", "io/fs", "sync", "sync/atomic", "syscall", "testing"}
	forLoader = []string{"os", "io/fs"}
	// outside is what pure packages may import from other people; an entry with a folder is for that folder alone.
	outside = []struct{ pkg, dir, reason string }{
		{"gonum.org/v1/gonum", "", "matrices"},
		{"github.com/goccy/go-yaml", "internal/algo/mapfile", "map_server's YAML, whose keys are not ours to be strict about"},
	}
)

// entry returns the entry of order that dir belongs to, its line, and a name that siblings under "x/*" do not share.
func entry(dir string) (pattern string, line int, own string) {
	for i, l := range order {
		for p := range strings.FieldsSeq(l) {
			base, each := strings.CutSuffix(p, "/*")
			switch {
			case !each && below(dir, p):
				return p, i, p
			case each && strings.HasPrefix(dir, base+"/"):
				child, _, _ := strings.Cut(dir[len(base)+1:], "/")
				return p, i, path.Join(base, child)
			}
		}
	}
	return "", -1, ""
}

func checkLayers(sources []*source) []string {
	var out []string
	unplaced := map[string]bool{}
	for _, s := range sources {
		pattern, line, own := entry(s.dir())
		if line < 0 {
			if !unplaced[s.dir()] {
				out = append(out, fmt.Sprintf("%s: the package has no layer: place %s in the order of internal/arch/layers_test.go", s.path, s.dir()))
			}
			unplaced[s.dir()] = true
			continue
		}
		if s.isTest() {
			continue // tests may look up as well as down; Go itself refuses cycles
		}
		for i, imported := range s.imports() {
			if why := refuse(pattern, line, own, s, imported); why != "" {
				out = append(out, fmt.Sprintf("%s imports %s: %s", s.at(s.file.Imports[i]), imported, why))
			}
		}
	}
	return out
}

// refuse says why the file s of the given entry may not import a package, or "".
func refuse(pattern string, line int, own string, s *source, imported string) string {
	dir, ours := strings.CutPrefix(imported, module+"/")
	if !ours {
		return refuseOutside(s, imported)
	}
	target, targetLine, targetOwn := entry(dir)
	switch {
	case targetLine < 0:
		return "which has no layer"
	case targetOwn == own:
		return ""
	case target == pattern && targetLine == line:
		return "siblings talk over topics; what both need moves to a lower layer"
	case targetLine >= line:
		return "imports point downward only (see the order in internal/arch/layers_test.go)"
	}
	if allowed, narrow := only[pattern]; narrow && !slices.Contains(strings.Fields(allowed), target) {
		return fmt.Sprintf("%s may import only: %s", pattern, orNothing(allowed))
	}
	return ""
}

func refuseOutside(s *source, imported string) string {
	isPure := false
	for _, p := range pure {
		isPure = isPure || below(s.dir(), p)
	}
	if !isPure {
		return ""
	}
	name := strings.TrimSuffix(path.Base(s.path), ".go")
	loader := strings.HasPrefix(name, "load") || strings.HasSuffix(name, "load")
	if slices.Contains(unpure, imported) && (!loader || !slices.Contains(forLoader, imported)) {
		return "pure packages get values and return values: no I/O, no waiting, no logging, no locks"
	}
	if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") {
		for _, o := range outside {
			if below(imported, o.pkg) && (o.dir == "" || below(s.dir(), o.dir)) {
				return ""
			}
		}
		return "pure packages use the standard library and what the list outside names"
	}
	return ""
}

func orNothing(list string) string {
	if list == "" {
		return "nothing of this repository"
	}
	return list
}

func TestImportsPointDownward(t *testing.T) { report(t, checkLayers(tree(t))) }

func TestForbiddenImportsAreFound(t *testing.T) {
	imports := func(file, imported string) map[string]string {
		return map[string]string{file: "import _ \"" + imported + "\""}
	}
	try(t, checkLayers, []trial{
		{"down", imports("internal/nodes/controlmux/node.go", "sarathi/internal/topics"), ""},
		{"down to its core", imports("internal/nodes/controlmux/mux.go", "sarathi/internal/algo/arbitration"), ""},
		{"inside one node", imports("internal/nodes/guide/node.go", "sarathi/internal/nodes/guide/script"), ""},
		{"algo to algo", imports("internal/algo/astar/astar.go", "sarathi/internal/algo/costmap"), ""},
		{"gonum in algo", imports("internal/algo/ekf/ekf.go", "gonum.org/v1/gonum/mat"), ""},
		{"YAML in another algorithm", imports("internal/algo/ekf/ekf.go", "github.com/goccy/go-yaml/ast"), "pure packages use the standard library"},
		{"loader of a pure package", imports("internal/sim/load.go", "os"), ""},
		{"test that looks up", imports("internal/algo/ekf/ekf_test.go", "sarathi/internal/app"), ""},
		{"up", imports("internal/bus/bus.go", "sarathi/internal/node"), "downward only"},
		{"sibling node", imports("internal/nodes/guide/node.go", "sarathi/internal/nodes/speech"), "siblings talk over topics"},
		{"node to body", imports("internal/nodes/controlmux/node.go", "sarathi/internal/body/simulated"), "downward only"},
		{"gateway to node", imports("internal/gateway/teleop/node.go", "sarathi/internal/nodes/controlmux"), "downward only"},
		{"neighbour on a line", imports("internal/config/config.go", "sarathi/internal/algo/ekf"), "downward only"},
		{"algo knows messages", imports("internal/algo/ekf/ekf.go", "sarathi/msg/geometry"), "may import only: internal/geom"},
		{"algo knows the bus", imports("internal/algo/ekf/ekf.go", "sarathi/internal/bus"), "downward only"},
		{"algo has a clock", imports("internal/algo/ekf/ekf.go", "sarathi/internal/clock"), "may import only"},
		{"sim knows messages", imports("internal/sim/world.go", "sarathi/msg/sensor"), "may import only"},
		{"geom imports anything", imports("internal/geom/pose.go", "sarathi/internal/clock"), "downward only"},
		{"driver knows nodes", imports("driver/driver.go", "sarathi/internal/nodes/controlmux"), "downward only"},
		{"public protocol knows a gateway", imports("rosbridge/broker.go", "sarathi/internal/gateway/rosbridge"), "downward only"},
		{"public protocol knows the app", imports("hal/agent.go", "sarathi/internal/app"), "downward only"},
		{"messages know the bus", imports("msg/nav/path.go", "sarathi/internal/bus"), "downward only"},
		{"messages know algorithms", imports("msg/nav/path.go", "sarathi/internal/geom"), "may import only"},
		{"generator knows the robot", imports("internal/tools/msggen/main.go", "sarathi/internal/app"), "may import only"},
		{"anything imports a command", imports("internal/app/app.go", "sarathi/cmd/sarathi"), "downward only"},
		{"algo logs", imports("internal/algo/ekf/ekf.go", "log/slog"), "pure packages get values"},
		{"sim waits", imports("internal/sim/world.go", "context"), "pure packages get values"},
		{"algo reads files", imports("internal/algo/mapfile/parse.go", "os"), "pure packages get values"},
		{"loader on the network", imports("internal/algo/mapfile/load.go", "net/http"), "pure packages get values"},
		{"algo with a framework", imports("internal/algo/ekf/ekf.go", "github.com/someone/filters"), "pure packages use the standard library"},
		{"new folder", imports("internal/newthing/x.go", "fmt"), "has no layer"},
		{"import of an unplaced folder", imports("internal/app/app.go", "sarathi/internal/newthing"), "has no layer"},
	})
}

func TestOrderNamesEachFolderOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range order {
		for p := range strings.FieldsSeq(l) {
			if seen[p] {
				t.Errorf("%s stands in the order twice", p)
			}
			seen[p] = true
		}
	}
	for pattern, allowed := range only {
		for _, p := range append(strings.Fields(allowed), pattern) {
			if !seen[p] {
				t.Errorf("only names %s, which is not in the order", p)
			}
		}
	}
}
