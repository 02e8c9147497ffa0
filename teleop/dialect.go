package teleop

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The names by which profiles and command lines choose a dialect.
const (
	MollyName     = "molly"
	PashupatiName = "pashupati"
)

// A Stream is one of the binary streams.
type Stream uint8

// The streams and their numbers on the wire. Pashupati has the first three.
const (
	StreamCamera Stream = 1 // one JPEG image
	StreamLidar  Stream = 2 // points, see AppendLidarPoint
	StreamRoute  Stream = 3 // see AppendRoute
	StreamMap    Stream = 4 // see AppendMap
	StreamSite   Stream = 5 // see AppendSite

	streamCount = 6
)

func (s Stream) String() string {
	names := [streamCount]string{"none", "camera", "lidar", "route", "map", "site"}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("stream %d", uint8(s))
}

// A CommandSpec describes one command.
type CommandSpec struct {
	Name string
	Args []ArgSpec
	// Node is what carries the command out, for the message that says it is missing.
	Node string
	// Slow commands are first answered with ok null.
	Slow bool
	// Resend is the stream that the session itself sends again; such a command has no other effect.
	Resend Stream
	// Check decides what no single argument shows; nil: nothing.
	Check func(Args) error
}

// A Dialect is a protocol as data. [Molly] and [Pashupati] make the two there are; treat them as read-only.
type Dialect struct {
	Name  string
	Port  uint16  // of the robot
	Magic [4]byte // of stream datagrams
	// Protocol is welcome.protocol; empty: the field does not exist.
	Protocol string
	// Guide says that welcome has gestures and features, and the beacon has the site.
	Guide bool
	// Commands is the table of commands, in the document's order, without the robot driver's own.
	Commands []CommandSpec
	fields   record[State]
	// Streams there are.
	Streams []Stream
}

// Dialects returns both dialects.
func Dialects() []*Dialect { return []*Dialect{Molly(), Pashupati()} }

// DialectByName returns the named dialect.
func DialectByName(name string) (*Dialect, error) {
	switch name {
	case MollyName:
		return Molly(), nil
	case PashupatiName:
		return Pashupati(), nil
	default:
		return nil, fmt.Errorf("dialect %q: it must be %s or %s", name, MollyName, PashupatiName)
	}
}

// Command returns the description of a command, or nil.
func (d *Dialect) Command(name string) *CommandSpec {
	for i := range d.Commands {
		if d.Commands[i].Name == name {
			return &d.Commands[i]
		}
	}
	return nil
}

// StateFields are the names of the fields of state, in the document's order.
func (d *Dialect) StateFields() []string {
	var names []string
	for _, f := range d.fields {
		names = append(names, f.name)
	}
	return names
}

// AppendState appends a state message: every field of the dialect and no other, null where its source is not running.
func (d *Dialect) AppendState(dst []byte, st *State) []byte {
	dst = append(dst, `{"t":"state"`...)
	start := len(dst)
	dst = d.fields.append(dst, st)
	dst[start] = ',' // the record's brace
	return dst
}

// ParseState reads a state message. Fields of the wrong type count as null. The error wraps [ErrMalformed].
func (d *Dialect) ParseState(data []byte) (*State, error) {
	root, err := parseTyped(data, "state")
	if err != nil {
		return nil, err
	}
	st := &State{}
	d.fields.parse(st, root)
	return st, nil
}

// HasStream reports whether the dialect has the stream.
func (d *Dialect) HasStream(s Stream) bool { return slices.Contains(d.Streams, s) }

// Check returns the arguments of a command normalised as the robot will see them, or an [ArgError].
// A command that the table does not name (the robot driver's) has no arguments.
func (d *Dialect) Check(name string, given Args) (Args, error) {
	spec := d.Command(name)
	if spec == nil {
		return nil, nil
	}
	args, err := checkArgs(given, spec.Args)
	if err == nil && spec.Check != nil {
		err = spec.Check(args)
	}
	return args, err
}

// ParseArgs reads arguments as a person types them, "key=value", by the types in the table. Lists are separated by commas; objects
// and lists of objects are JSON, and so is every argument of a command that the table does not name.
func (d *Dialect) ParseArgs(name string, words []string) (Args, error) {
	spec := d.Command(name)
	var args Args
	for _, word := range words {
		key, text, ok := strings.Cut(word, "=")
		if !ok {
			return nil, fmt.Errorf("argument %q of %s: write it as key=value", word, name)
		}
		v, err := parseWord(argSpec(spec, key), text)
		if err != nil {
			return nil, fmt.Errorf("argument %s of %s: %w", key, name, err)
		}
		args = args.With(key, v)
	}
	return args, nil
}

func argSpec(spec *CommandSpec, key string) *ArgSpec {
	if spec == nil {
		return nil
	}
	for i := range spec.Args {
		if spec.Args[i].Name == key {
			return &spec.Args[i]
		}
	}
	return nil
}

func parseWord(spec *ArgSpec, text string) (Value, error) {
	switch {
	case spec == nil || spec.Kind == KindObject || spec.Fields != nil:
		var doc document
		root, err := doc.parse([]byte(`{"v":` + text + `}`))
		if err != nil {
			return Value{}, fmt.Errorf("%q is not JSON", text)
		}
		return root.get("v").copied(), nil
	case spec.Kind == KindNumber:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return Value{}, fmt.Errorf("%q is not a number", text)
		}
		return Number(f), nil
	case spec.Kind == KindFlag:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return Value{}, fmt.Errorf("%q is not true or false", text)
		}
		return Flag(b), nil
	case spec.Kind == KindList:
		return Texts(strings.Split(text, ",")...), nil
	default:
		return Text(text), nil
	}
}
