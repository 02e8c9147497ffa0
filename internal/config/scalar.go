package config

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// splitUnit takes "1.5 m/s" apart. The number alone is what configuration wants: SI units, no suffix.
func splitUnit(text string) (number, unit string, ok bool) {
	end := 0
	for end < len(text) && strings.IndexByte("+-.0123456789eE", text[end]) >= 0 {
		end++
	}
	for ; end > 0; end-- { // gives back an 'e' or '-' that belongs to the unit
		if isNumber(text[:end]) {
			return text[:end], strings.TrimSpace(text[end:]), true
		}
	}
	return "", "", false
}

// numberSyntax is a decimal number as YAML and JSON write it; no hexadecimal, no underscores, no infinities.
var numberSyntax = regexp.MustCompile(`^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$`)

func isNumber(text string) bool { return numberSyntax.MatchString(text) }

// setScalar stores a scalar in v, which is addressable. The error says what to write instead.
func setScalar(v reflect.Value, n *value, unit string) error {
	t := v.Type()
	switch {
	case t == durationType():
		d, err := parseDuration(n.text)
		if err != nil {
			return err
		}
		v.SetInt(int64(d))
		return nil
	case isText(t):
		u, ok := reflect.TypeAssert[encoding.TextUnmarshaler](v.Addr())
		if !ok {
			return fmt.Errorf("cannot be read as %s", t)
		}
		return u.UnmarshalText([]byte(n.text))
	}
	switch t.Kind() {
	case reflect.String:
		if !n.quoted && looksTyped(n.text) {
			return fmt.Errorf("%s is not text: write %q", n.text, n.text)
		}
		v.SetString(n.text)
		return nil
	case reflect.Bool:
		return setBool(v, n)
	case reflect.Float32, reflect.Float64:
		return setFloat(v, n, unit)
	default:
		return setInteger(v, n, unit)
	}
}

// looksTyped reports whether an unquoted scalar is a number or a truth value.
func looksTyped(text string) bool {
	return text == "true" || text == "false" || isNumber(text)
}

func setBool(v reflect.Value, n *value) error {
	if n.quoted {
		return fmt.Errorf("%q is text: write true or false without quotes", n.text)
	}
	switch n.text {
	case "true":
		v.SetBool(true)
	case "false":
		v.SetBool(false)
	default:
		switch strings.ToLower(n.text) {
		case "yes", "on", "y", "1", "true":
			return fmt.Errorf("%s is not a truth value: write true", n.text)
		case "no", "off", "n", "0", "false":
			return fmt.Errorf("%s is not a truth value: write false", n.text)
		}
		return fmt.Errorf("%q is not a truth value: write true or false", n.text)
	}
	return nil
}

func setFloat(v reflect.Value, n *value, unit string) error {
	if err := wantNumber(n, unit); err != nil {
		return err
	}
	f, err := strconv.ParseFloat(n.text, v.Type().Bits())
	if err != nil {
		return fmt.Errorf("%s does not fit a number", n.text)
	}
	v.SetFloat(f)
	return nil
}

func setInteger(v reflect.Value, n *value, unit string) error {
	if err := wantNumber(n, unit); err != nil {
		return err
	}
	if strings.ContainsAny(n.text, ".eE") {
		if f, err := strconv.ParseFloat(n.text, 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return fmt.Errorf("%s is not written as a whole number: write %d", n.text, int64(f))
		}
		return fmt.Errorf("%s is not a whole number", n.text)
	}
	digits := strings.TrimPrefix(n.text, "+")
	if v.CanInt() {
		i, err := strconv.ParseInt(digits, 10, v.Type().Bits())
		if err != nil {
			return fmt.Errorf("%s is too large", n.text)
		}
		v.SetInt(i)
		return nil
	}
	if strings.HasPrefix(digits, "-") {
		return fmt.Errorf("%s is negative: write 0 or more", n.text)
	}
	u, err := strconv.ParseUint(digits, 10, v.Type().Bits())
	if err != nil {
		return fmt.Errorf("%s is too large", n.text)
	}
	v.SetUint(u)
	return nil
}

