package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ours is the name of the sub-benchmark that runs our code.
const ours = "sarathi"

// A row is one line of the table.
type row struct {
	name, value, yardstick, ratio, target, verdict string
}

// rows compares each benchmark with its yardsticks and its targets.
func rows(results []*result) []row {
	var out []row
	for _, r := range results {
		parent, leaf := split(r.name)
		if leaf != ours && hasOurs(results, r.pkg, parent) {
			continue // a yardstick: it appears beside ours
		}
		name := shortPackage(r.pkg) + " " + r.name
		if leaf == ours {
			name = shortPackage(r.pkg) + " " + parent
		}
		compared := false
		if leaf == ours {
			for _, y := range results {
				if p, l := split(y.name); y.pkg == r.pkg && p == parent && l != ours {
					out = append(out, compare(name, r, y, l))
					compared = true
				}
			}
		}
		for _, m := range r.metrics {
			if line, ok := single(name, r, m, compared); ok {
				out = append(out, line)
			}
		}
	}
	return out
}

func compare(name string, r, yardstick *result, who string) row {
	value, _ := r.metric("ns/op")
	other, _ := yardstick.metric("ns/op")
	ratio := other / value
	out := row{
		name: name, value: quantity(value, "ns/op"), yardstick: who + " " + quantity(other, "ns/op"), ratio: fmt.Sprintf("%.2f×", ratio),
	}
	out.target, out.verdict = judge(r, "ratio", ratio)
	return out
}

// single is the row of one metric: all but targets, what compare has shown, and the memory columns nobody set a target for.
func single(name string, r *result, m metric, compared bool) (row, bool) {
	if strings.HasSuffix(m.unit, ":min") || strings.HasSuffix(m.unit, ":max") {
		return row{}, false
	}
	target, verdict := judge(r, m.unit, m.value)
	switch m.unit {
	case "ns/op":
		if compared && target == "" {
			return row{}, false
		}
	case "B/op", "allocs/op":
		if target == "" {
			return row{}, false
		}
	}
	return row{name: name, value: quantity(m.value, m.unit), target: target, verdict: verdict}, true
}

// judge looks for the target of a unit and says whether value meets it.
func judge(r *result, unit string, value float64) (target, verdict string) {
	sign := map[bool]string{true: "ok", false: "MISS"}
	if limit, ok := r.metric(unit + ":max"); ok {
		return "≤ " + quantity(limit, unit), sign[value <= limit]
	}
	if limit, ok := r.metric(unit + ":min"); ok {
		return "≥ " + quantity(limit, unit), sign[value >= limit]
	}
	return "", ""
}

func split(name string) (parent, leaf string) {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return name, ""
	}
	return name[:i], name[i+1:]
}

func hasOurs(results []*result, pkg, parent string) bool {
	for _, r := range results {
		if r.pkg == pkg && r.name == parent+"/"+ours {
			return true
		}
	}
	return false
}

func shortPackage(pkg string) string {
	pkg = strings.TrimPrefix(pkg, "sarathi/")
	return strings.TrimPrefix(pkg, "internal/")
}

// quantity prints a measured value: times in the unit that suits them, everything else with three digits.
func quantity(v float64, unit string) string {
	per := ""
	switch {
	case unit == "ratio":
		return digits(v) + "×"
	case unit == "ns/op":
		per = ""
	case strings.HasSuffix(unit, "-ns"):
		per = " " + strings.TrimSuffix(unit, "-ns")
	default:
		return digits(v) + " " + unit
	}
	for _, u := range []struct {
		name  string
		scale float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if math.Abs(v) >= u.scale {
			return digits(v/u.scale) + " " + u.name + per
		}
	}
	return digits(v) + " ns" + per
}

// digits prints three significant digits, and whole numbers in full.
func digits(v float64) string {
	if v == math.Trunc(v) || math.Abs(v) >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// write prints the table and returns the number of missed targets.
func write(out io.Writer, table []row) (missed int, err error) {
	lines := [][]string{{"benchmark", "value", "yardstick", "ratio", "target", ""}}
	for _, r := range table {
		lines = append(lines, []string{r.name, r.value, r.yardstick, r.ratio, r.target, r.verdict})
		if r.verdict == "MISS" {
			missed++
		}
	}
	widths := make([]int, len(lines[0]))
	for _, cells := range lines {
		for i, c := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(c), 3)
		}
	}
	var b strings.Builder
	for n, cells := range lines {
		for i, c := range cells {
			b.WriteString("| " + c + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c)+1))
		}
		b.WriteString("|\n")
		if n == 0 {
			for _, w := range widths {
				b.WriteString("|" + strings.Repeat("-", w+2))
			}
			b.WriteString("|\n")
		}
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return missed, fmt.Errorf("write the table: %w", err)
	}
	return missed, nil
}
