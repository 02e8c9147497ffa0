package teleop

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of text from the client, in characters (Unicode code points), from the protocol documents.
const (
	MaxName        = 64
	MaxDescription = 1000
	MaxSay         = 1000
	MaxNarration   = 2000
	MaxQuestion    = 500
)

// A Form is a rule for text that names something. Text of the wrong form is refused: cutting it would name something else.
type Form uint8

// The forms of text.
const (
	FormFree  Form = iota // anything; cut to the limit
	FormID                // a site, POI or tour: a-z, 0-9, _ and -, at most 48 characters, the first a letter or digit
	FormWord              // a finding type: a-z, 0-9 and _
	FormRoute             // a .csv path without ".."
)

// An ArgSpec describes one argument of a command.
type ArgSpec struct {
	Name     string
	Kind     Kind
	Required bool
	// Min and Max bound a number, and the length of a list.
	Min, Max float64
	Unit     string
	// Limit is the most characters of a text, Form its rule, and Empty allows "", which otherwise counts as absent.
	Limit int
	Form  Form
	Empty bool
	// OneOf lists every value that a text may have.
	OneOf []string
	// Default is used when the argument is absent; null means none.
	Default Value
	// Fields describe an object, or each object of a list. A list without Fields is one of texts that follow Limit and Form.
	Fields []ArgSpec
}

// ArgError is the fault of one argument, in words for the operator.
type ArgError struct {
	Arg     string // its path, as in poi.dwell; empty for the arguments as a whole
	Problem string
}

func (e *ArgError) Error() string {
	if e.Arg == "" {
		return e.Problem
	}
	return e.Arg + " " + e.Problem
}

// checkArgs returns the arguments that specs name, normalised, or the first fault.
func checkArgs(given Args, specs []ArgSpec) (Args, error) {
	var out Args
	for i := range specs {
		spec := &specs[i]
		v, ok := given.Get(spec.Name)
		if ok && v.kind == KindText {
			v.text = trim(v.text)
			ok = v.text != "" || spec.Empty
		}
		switch {
		case ok && v.kind != KindNull:
			checked, err := spec.check(v)
			if err != nil {
				return nil, within(spec.Name, err)
			}
			out = append(out, Arg{spec.Name, checked})
		case spec.Required:
			return nil, &ArgError{spec.Name, "is missing"}
		case spec.Default.kind != KindNull:
			out = append(out, Arg{spec.Name, spec.Default})
		}
	}
	return out, nil
}

// within puts the name of an argument before the path in err.
func within(name string, err error) error {
	var fault *ArgError
	if !errors.As(err, &fault) {
		return &ArgError{name, err.Error()}
	}
	if fault.Arg != "" {
		name += "." + fault.Arg
	}
	return &ArgError{name, fault.Problem}
}

func (s *ArgSpec) check(v Value) (Value, error) {
	if v.kind != s.Kind {
		return Value{}, &ArgError{"", "must be " + kindName(s.Kind)}
	}
	switch s.Kind {
	case KindText:
		return s.checkText(v.text)
	case KindNumber:
		return s.checkNumber(v)
	case KindObject:
		fields, err := checkArgs(v.object, s.Fields)
		return Object(fields), err
	case KindList:
		return s.checkList(v.list)
	default:
		return v, nil
	}
}

func kindName(k Kind) string {
	switch k {
	case KindText:
		return "a text"
	case KindNumber:
		return "a number"
	case KindFlag:
		return "true or false"
	case KindList:
		return "a list"
	case KindObject:
		return "an object"
	default:
		return "null"
	}
}

func (s *ArgSpec) checkNumber(v Value) (Value, error) {
	if math.IsNaN(v.number) || math.IsInf(v.number, 0) {
		return Value{}, &ArgError{"", "must be a finite number"}
	}
	if (s.Min != 0 || s.Max != 0) && (v.number < s.Min || v.number > s.Max) {
		return Value{}, &ArgError{"", strings.TrimSpace(fmt.Sprintf("must be %g to %g %s", s.Min, s.Max, s.Unit))}
	}
	return v, nil
}

func (s *ArgSpec) checkList(list []Value) (Value, error) {
	if n := float64(len(list)); n < s.Min || n > s.Max {
		return Value{}, &ArgError{"", fmt.Sprintf("must have %g to %g entries", s.Min, s.Max)}
	}
	item := ArgSpec{Kind: KindText, Limit: s.Limit, Form: s.Form}
	if s.Fields != nil {
		item = ArgSpec{Kind: KindObject, Fields: s.Fields}
	}
	out := make([]Value, len(list))
	for i, v := range list {
		checked, err := item.check(v)
		if err != nil {
			return Value{}, within(fmt.Sprintf("entry %d", i+1), err)
		}
		out[i] = checked
	}
	return List(out...), nil
}

func (s *ArgSpec) checkText(text string) (Value, error) {
	text = trim(text)
	if s.Form == FormFree {
		text = cut(text, s.Limit)
	}
	switch {
	case s.OneOf != nil && !slices.Contains(s.OneOf, text):
		return Value{}, &ArgError{"", "must be one of " + strings.Join(s.OneOf, ", ")}
	case text == "" && s.Empty:
		return Text(""), nil
	case s.Form == FormID && !isID(text):
		return Value{}, &ArgError{"", "must be 1 to 48 of a-z, 0-9, _ and -, beginning with a letter or digit"}
	case s.Form == FormWord && !isWord(text, s.Limit):
		return Value{}, &ArgError{"", fmt.Sprintf("must be 1 to %d of a-z, 0-9 and _", s.Limit)}
	case s.Form == FormRoute && !isRoute(text, s.Limit):
		return Value{}, &ArgError{"", "must be the path of a .csv file inside the sites directory"}
	}
	return Text(text), nil
}

const maxID = 48

func isID(s string) bool {
	return isWord(strings.ReplaceAll(s, "-", "_"), maxID) && s[0] != '-' && s[0] != '_'
}

func isWord(s string, most int) bool {
	if s == "" || len(s) > most {
		return false
	}
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

func isRoute(s string, most int) bool {
	if utf8.RuneCountInString(s) > most || !strings.HasSuffix(s, ".csv") || strings.ContainsFunc(s, unicode.IsControl) {
		return false
	}
	return !slices.Contains(strings.FieldsFunc(s, func(r rune) bool { return r == '/' || r == '\\' }), "..")
}

// trim removes white space and control characters at both ends, and control characters other than tab and newline from within.
func trim(s string) string {
	s = strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	if !strings.ContainsFunc(s, isNoise) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if isNoise(r) {
			return -1
		}
		return r
	}, s)
}

func isNoise(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// cut keeps the first n characters (code points) and trims what the cut left at the end. No limit is 0.
func cut(s string, n int) string {
	if n <= 0 || len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return strings.TrimRightFunc(s[:i], unicode.IsSpace)
		}
		n--
	}
	return s
}