// wantNumber explains what is not a finite decimal number.
func wantNumber(n *value, unit string) error {
	if n.quoted {
		if isNumber(n.text) {
			return fmt.Errorf("%q is text: write %s without quotes", n.text, n.text)
		}
		return fmt.Errorf("%q is text where a number is wanted", n.text)
	}
	if isNumber(n.text) {
		return nil
	}
	switch strings.TrimLeft(strings.ToLower(n.text), "+-.") {
	case "nan", "inf", "infinity":
		return fmt.Errorf("%s is not finite: write a finite number", n.text)
	}
	if number, given, ok := splitUnit(n.text); ok && number != "" {
		switch {
		case unit == given && unit != "":
			return fmt.Errorf("%s has a unit: write %s (it is in %s already)", n.text, number, unit)
		case unit != "":
			return fmt.Errorf("%s has the unit %s: write a plain number in %s", n.text, given, unit)
		default:
			return fmt.Errorf("%s is not a plain number: write it in SI units without a suffix", n.text)
		}
	}
	return fmt.Errorf("%q is not a number", n.text)
}

// parseDuration reads "250ms", "1.5s", "2m30s". A bare number is refused, since nobody can tell which unit was meant.
func parseDuration(text string) (time.Duration, error) {
	if isNumber(text) {
		if f, err := strconv.ParseFloat(text, 64); err == nil && f != math.Trunc(f) && math.Abs(f) < 1e6 {
			seconds := time.Duration(math.Round(f * float64(time.Second)))
			return 0, fmt.Errorf("%s has no unit: write 250ms or 5s (%s s would be %s)", text, text, seconds)
		}
		return 0, fmt.Errorf("%s has no unit: write %sms or %ss", text, text, text)
	}
	d, err := time.ParseDuration(text)
	if err == nil {
		return d, nil
	}
	if number, unit, ok := splitUnit(text); ok {
		if d, err := time.ParseDuration(number + durationUnit(unit)); err == nil {
			return 0, fmt.Errorf("%q is not a duration: write %s", text, d)
		}
	}
	return 0, fmt.Errorf("%q is not a duration: write one like 250ms, 1.5s or 2m30s", text)
}

// durationUnit maps the usual spellings of a unit of time to Go's.
func durationUnit(unit string) string {
	switch strings.ToLower(unit) {
	case "msec", "millis", "milliseconds", "millisecond", "ms":
		return "ms"
	case "sec", "secs", "second", "seconds", "s":
		return "s"
	case "min", "mins", "minute", "minutes", "m":
		return "m"
	case "hr", "hrs", "hour", "hours", "h":
		return "h"
	default:
		return "?"
	}
}

// toJSON renders a value as JSON, keeping every digit of its numbers.
func toJSON(n *value) json.RawMessage {
	return appendJSON(nil, n)
}

func appendJSON(out []byte, n *value) []byte {
	switch n.kind {
	case kindMapping:
		out = append(out, '{')
		for i, f := range n.fields {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendJSONText(out, f.key), ':')
			out = appendJSON(out, f.value)
		}
		return append(out, '}')
	case kindSequence:
		out = append(out, '[')
		for i, item := range n.items {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendJSON(out, item)
		}
		return append(out, ']')
	case kindNull:
		return append(out, "null"...)
	case kindScalar:
		if !n.quoted && (n.text == "true" || n.text == "false" || json.Valid([]byte(n.text)) && isNumber(n.text)) {
			return append(out, n.text...)
		}
		if f, err := strconv.ParseFloat(n.text, 64); err == nil && !n.quoted && isNumber(n.text) {
			return strconv.AppendFloat(out, f, 'g', -1, 64) // a spelling that JSON lacks: +1, .5, 07
		}
	}
	return appendJSONText(out, n.text)
}

func appendJSONText(out []byte, s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		return append(out, `""`...) // a string always marshals
	}
	return append(out, b...)
}
