package main

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// values makes the parser read the values of flags and arguments by our rules and complain in our words. The tag range:"LO..HI" of a
// field limits what it takes; both ends belong to the range, and HI may be left out. A field that was not given stays zero, also
// where that is out of its range.
func values() kong.Option {
	return kong.OptionFunc(func(k *kong.Kong) error {
		return errors.Join(
			kong.KindMapper(reflect.String, kong.MapperFunc(readText)).Apply(k),
			kong.KindMapper(reflect.Int, ranged("a whole number", strconv.Atoi)).Apply(k),
			kong.KindMapper(reflect.Uint64, ranged("a whole number", func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) })).Apply(k),
			kong.KindMapper(reflect.Float64, ranged("a number", func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })).Apply(k),
			kong.TypeMapper(reflect.TypeFor[time.Duration](), ranged("a duration", parseDuration)).Apply(k),
		)
	})
}

func readText(ctx *kong.DecodeContext, target reflect.Value) error {
	text, err := word(ctx)
	target.SetString(text)
	return err
}

// ranged reads one kind of number. What is no number and what is out of range get the same answer, which says what is in range.
func ranged[T cmp.Ordered](kind string, parse func(string) (T, error)) kong.Mapper {
	return kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		text, err := word(ctx)
		if err != nil {
			return err
		}
		v, err := parse(text)
		if advice, ok := errors.AsType[adviceError](err); ok {
			return advice
		}
		lowest, highest, _ := strings.Cut(ctx.Value.Tag.Get("range"), "..")
		lo, noLo := parse(lowest)
		hi, noHi := parse(highest)
		if err != nil || noLo == nil && !(v >= lo) || noHi == nil && !(v <= hi) { // not in order includes NaN
			return fmt.Errorf("cannot be %s: write %s", quoted(text), inRange(kind, lowest, highest))
		}
		target.Set(reflect.ValueOf(v).Convert(target.Type()))
		return nil
	})
}

func inRange(kind, lowest, highest string) string {
	if lowest != "" {
		kind += " from " + lowest
	}
	if highest != "" {
		kind += " to " + highest
	}
	return kind
}

// adviceError says what to write instead of one particular value.
type adviceError string

func (a adviceError) Error() string { return string(a) }

func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err == nil {
		return d, nil
	}
	if _, bare := strconv.ParseFloat(text, 64); bare == nil {
		return 0, adviceError(fmt.Sprintf("%s has no unit: write %[1]ss for seconds, or %[1]sms", text))
	}
	return 0, err
}

// word takes the text of a value. What looks like a flag is one, except a negative number, which gets a better answer as a value.
func word(ctx *kong.DecodeContext) (string, error) {
	next := ctx.Scan.Peek()
	text, _ := next.Value.(string)
	negative := len(text) > 1 && text[0] == '-' && strings.ContainsRune(".0123456789", rune(text[1]))
	if next.IsEOL() || !next.IsValue() && !negative {
		name := ctx.Value.Name
		if ctx.Value.Flag != nil {
			name = fmt.Sprintf("--%s %s", name, ctx.Value.Flag.FormatPlaceHolder())
		}
		return "", fmt.Errorf("has no value: write %s", name)
	}
	ctx.Scan.Pop()
	return text, nil
}

// quoted shows text as it was written where nothing in it can be misread.
func quoted(text string) string {
	if text == "" || strings.ContainsAny(text, " \"") {
		return strconv.Quote(text)
	}
	return printable(text)
}
