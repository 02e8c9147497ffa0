package teleop

import (
	"fmt"

	"sarathi/internal/wire"
)

func (d *Dialect) appendWelcome(dst []byte, cfg *Config) []byte {
	dst = appendMember(append(dst, `{"t":"welcome"`...), "name", wire.JSONString, cfg.Name)
	if d.Protocol != "" {
		dst = appendMember(dst, "protocol", wire.JSONString, d.Protocol)
	}
	dst = appendMember(dst, "commands", wire.JSONStrings, d.offered(cfg))
	dst = appendMember(dst, "robot_commands", wire.JSONStrings, cfg.RobotCommands)
	if d.Guide {
		dst = appendMember(dst, "gestures", wire.JSONStrings, cfg.Gestures)
		dst = appendMember(dst, "features", wire.JSONStrings, cfg.Features)
	}
	dst = appendNumbers(append(dst, `,"limits":`...), cfg.Limits.VX, cfg.Limits.VY, cfg.Limits.WZ)
	if cfg.Video.Port != 0 {
		dst = appendInt(append(dst, `,"video":{"port":`...), cfg.Video.Port)
		dst = append(appendMember(dst, "path", wire.JSONString, cfg.Video.Path), '}')
	}
	return append(dst, '}')
}

// offered are the commands that the robot carries out, in the table's order, then the driver's.
func (d *Dialect) offered(cfg *Config) []string {
	has := map[string]bool{}
	for _, name := range cfg.Commands {
		has[name] = true
	}
	var names []string
	for i := range d.Commands {
		if has[d.Commands[i].Name] {
			names = append(names, d.Commands[i].Name)
		}
	}
	return append(names, cfg.RobotCommands...)
}

// A Welcome is the robot's answer to hello.
type Welcome struct {
	Name, Protocol                              string
	Commands, RobotCommands, Gestures, Features []string
	Limits                                      Velocity
	Video                                       Video
}

// ParseWelcome reads a welcome. The error wraps [ErrMalformed].
func ParseWelcome(data []byte) (*Welcome, error) {
	root, err := parseTyped(data, "welcome")
	if err != nil {
		return nil, err
	}
	return welcomeOf(root), nil
}

func welcomeOf(root value) *Welcome {
	w := &Welcome{
		Name: root.get("name").text(), Protocol: root.get("protocol").text(),
		Commands: root.get("commands").texts(), RobotCommands: root.get("robot_commands").texts(),
		Gestures: root.get("gestures").texts(), Features: root.get("features").texts(),
	}
	if n, ok := numbers(root.get("limits"), 3); ok {
		w.Limits = Velocity{VX: n[0], VY: n[1], WZ: n[2]}
	}
	port, _ := root.get("video").get("port").integer()
	w.Video = Video{int(port), root.get("video").get("path").text()}
	return w
}

// longestMsg bounds ack.msg [characters].
const longestMsg = 500

// appendAck appends an ack. One that does not fit into a datagram says so instead.
func appendAck(dst []byte, id int64, r Result) []byte {
	start := len(dst)
	if len(r.Data) > 0 && !validJSON(r.Data) {
		r = Result{Msg: "the robot's answer is not JSON"}
	}
	dst = wire.JSONInt(append(dst, `{"t":"ack","id":`...), id)
	dst = appendMember(dst, "ok", wire.JSONBool, r.OK)
	dst = appendMember(dst, "msg", wire.JSONString, cut(r.Msg, longestMsg))
	if len(r.Data) > 0 {
		dst = append(append(dst, `,"data":`...), r.Data...)
	}
	if dst = append(dst, '}'); len(dst)-start > MaxDatagram {
		msg := fmt.Sprintf("the answer of %d bytes does not fit into a datagram", len(r.Data))
		return appendAck(dst[:start], id, Result{OK: r.OK, Msg: msg})
	}
	return dst
}

func validJSON(data []byte) bool {
	var doc document
	wrapped := append(append([]byte(`{"v":`), data...), '}')
	root, err := doc.parse(wrapped)
	if err != nil {
		return false
	}
	// Exactly one member: data that closes the object and opens another is no value.
	members := 0
	for range root.members() {
		members++
	}
	return members == 1
}

// An Ack is the robot's answer to a command.
type Ack struct {
	ID      int64
	Pending bool // ok is null
	OK      bool
	Msg     string
	Data    []byte // JSON; nil: none
}

// ParseAck reads an ack. The error wraps [ErrMalformed].
func ParseAck(data []byte) (*Ack, error) {
	root, err := parseTyped(data, "ack")
	if err != nil {
		return nil, err
	}
	return ackOf(root)
}

func ackOf(root value) (*Ack, error) {
	a := &Ack{Msg: root.get("msg").text()}
	var ok bool
	if a.ID, ok = root.get("id").integer(); !ok {
		return nil, fmt.Errorf("%w: ack.id is missing or no whole number", ErrMalformed)
	}
	if a.OK, ok = root.get("ok").boolean(); !ok {
		if root.get("ok").kind() != kindNull || !root.get("ok").exists() {
			return nil, fmt.Errorf("%w: ack.ok is missing or neither true, false nor null", ErrMalformed)
		}
		a.Pending = true
	}
	if d := root.get("data"); d.exists() {
		a.Data = append([]byte(nil), d.quotedRaw()...)
	}
	return a, nil
}

// quotedRaw is the text of the value, of a string with its quotes.
func (v value) quotedRaw() []byte {
	n := v.node()
	if n.kind == kindString {
		return v.d.src[n.start-1 : n.end+1]
	}
	return v.d.src[n.start:n.end]
}

type beacon struct {
	name    string
	secured bool
	inUseBy string
	state   *State
}

func (d *Dialect) appendBeacon(dst []byte, b beacon) []byte {
	dst = appendMember(append(dst, `{"t":"beacon"`...), "name", wire.JSONString, b.name)
	dst = appendMember(dst, "secured", wire.JSONBool, b.secured)
	dst = appendMember(dst, "in_use_by", wire.JSONString, b.inUseBy)
	for _, name := range [...]string{"mode", "battery"} {
		for i := range d.fields {
			if d.fields[i].name == name {
				dst = append(append(append(dst, `,"`...), name...), `":`...)
				dst = d.fields[i].append(dst, b.state)
			}
		}
	}
	if d.Guide {
		dst = appendMember(dst, "site", wire.JSONString, b.state.Site.V.Name)
	}
	return append(dst, '}')
}

// A Beacon is a robot's answer to discover.
type Beacon struct {
	Name    string
	Secured bool   // a token is required
	InUseBy string // name of the connected handheld; empty: it is free
	Mode    Opt[string]
	Battery Opt[Battery]
	Site    string // active site; empty: none
}

// ParseBeacon reads a beacon. The error wraps [ErrMalformed].
func ParseBeacon(data []byte) (*Beacon, error) {
	root, err := parseTyped(data, "beacon")
	if err != nil {
		return nil, err
	}
	b := &Beacon{Name: root.get("name").text(), InUseBy: root.get("in_use_by").text(), Site: root.get("site").text()}
	b.Secured, _ = root.get("secured").boolean()
	b.Mode.V, b.Mode.OK = readText(root.get("mode"))
	if battery := root.get("battery"); battery.kind() == kindObject {
		b.Battery.OK = true
		batteryRecord().parse(&b.Battery.V, battery)
	} else if percent, ok := battery.finite(); ok { // some robots only tell the percentage
		b.Battery = Some(Battery{Percent: percent})
	}
	return b, nil
}
