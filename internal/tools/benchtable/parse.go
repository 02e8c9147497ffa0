package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// A result is one benchmark line, averaged over its repetitions (-count).
type result struct {
	pkg     string
	name    string // without "Benchmark" and the -N of GOMAXPROCS
	metrics []metric
}

type metric struct {
	unit  string
	value float64
	count int // repetitions in value
}

func (r *result) metric(unit string) (float64, bool) {
	for _, m := range r.metrics {
		if m.unit == unit {
			return m.value, true
		}
	}
	return 0, false
}

func (r *result) add(unit string, value float64) {
	for i := range r.metrics {
		if m := &r.metrics[i]; m.unit == unit {
			m.count++
			m.value += (value - m.value) / float64(m.count)
			return
		}
	}
	r.metrics = append(r.metrics, metric{unit, value, 1})
}

var procsSuffix = regexp.MustCompile(`-\d+$`)

// parse reads the text format of Go benchmarks. Lines of other kinds are passed over.
func parse(in io.Reader) ([]*result, error) {
	var out []*result
	byName := map[string]*result{}
	pkg := ""
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if p, ok := strings.CutPrefix(lines.Text(), "pkg: "); ok {
			pkg = p
			continue
		}
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || len(fields)%2 != 0 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		if _, err := strconv.Atoi(fields[1]); err != nil {
			continue
		}
		name := procsSuffix.ReplaceAllString(strings.TrimPrefix(fields[0], "Benchmark"), "")
		r := byName[pkg+" "+name]
		if r == nil {
			r = &result{pkg: pkg, name: name}
			byName[pkg+" "+name] = r
			out = append(out, r)
		}
		for i := 2; i < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("benchmark %s: %q is not a number", name, fields[i])
			}
			r.add(fields[i+1], v)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read benchmarks: %w", err)
	}
	return out, nil
}
