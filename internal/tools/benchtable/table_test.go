package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const input = `goos: linux
goarch: amd64
pkg: sarathi/internal/bus
cpu: something
BenchmarkPublish-2        	 1000000	      1000 ns/op	         1.500 p50-ns	      2000 p50-ns:max	       0 B/op	       0 allocs/op	         0 allocs/op:max
BenchmarkPublish-2        	 1000000	      2000 ns/op	         2.500 p50-ns	      2000 p50-ns:max	       0 B/op	       1 allocs/op	         0 allocs/op:max
BenchmarkPlain-16         	     100	  12345678 ns/op	      48 B/op	       1 allocs/op
PASS
ok  	sarathi/internal/bus	3.2s
pkg: sarathi/msg/nav
BenchmarkGrid/json/sarathi-2         	     500	   2000000 ns/op	         5.000 ratio:min
BenchmarkGrid/json/encoding-json-2   	     100	  14000000 ns/op
BenchmarkScan/sarathi-2              	     500	      5000 ns/op	         1.200 ratio:min
BenchmarkScan/strconv-2              	     500	      5500 ns/op
BenchmarkRobot-2                     	       1	3000000000 ns/op	        61.20 x-real-time	        50.00 x-real-time:min
`

const want = `| benchmark      | value            | yardstick           | ratio | target             |      |
|----------------|------------------|---------------------|-------|--------------------|------|
| bus Publish    | 1.5 µs           |                     |       |                    |      |
| bus Publish    | 2 ns p50         |                     |       | ≤ 2 µs p50         | ok   |
| bus Publish    | 0.5 allocs/op    |                     |       | ≤ 0 allocs/op      | MISS |
| bus Plain      | 12.3 ms          |                     |       |                    |      |
| msg/nav Grid/json | 2 ms | encoding-json 14 ms | 7.00× | ≥ 5× | ok |
| msg/nav Scan | 5 µs | strconv 5.5 µs | 1.10× | ≥ 1.2× | MISS |
| msg/nav Robot | 3 s |  |  |  |  |
| msg/nav Robot | 61.2 x-real-time |  |  | ≥ 50 x-real-time | ok |
`

func TestTable(t *testing.T) {
	var out strings.Builder
	missed, err := run(strings.NewReader(input), &out)
	if err != nil {
		t.Fatal(err)
	}
	if missed != 2 {
		t.Errorf("%d targets missed, want 2", missed)
	}
	if diff := cmp.Diff(cells(want), cells(out.String())); diff != "" {
		t.Errorf("table (-want +got):\n%s\n%s", diff, out.String())
	}
	width := 0
	for line := range strings.SplitSeq(strings.TrimSpace(out.String()), "\n") {
		if n := len([]rune(line)); width != 0 && n != width {
			t.Errorf("a line is %d wide, others %d: %s", n, width, line)
		} else {
			width = n
		}
	}
}

// cells takes a table apart, so that the comparison does not depend on padding. The rule under the heading is left out.
func cells(table string) [][]string {
	var out [][]string
	for line := range strings.SplitSeq(strings.TrimSpace(table), "\n") {
		if strings.HasPrefix(line, "|-") {
			continue
		}
		var row []string
		for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			row = append(row, strings.TrimSpace(cell))
		}
		out = append(out, row)
	}
	return out
}

func TestNothingToShowIsAnError(t *testing.T) {
	for _, in := range []string{"", "ok  \tsarathi/internal/bus\t3.2s\n", "BenchmarkX-2 100 oops ns/op\n"} {
		if _, err := run(strings.NewReader(in), &strings.Builder{}); err == nil {
			t.Errorf("%q: no error", in)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestBrokenPipeIsAnError(t *testing.T) {
	if _, err := run(strings.NewReader(input), brokenPipe{}); err == nil {
		t.Error("no error")
	}
}
