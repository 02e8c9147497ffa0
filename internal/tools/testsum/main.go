package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
)

// maxLine bounds one line of output of a test. Longer ones end the run with an error instead of filling the memory.
const maxLine = 16 << 20

func main() {
	file := flag.String("o", "", "also write the totals to this file")
	flag.Parse()
	ok, err := run(os.Stdin, os.Stdout, *file)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, file string) (ok bool, err error) {
	s := newSummary(out)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		s.line(lines.Text())
	}
	if err := lines.Err(); err != nil {
		return false, fmt.Errorf("read test output: %w", err)
	}
	s.print(s.totals())
	if file != "" {
		if err := os.WriteFile(file, []byte(s.totals()), 0o644); err != nil {
			return false, fmt.Errorf("write totals: %w", err)
		}
	}
	return s.ok(), nil
}
