package config

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Problems collects what is wrong with a Config, one line per rule. The zero value is ready.
//
// Paths are the Config's own YAML keys. Every rule about a number also refuses NaN and infinities.
type Problems struct {
	list []error
}

// Err returns all that was collected, joined, or nil. Each is a [*FieldError] and matches [ErrInvalid].
func (p *Problems) Err() error { return errors.Join(p.list...) }

// Addf reports that the field at path is wrong. Say what is wrong, then what to write: "overlaps remote: give it another port".
func (p *Problems) Addf(path, format string, args ...any) {
	p.list = append(p.list, &FieldError{Path: path, Text: fmt.Sprintf(format, args...)})
}

// Require reports a relation between fields that does not hold.
func (p *Problems) Require(holds bool, path, format string, args ...any) {
	if !holds {
		p.Addf(path, format, args...)
	}
}

// InRange wants lo ≤ v ≤ hi. unit is printed; it is empty for a ratio or a count.
func (p *Problems) InRange(path string, v, lo, hi float64, unit string) {
	if p.Finite(path, v) && (v < lo || v > hi) {
		p.Addf(path, "%s is out of range %s..%s: write a value between them",
			quantity(v, unit), quantity(lo, ""), quantity(hi, unit))
	}
}

// AtLeast wants v ≥ lo.
func (p *Problems) AtLeast(path string, v, lo float64, unit string) {
	if p.Finite(path, v) && v < lo {
		p.Addf(path, "%s is too small: write %s or more", quantity(v, unit), quantity(lo, unit))
	}
}

// Positive wants v > 0.
func (p *Problems) Positive(path string, v float64, unit string) {
	if p.Finite(path, v) && v <= 0 {
		p.Addf(path, "%s is not positive: write a value above 0", quantity(v, unit))
	}
}

// Finite refuses NaN and infinities and reports whether all values are fine.
func (p *Problems) Finite(path string, values ...float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			p.Addf(path, "%s", notFinite(v))
			return false
		}
	}
	return true
}

// IntInRange wants lo ≤ v ≤ hi: a port, a count, the length of a list.
func (p *Problems) IntInRange(path string, v, lo, hi int) {
	if v < lo || v > hi {
		p.Addf(path, "%d is out of range %d..%d: write a whole number between them", v, lo, hi)
	}
}

// DurationInRange wants lo ≤ v ≤ hi.
func (p *Problems) DurationInRange(path string, v, lo, hi time.Duration) {
	if v < lo || v > hi {
		p.Addf(path, "%s is out of range %s..%s: write a duration between them", v, lo, hi)
	}
}

// NotEmpty wants text that is more than blanks.
func (p *Problems) NotEmpty(path, v string) {
	if strings.TrimSpace(v) == "" {
		p.Addf(path, "is empty: write a value")
	}
}

// OneOf wants one of the allowed words.
func (p *Problems) OneOf(path, v string, allowed ...string) {
	if slices.Contains(allowed, v) {
		return
	}
	if near := nearest(v, allowed); near != "" {
		p.Addf(path, "%q is not known: did you mean %s? (one of %s)", v, near, strings.Join(allowed, ", "))
		return
	}
	p.Addf(path, "%q is not known: write one of %s", v, strings.Join(allowed, ", "))
}

// Nested takes over what the Validate of a part at path found. Decode asks the parts by itself; this is for a Config that is
// checked without Decode, as by New. A fault that both report is printed once.
func (p *Problems) Nested(path string, err error) {
	for _, e := range flatten(err) {
		p.list = append(p.list, &FieldError{Path: join(path, e.Path), Text: e.Text})
	}
}

func notFinite(v float64) string { return fmt.Sprintf("%g is not finite: write a finite number", v) }

// quantity prints v as a user would write it, with its unit.
func quantity(v float64, unit string) string {
	s := formatFloat(v, 64)
	if unit != "" {
		s += " " + unit
	}
	return s
}
