package topics

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// declared returns the names of the package's variables made with bus.NewTopic or bus.NewService.
func declared(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || len(v.Values) != 1 {
				return true
			}
			call, ok := v.Values[0].(*ast.CallExpr)
			if !ok {
				return true
			}
			index, ok := call.Fun.(*ast.IndexExpr)
			fun := call.Fun
			if ok {
				fun = index.X
			} else if list, ok := call.Fun.(*ast.IndexListExpr); ok {
				fun = list.X
			}
			if sel, ok := fun.(*ast.SelectorExpr); ok {
				out[v.Names[0].Name] = sel.Sel.Name
			}
			return true
		})
	}
	return out
}

func TestTheTableIsComplete(t *testing.T) {
	topics, services := 0, 0
	for name, kind := range declared(t) {
		switch kind {
		case "NewTopic":
			topics++
		case "NewService":
			services++
		default:
			t.Errorf("%s is made with bus.%s", name, kind)
		}
	}
	if got := len(Topics()); got != topics || topics < 50 {
		t.Errorf("Topics lists %d of %d declared topics", got, topics)
	}
	if got := len(Services()); got != services || services < 40 {
		t.Errorf("Services lists %d of %d declared services", got, services)
	}
}

func TestNamesAreUniqueAndExplained(t *testing.T) {
	seen := map[string]bool{}
	check := func(name, doc string) {
		if seen[name] {
			t.Errorf("%s is declared twice", name)
		}
		seen[name] = true
		if len(doc) < 5 {
			t.Errorf("%s has no meaning", name)
		}
	}
	for _, i := range Topics() {
		check(i.Name, i.Doc)
	}
	for _, i := range Services() {
		check(i.Name, i.Doc)
	}
}
