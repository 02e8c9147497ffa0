package arch

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// module is the import path of the repository's root.
const module = "sarathi"

// A source is one Go file of the repository, tests included.
type source struct {
	path      string // from the root of the repository, with slashes
	lines     int
	generated bool
	file      *ast.File
	fset      *token.FileSet
}

// dir is the package's folder from the root, which is also its import path without the module's name.
func (s *source) dir() string { return path.Dir(s.path) }

func (s *source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

// at names a place in the file as an editor understands it.
func (s *source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", s.path, s.fset.Position(n.Pos()).Line)
}

// imports returns the import paths of the file, in order.
func (s *source) imports() []string {
	out := make([]string, len(s.file.Imports))
	for i, spec := range s.file.Imports {
		out[i], _ = strconv.Unquote(spec.Path.Value)
	}
	return out
}

// importName returns the name by which the file calls the package at importPath, or "" when it does not import it.
func (s *source) importName(importPath string) string {
	for i, p := range s.imports() {
		if p != importPath {
			continue
		}
		if name := s.file.Imports[i].Name; name != nil {
			return name.Name
		}
		if base := path.Base(p); base != "v2" {
			return base
		}
		return path.Base(path.Dir(p))
	}
	return ""
}

func parse(name string, text []byte) (*source, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", name, err)
	}
	return &source{
		path: name, lines: strings.Count(string(text), "\n"), generated: ast.IsGenerated(file), file: file, fset: fset,
	}, nil
}

// fake parses files that exist only in a test. Files without a package clause of their own get one from their folder.
func fake(t *testing.T, files map[string]string) []*source {
	t.Helper()
	var out []*source
	for name, text := range files {
		if !strings.Contains(text, "package ") {
			text = "package " + path.Base(path.Dir(name)) + "\n" + text
		}
		s, err := parse(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *source) int { return cmp.Compare(a.path, b.path) })
	return out
}

// root is the repository, seen from this package's folder.
const root = "../.."

// skipped folders hold no Go of this module: built things, test inputs, the tools' own module.
func skipped(dir string) bool {
	base := path.Base(dir)
	return dir == "tools" || base == "bin" || base == "testdata" || base == "node_modules" || (len(base) > 1 && base[0] == '.')
}

// walk calls visit with every file below the root whose name ends in suffix.
func walk(suffix string, visit func(name string, text []byte) error) error {
	return filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case d.IsDir() && name != "." && skipped(name):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, suffix):
			return nil
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		return visit(name, text)
	})
}

var loadTree = sync.OnceValues(func() ([]*source, error) {
	var out []*source
	err := walk(".go", func(name string, text []byte) error {
		s, err := parse(name, text)
		out = append(out, s)
		return err
	})
	return out, err
})

// tree returns every Go file of the repository in the order of their paths.
func tree(t *testing.T) []*source {
	t.Helper()
	out, err := loadTree()
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 20 {
		t.Fatalf("found %d Go files below %s: the tests look in the wrong place", len(out), root)
	}
	return out
}

// report fails the test once for each breach.
func report(t *testing.T, breaches []string) {
	t.Helper()
	for _, b := range breaches {
		t.Error(b)
	}
}

// An exception lets a file or folder do what is forbidden elsewhere.
type exception struct{ path, reason string }

// excepted reports whether path is, or lies below, one of the exceptions.
func excepted(path string, list []exception) bool {
	return slices.ContainsFunc(list, func(e exception) bool { return below(path, e.path) })
}

// below reports whether dir is base or inside it.
func below(dir, base string) bool { return dir == base || strings.HasPrefix(dir, base+"/") }

// A trial is a fake tree and the breach that a check must find in it; "" where it must find none.
type trial struct {
	name  string
	files map[string]string
	want  string
}

// try runs a check on fake trees.
func try(t *testing.T, check func([]*source) []string, trials []trial) {
	t.Helper()
	for _, tt := range trials {
		t.Run(tt.name, func(t *testing.T) {
			got := check(fake(t, tt.files))
			switch {
			case tt.want == "" && len(got) > 0:
				t.Errorf("found %q in a tree that keeps the rule", got)
			case tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)):
				t.Errorf("found %q, want exactly one breach with %q in it", got, tt.want)
			}
		})
	}
}
