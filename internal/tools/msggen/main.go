// Command msggen generates the Go message packages from the interface definitions.
//
//	msggen -interfaces interfaces -out msg
//
// It writes files that changed, deletes generated files whose definition is gone, and leaves other files alone.
// Malformed definitions are listed as file:line: what, and the exit code is 2; nothing is written then.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"sarathi/internal/idl"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with its surroundings as arguments; it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("msggen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	interfaces := flags.String("interfaces", "interfaces", "folder of the definitions: <ros package>/{msg,srv,action,ros1}/Name.*")
	out := flags.String("out", "msg", "folder of the Go packages")
	module := flags.String("module", "sarathi/msg", "import path of that folder")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "msggen: unexpected argument %q: everything is a flag, see -help\n", flags.Arg(0))
		return 2
	}
	tree, err := idl.LoadTree(os.DirFS(*interfaces), filepath.Base(*interfaces))
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	if len(tree.Interfaces) == 0 {
		fmt.Fprintf(stderr, "msggen: no definitions below %s: give their folder with -interfaces\n", *interfaces)
		return 2
	}
	files, err := idl.Emit(tree, *module)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	changed, err := update(*out, files)
	if err != nil {
		fmt.Fprintln(stderr, "msggen:", err)
		return 1
	}
	fmt.Fprintf(stdout, "msggen: %d files, %d changed\n", len(files), changed)
	return 0
}
