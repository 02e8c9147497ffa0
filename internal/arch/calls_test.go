package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// A ban forbids names of a package from the standard library.
type ban struct {
	pkg    string
	names  []string // nil: the whole package
	except []exception
	why    string
}

var timeAskers = []exception{
	{"internal/clock", "is the answer to the question"},
	{"internal/node", "runs loops in real time"},
	{"internal/body", "talks to hardware with deadlines"},
	{"internal/gateway", "talks to the network with deadlines"},
	{"rosbridge", "talks to the network with deadlines"},
	{"hal", "talks to the network with deadlines"},
	{"internal/app/simulate.go", "paces a simulation by the wall clock"},
	{"internal/tools", "runs on the developer's machine"},
	{"cmd", "runs on the operator's machine"},
}

var printers = []exception{
	{"internal/tools", "prints what it was run for"},
	{"cmd", "prints what it was run for"},
}

var bans = []ban{
	{
		"time",
		[]string{"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "Tick", "NewTimer", "NewTicker"},
		timeAskers, "time is an argument, or comes from a clock.Clock that was handed in",
	},
	{
		"math/rand/v2",
		[]string{
			"Int", "IntN", "Int32", "Int32N", "Int64", "Int64N", "Uint", "UintN", "Uint32", "Uint32N", "Uint64", "Uint64N", "N",
			"Float32", "Float64", "NormFloat64", "ExpFloat64", "Perm", "Shuffle",
		},
		nil, "use a *rand.Rand that was handed in, so that a seed repeats a run",
	},
	{"math/rand", nil, nil, "use math/rand/v2 with a source that was handed in"},
	{"fmt", []string{"Print", "Printf", "Println"}, printers, "write to the io.Writer or logger that was handed in"},
	{"log", nil, nil, "logging is log/slog, injected"},
}

func checkCalls(sources []*source) []string {
	var out []string
	for _, s := range sources {
		if s.isTest() {
			continue
		}
		for _, b := range bans {
			name := s.importName(b.pkg)
			if name == "" || excepted(s.path, b.except) {
				continue
			}
			ast.Inspect(s.file, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				// Obj is set for local variables, which may carry the name of a package.
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == name && x.Obj == nil && (b.names == nil || slices.Contains(b.names, sel.Sel.Name)) {
					out = append(out, fmt.Sprintf("%s uses %s.%s: %s", s.at(sel), b.pkg, sel.Sel.Name, b.why))
				}
				return true
			})
		}
	}
	return out
}

func TestNobodyAsksTheSystemUnseen(t *testing.T) { report(t, checkCalls(tree(t))) }

func TestForbiddenCallsAreFound(t *testing.T) {
	file := func(name, text string) map[string]string { return map[string]string{name: text} }
	try(t, checkCalls, []trial{
		{"clock", file("internal/clock/clock.go", `import "time"; var _ = time.Now`), ""},
		{"gateway", file("internal/gateway/teleop/run.go", `import "time"; func f() { time.Sleep(1) }`), ""},
		{"test", file("internal/bus/bus_test.go", `import "time"; var _ = time.Now()`), ""},
		{"duration", file("internal/algo/ekf/ekf.go", `import "time"; var d = 3 * time.Second`), ""},
		{"variable called time", file("internal/algo/ekf/ekf.go", `import _ "time"; func f(time interface{ Now() int }) { time.Now() }`), ""},
		{"seeded source", file("internal/sim/noise.go", `import "math/rand/v2"; func f(r *rand.Rand) float64 { return r.Float64() }`), ""},
		{"node asks", file("internal/nodes/guide/node.go", `import "time"; func f() { time.Now() }`), "uses time.Now"},
		{"as a value", file("internal/nodes/guide/node.go", `import "time"; var now = time.Now`), "uses time.Now"},
		{"under another name", file("internal/algo/ekf/ekf.go", `import clock "time"; var _ = clock.Since`), "uses time.Since"},
		{"ticker", file("internal/bus/bus.go", `import "time"; var _ = time.NewTicker(1)`), "uses time.NewTicker"},
		{"app", file("internal/app/wiring.go", `import "time"; func f() { time.Sleep(1) }`), "uses time.Sleep"},
		{"global random", file("internal/sim/noise.go", `import "math/rand/v2"; var x = rand.Float64()`), "a seed repeats a run"},
		{"old random", file("internal/sim/noise.go", `import "math/rand"; var x = rand.New(nil)`), "use math/rand/v2"},
		{"print", file("internal/node/x.go", `import "fmt"; func f() { fmt.Println() }`), "uses fmt.Println"},
		{"default log", file("internal/node/x.go", `import "log"; func f() { log.Fatal() }`), "log/slog"},
	})
}

