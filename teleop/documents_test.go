package teleop

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestChecklistsNameTestsThatExist keeps the protocol documents honest: every test that a row names is in this package, in the
// gateway's, or in a node's.
func TestChecklistsNameTestsThatExist(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*_test.go", "../internal/gateway/teleop/*_test.go", "../internal/nodes/*/*_test.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v %v", pattern, found, err)
		}
		files = append(files, found...)
	}
	var source strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(text)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`")
	for _, d := range Dialects() {
		text, err := os.ReadFile("../docs/protocols/" + d.Name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		matches := named.FindAllSubmatch(text, -1)
		for _, m := range matches {
			if !strings.Contains(source.String(), "func "+string(m[1])+"(") {
				t.Errorf("%s.md names %s, which does not exist", d.Name, m[1])
			}
		}
		if len(matches) < 40 {
			t.Errorf("%s.md names %d tests", d.Name, len(matches))
		}
		for i := range d.Commands {
			if !strings.Contains(string(text), d.Commands[i].Name) {
				t.Errorf("%s.md does not mention %s", d.Name, d.Commands[i].Name)
			}
		}
	}
}
