// Command slambench runs the SLAM engine, in its default configuration, on CARMEN logs with relations: as they are, and made harder. It prints
// how exact and how fast each run was as a Markdown table, and writes a picture of each map. `make slam-bench` calls it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sarathi/internal/algo/carmen"
	"sarathi/internal/algo/slameval"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "slambench:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, args []string) error {
	flags := flag.NewFlagSet("slambench", flag.ContinueOnError)
	dir := flags.String("dir", "../shared/data/slam", "folder with NAME.clf and NAME*.relations")
	out := flags.String("out", "", "folder for maps and trajectories; none are written without")
	only := flags.String("logs", "", "names of logs, separated by commas; all without")
	hard := flags.String("variants", "plain", "ways to make the logs harder, separated by commas, or all")
	if err := flags.Parse(args); err != nil {
		return err
	}
	logs, err := filepath.Glob(filepath.Join(*dir, "*.clf"))
	if err != nil {
		return err
	}
	if len(logs) == 0 {
		return fmt.Errorf("%s: no log: name a folder with .clf files", *dir)
	}
	fmt.Fprintln(w, "| log | variant | relations | trans. m | rot. ° | at odometry m | front ms/scan | worst ms | total ms/scan | memory MB | loops |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|")
	var faults []error
	for _, path := range logs {
		name := strings.TrimSuffix(filepath.Base(path), ".clf")
		if *only != "" && !slices.Contains(strings.Split(*only, ","), name) {
			continue
		}
		log, err := carmen.Load(path)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		for _, v := range variants() {
			if *hard == "all" || slices.Contains(strings.Split(*hard, ","), v.name) {
				faults = append(faults, bench(w, log, v, *dir, name, *out))
			}
		}
	}
	return errors.Join(faults...)
}

// bench runs one variant of one log and prints its rows.
func bench(w io.Writer, log *carmen.Log, v variant, dir, name, out string) error {
	in := v.change(plain(log))
	res := drive(in)
	if out != "" {
		if err := res.write(filepath.Join(out, name+"-"+v.name)); err != nil {
			return err
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, name+"*.relations"))
	if err != nil {
		return err
	}
	for _, f := range files {
		rep, dense, err := res.measure(in, f, v.backwards)
		if err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		fmt.Fprintf(w, "| %s | %s | %d | %.4f ± %.4f | %.3f | %.4f | %.2f | %.1f | %.2f | %.0f | %d |\n",
			strings.TrimSuffix(filepath.Base(f), ".relations"), v.name, rep.Relations, rep.Translation.Mean, rep.Translation.Std, rep.Rotation.Mean,
			dense.Translation.Mean, res.front, res.worst, res.total, res.memory, res.stats.Closures)
	}
	return nil
}

func readRelations(path string) ([]slameval.Relation, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	rel, err := slameval.ReadRelations(f)
	return rel, errors.Join(err, f.Close())
}
