package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/profile"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// A script in testdata is a list of command lines, each with what it prints:
//
//	# a comment
//	$ sarathi topic list
//	what goes to the standard output
//	stderr: what goes to the standard error
//	exit: 2
//
// "exit" is left out when it is 0. A line "< text" before the command is its standard input.
type step struct {
	before  string // comments and input, as they stand
	input   string
	command string
	output  string
}

func parseScript(text string) []step {
	var steps []step
	var before []string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "$ "):
			s := step{command: line[2:], before: strings.Join(before, "\n")}
			for _, b := range before {
				if input, ok := strings.CutPrefix(b, "< "); ok {
					s.input += input + "\n"
				}
			}
			steps, before = append(steps, s), nil
		case strings.HasPrefix(line, "# "), strings.HasPrefix(line, "< "):
			before = append(before, line)
		case len(steps) > 0 && before == nil:
			steps[len(steps)-1].output += line + "\n"
		}
	}
	return steps
}

func formatScript(steps []step) string {
	var b strings.Builder
	for i, s := range steps {
		if i > 0 {
			b.WriteString("\n")
		}
		if s.before != "" {
			b.WriteString(s.before + "\n")
		}
		fmt.Fprintf(&b, "$ %s\n%s", s.command, s.output)
	}
	return b.String()
}

// words splits a command line at blanks outside of single quotes.
func words(line string) []string {
	var out []string
	quoted := false
	for i, part := range strings.Split(line, "'") {
		if quoted = i%2 == 1; quoted {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}

// play runs one step in a fresh environment and returns what it printed.
func play(t *testing.T, s step, e env) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	e.stdin, e.stdout, e.stderr = strings.NewReader(s.input), &stdout, &stderr
	args := words(s.command)
	if len(args) == 0 || args[0] != "sarathi" {
		t.Fatalf("%q: a command begins with sarathi", s.command)
	}
	code := run(t.Context(), e, args[1:])
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	out := strings.ReplaceAll(stdout.String(), here+string(filepath.Separator), "") // wherever the repository lies
	if out != "" && !strings.HasSuffix(out, "\n") {
		t.Errorf("%s: the output does not end with a newline", s.command)
	}
	for line := range strings.Lines(stderr.String()) {
		out += "stderr: " + line
	}
	if code != 0 {
		out += fmt.Sprintf("exit: %d\n", code)
	}
	return out
}

func TestScripts(t *testing.T) {
	t.Setenv("COLUMNS", "80") // help is wrapped to the terminal
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			steps := parseScript(string(text))
			for i := range steps {
				steps[i].output = play(t, steps[i], testEnv(t))
			}
			got := formatScript(steps)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(text), got); diff != "" {
				t.Errorf("%s (-want +got; -update accepts it):\n%s", file, diff)
			}
		})
	}
}

// testEnv is an environment with a fake robot.
func testEnv(t *testing.T) env {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv(profile.SitesVariable, "")
	return env{
		home: home, program: "sarathi", zone: time.UTC, version: "v1.2.3",
		now:           func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
		processorTime: func() time.Duration { return 0 },
		dial:          func(_ context.Context, url, _ string) (robot, error) { return dialFake(url) },
		host:          fakeHost, runRobot: fakeRun, simulate: fakeSimulate,
	}
}
