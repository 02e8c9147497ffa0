package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSummary(t *testing.T) {
	tests := []struct {
		name string
		in   []string
		want string
		ok   bool
	}{
		{"green", []string{
			`{"Action":"start","Package":"p"}`,
			`{"Action":"run","Package":"p","Test":"TestA"}`,
			`{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}`,
			`{"Action":"pass","Package":"p","Test":"TestA"}`,
			`{"Action":"output","Package":"p","Output":"PASS\n"}`,
			`{"Action":"output","Package":"p","Output":"ok  \tp\t0.01s\n"}`,
			`{"Action":"pass","Package":"p"}`,
		}, "ok  \tp\t0.01s\n1 passed, 0 failed, 0 skipped\n", true},
		{"red test", []string{
			`{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: bad\n"}`,
			`{"Action":"fail","Package":"p","Test":"TestA"}`,
			`{"Action":"output","Package":"p","Output":"FAIL\tp\t0.01s\n"}`,
			`{"Action":"fail","Package":"p"}`,
		}, "    a_test.go:3: bad\nFAIL\tp\t0.01s\n0 passed, 1 failed, 0 skipped\n", false},
		{"does not build", []string{
			`{"Action":"build-output","ImportPath":"p","Output":"p/a.go:1:1: syntax error\n"}`,
			`{"Action":"build-fail","ImportPath":"p"}`,
			`{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}`,
			`{"Action":"fail","Package":"p"}`,
			`{"Action":"pass","Package":"q","Test":"TestB"}`,
		}, "p/a.go:1:1: syntax error\nFAIL\tp [build failed]\n1 passed, 1 failed, 0 skipped\n", false},
		{"panic in one of two", []string{
			`{"Action":"output","Package":"p","Test":"TestA","Output":"panic: oops\n"}`,
			`{"Action":"output","Package":"p","Test":"TestB","Output":"=== RUN   TestB\n"}`,
			`{"Action":"pass","Package":"p","Test":"TestB"}`,
			`{"Action":"fail","Package":"p"}`,
		}, "panic: oops\n1 passed, 1 failed, 0 skipped\n", false},
		{"skip says why", []string{
			`{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: no data\n"}`,
			`{"Action":"skip","Package":"p","Test":"TestA"}`,
			`{"Action":"pass","Package":"p","Test":"TestB"}`,
		}, "    a_test.go:3: no data\n1 passed, 0 failed, 1 skipped\n", true},
		{"nothing ran", []string{
			`{"Action":"output","Package":"p","Output":"?   \tp\t[no test files]\n"}`,
			`{"Action":"skip","Package":"p"}`,
		}, "0 passed, 0 failed, 0 skipped\n", false},
		{"words of the go command", []string{"go: no such tool"}, "go: no such tool\n0 passed, 0 failed, 0 skipped\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			file := filepath.Join(t.TempDir(), "totals.txt")
			ok, err := run(strings.NewReader(strings.Join(tt.in, "\n")), &out, file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, out.String()); diff != "" || ok != tt.ok {
				t.Errorf("ok = %v, want %v; printed (-want +got):\n%s", ok, tt.ok, diff)
			}
			totals, err := os.ReadFile(file)
			if err != nil || !strings.HasSuffix(tt.want, string(totals)) {
				t.Errorf("totals file holds %q, %v", totals, err)
			}
		})
	}
}

func TestEndlessLineIsAnError(t *testing.T) {
	var out strings.Builder
	if _, err := run(strings.NewReader(strings.Repeat("x", maxLine+1)), &out, ""); err == nil {
		t.Error("no error")
	}
}
