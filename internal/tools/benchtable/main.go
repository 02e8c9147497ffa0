package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	strict := flag.Bool("strict", false, "exit 1 when a target is missed")
	flag.Parse()
	missed, err := run(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchtable:", err)
		os.Exit(1)
	}
	if missed > 0 {
		fmt.Fprintf(os.Stderr, "benchtable: %d targets missed\n", missed)
		if *strict {
			os.Exit(1)
		}
	}
}

func run(in io.Reader, out io.Writer) (missed int, err error) {
	results, err := parse(in)
	if err != nil {
		return 0, err
	}
	if len(results) == 0 {
		return 0, errors.New("no benchmark in the input: pipe `go test -bench=.` into it")
	}
	return write(out, rows(results))
}