// checkNodes keeps nodes single-threaded: their loop is the only thing that touches their state.
func checkNodes(sources []*source) []string {
	var out []string
	for _, s := range sources {
		if s.isTest() || !below(s.dir(), "internal/nodes") {
			continue
		}
		for i, p := range s.imports() {
			if p == "sync" || p == "sync/atomic" {
				out = append(out, fmt.Sprintf("%s imports %s: a node's loop owns its state, there is nothing to lock", s.at(s.file.Imports[i]), p))
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				out = append(out, s.at(n)+" starts a goroutine: long work goes through Context.Go")
			case *ast.SelectStmt:
				out = append(out, s.at(n)+" waits on channels: a node is called, it does not wait")
			}
			return true
		})
	}
	return out
}

func TestNodesAreActors(t *testing.T) { report(t, checkNodes(tree(t))) }

func TestThreadedNodesAreFound(t *testing.T) {
	file := func(name, text string) map[string]string { return map[string]string{name: text} }
	try(t, checkNodes, []trial{
		{"gateway", file("internal/gateway/teleop/run.go", `import "sync"; var _ sync.Mutex; func f() { go f() }`), ""},
		{"mutex", file("internal/nodes/guide/node.go", `import "sync"; var _ sync.Mutex`), "nothing to lock"},
		{"atomic", file("internal/nodes/guide/node.go", `import "sync/atomic"; var _ atomic.Bool`), "nothing to lock"},
		{"goroutine", file("internal/nodes/guide/node.go", `func f() { go f() }`), "starts a goroutine"},
		{"deep goroutine", file("internal/nodes/guide/script/x.go", `func f() { func() { go f() }() }`), "starts a goroutine"},
		{"select", file("internal/nodes/guide/node.go", `func f(c chan int) { select { case <-c: } }`), "waits on channels"},
	})
}

var (
	// simulators may speak of simulation and decide by it.
	simulators = []exception{
		{"internal/sim", "is the simulator"},
		{"internal/body/simulated", "is the simulated body"},
		{"internal/app", "chooses the body that the profile names"},
		{"internal/profile/relations.go", "checks the settings of the simulated body when the profile chooses it"},
	}
	// simulationWords may name it, for settings and reports, but not decide by it.
	simulationWords = []exception{
		{"internal/profile", "holds the simulated body's settings"},
		{"internal/scenario", "reports simulated time"},
		{"internal/tools", "names the simulator in generated documents"},
		{"cmd", "reports simulated time"},
	}
)

// aboutSimulation reports whether a name asks whether the world is real.
func aboutSimulation(name string) bool {
	lower := strings.ToLower(name)
	return strings.Contains(lower, "simulated") || strings.HasPrefix(lower, "issim") || strings.HasPrefix(lower, "insim")
}

func checkSimulation(sources []*source) []string {
	var out []string
	for _, s := range sources {
		if s.isTest() || excepted(s.path, simulators) {
			continue
		}
		mayName := excepted(s.path, simulationWords)
		seen := map[token.Pos]bool{}
		ast.Inspect(s.file, func(n ast.Node) bool {
			for _, id := range names(condition(n)) {
				if aboutSimulation(id.Name) && !seen[id.Pos()] {
					seen[id.Pos()] = true
					out = append(out, fmt.Sprintf("%s decides by %s: the simulator gets no special path", s.at(id), id.Name))
				}
			}
			if id, ok := n.(*ast.Ident); ok && !mayName && aboutSimulation(id.Name) && !seen[id.Pos()] {
				seen[id.Pos()] = true
				out = append(out, fmt.Sprintf("%s names %s: only the simulator and its wiring know about simulation", s.at(id), id.Name))
			}
			return true
		})
	}
	return out
}

// condition returns the expression by which a statement decides, or nil.
func condition(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.IfStmt:
		return n.Cond
	case *ast.ForStmt:
		return n.Cond
	case *ast.SwitchStmt:
		return n.Tag
	default:
		return nil
	}
}

func names(e ast.Expr) []*ast.Ident {
	if e == nil {
		return nil
	}
	var out []*ast.Ident
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			out = append(out, id)
		}
		return true
	})
	return out
}

func TestSimulationIsNoSpecialCase(t *testing.T) { report(t, checkSimulation(tree(t))) }

func TestSpecialCasesForSimulationAreFound(t *testing.T) {
	file := func(name, text string) map[string]string { return map[string]string{name: text} }
	try(t, checkSimulation, []trial{
		{"the simulator", file("internal/sim/world.go", `var simulated bool; func f() { if simulated { } }`), ""},
		{"wiring", file("internal/app/wiring.go", `func f(isSim bool) { if isSim { } }`), ""},
		{"settings", file("internal/profile/profile.go", `type P struct { Simulated int }`), ""},
		{"similar words", file("internal/algo/x/x.go", `func simplify(similar bool) { if similar { } }`), ""},
		{"node asks", file("internal/nodes/guide/node.go", `func f(c struct{ simulated bool }) {}`), "names simulated"},
		{"profile decides", file("internal/profile/profile.go", `type P struct{ Simulated bool }; func (p P) f() { if p.Simulated { } }`), "decides by Simulated"},
		{"command decides", file("cmd/sarathi/run.go", `func f(IsSimulation bool) { switch IsSimulation { } }`), "decides by IsSimulation"},
	})
}
