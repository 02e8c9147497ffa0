package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// An event is one line of `go test -json`; see `go doc test2json`.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

// A testID names one test of one package; test is empty for the package itself.
type testID struct{ pkg, test string }

// A summary counts tests and prints what matters of their output.
type summary struct {
	out                     io.Writer
	passed, failed, skipped int
	pending                 map[testID][]string // output of tests that have not ended
	order                   map[string][]string // names of these tests by package, in the order they began to print
	failures                map[string]int      // failed tests by package
}

func newSummary(out io.Writer) *summary {
	return &summary{out: out, pending: map[testID][]string{}, order: map[string][]string{}, failures: map[string]int{}}
}

// line takes one line of the stream. What is not JSON is output of the go command itself and is passed on.
func (s *summary) line(text string) {
	var e event
	if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &e) != nil {
		s.print(text + "\n")
		return
	}
	switch {
	case e.Action == "build-output":
		s.print(e.Output)
	case e.Action == "output":
		s.output(e)
	case e.Test == "" && e.Action == "fail":
		s.packageFailed(e.Package)
	case e.Test != "" && slices.Contains([]string{"pass", "fail", "skip"}, e.Action):
		s.ended(e)
	}
}

func (s *summary) output(e event) {
	if e.Test == "" {
		if e.Output != "PASS\n" && e.Output != "FAIL\n" && !strings.Contains(e.Output, "[no test files]") {
			s.print(e.Output)
		}
		return
	}
	id := testID{e.Package, e.Test}
	if _, known := s.pending[id]; !known {
		s.order[e.Package] = append(s.order[e.Package], e.Test)
	}
	s.pending[id] = append(s.pending[id], e.Output)
}

func (s *summary) ended(e event) {
	id := testID{e.Package, e.Test}
	switch e.Action {
	case "pass":
		s.passed++
	case "skip":
		s.skipped++
		s.print(strings.Join(s.pending[id], "")) // a skipped test must say why
	case "fail":
		s.failed++
		s.failures[e.Package]++
		s.print(strings.Join(s.pending[id], ""))
	}
	delete(s.pending, id)
}

// packageFailed prints what tests wrote that never ended: the package panicked, was killed or timed out. A package that fails
// without a failing test (it does not build, or its TestMain says no) counts as one failure.
func (s *summary) packageFailed(pkg string) {
	for _, test := range s.order[pkg] {
		if lines, ok := s.pending[testID{pkg, test}]; ok {
			s.failed++
			s.failures[pkg]++
			s.print(strings.Join(lines, ""))
			delete(s.pending, testID{pkg, test})
		}
	}
	if s.failures[pkg] == 0 {
		s.failed++
		s.failures[pkg]++
	}
}

func (s *summary) totals() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped\n", s.passed, s.failed, s.skipped)
}

// ok reports whether something ran and nothing failed.
func (s *summary) ok() bool { return s.passed > 0 && s.failed == 0 }

func (s *summary) print(text string) {
	_, _ = io.WriteString(s.out, text) // nothing is left to do when the terminal is gone; the exit code still tells
}
