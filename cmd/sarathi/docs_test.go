package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"sarathi/internal/app"
)

// The examples of `sarathi sim` are what it prints. "…" stands for what another version or computer may print differently.
func TestTheDocumentationShowsWhatSimPrints(t *testing.T) {
	text, err := os.ReadFile("../../docs/2-cli.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("../..") // where the examples are typed
	examples := regexp.MustCompile("(?s)```console\n\\$ (sarathi sim [^\n]*)\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(examples) != 2 {
		t.Fatalf("%d examples of sim, want 2", len(examples))
	}
	for _, example := range examples {
		command, shown := example[1], example[2]
		e := testEnv(t)
		var stdout, stderr bytes.Buffer
		e.stdout, e.stderr, e.simulate = &stdout, &stderr, app.Simulate
		if code := run(t.Context(), e, words(command)[1:]); code != exitDone {
			t.Errorf("%s: exit code %d; stderr: %s", command, code, stderr.String())
		}
		pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(shown), "…", "[^\n]+") + "$"
		if !regexp.MustCompile(pattern).MatchString(stdout.String()) {
			t.Errorf("%s prints\n%s\nand docs/2-cli.md shows\n%s", command, stdout.String(), shown)
		}
	}
}
