package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

// printJSON prints one document.
func (e *env) printJSON(v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	_, err = fmt.Fprintf(e.stdout, "%s\n", text)
	return err
}

// printLine prints one line of JSON, of many.
func (e *env) printLine(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	_, err = fmt.Fprintf(e.stdout, "%s\n", text)
	return err
}

// printTable prints rows with aligned columns; the first row is the head.
func (e *env) printTable(rows [][]string) error {
	w := tabwriter.NewWriter(trimmer{e}, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(r, "\t"))
	}
	return w.Flush()
}

// trimmer cuts the blanks that a table leaves at the ends of its lines.
type trimmer struct{ e *env }

func (t trimmer) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		end := ""
		if strings.HasSuffix(line, "\n") {
			line, end = line[:len(line)-1], "\n"
			line = strings.TrimRight(line, " ")
		}
		if _, err := fmt.Fprint(t.e.stdout, line, end); err != nil {
			return 0, err
		}
	}
	return len(text), nil
}

// hertz prints a rate as people read it.
func hertz(rate float64) string {
	switch {
	case rate == 0:
		return "-"
	case rate < 9.95:
		return fmt.Sprintf("%.2f Hz", rate)
	default:
		return fmt.Sprintf("%.1f Hz", rate)
	}
}

// short prints a duration with about three digits.
func short(d time.Duration) string {
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= unit {
			return d.Round(unit / 100).String()
		}
	}
	return d.String()
}

// orDash prints a dash for nothing.
func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
