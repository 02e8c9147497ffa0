package teleop

import "net/netip"

// A Datagram is to be sent.
type Datagram struct {
	To   netip.AddrPort
	Data []byte
}

// An Output is what a call of a session asks for: effects first, then datagrams, both in order. It refers to the session's memory
// and is valid until the next call.
type Output struct {
	Datagrams []Datagram
	Effects   []Effect
}

// An EffectKind says what an [Effect] asks for.
type EffectKind uint8

// The kinds of effect.
const (
	EffectVelocity EffectKind = iota // Velocity is the handheld's; zero with Disarm: nobody holds the stick any more
	EffectEStop                      // request the e-stop now, before any service is called; Reason says who
	EffectCommand                    // carry out Command and call Session.Finish
	EffectStreams                    // subscribe to what Streams wants and to nothing else
	EffectStarted                    // a session began: Client
	EffectEnded                      // it ended: Client and Reason
)

// An Effect is something that the robot must do.
type Effect struct {
	Kind     EffectKind
	Velocity Velocity
	// Disarm says that a zero is not the operator's: the robot stops, and whoever drives next must show the stick at rest first. A session
	// begins and ends with it, and so do silence and a stop.
	Disarm  bool
	Command Command
	Streams Streams
	Client  Client
	Reason  string
}

// A Command is a checked command.
type Command struct {
	Ref  Ref
	Args Args
}

// Name is the name of the command.
func (c Command) Name() string { return c.Ref.Name }

// A Ref names one command of one session; its result goes to nobody else.
type Ref struct {
	Session uint64 // 0: an e-stop without a session
	From    netip.AddrPort
	ID      int64
	Name    string
}

// A Result is the outcome of a command.
type Result struct {
	OK  bool
	Msg string
	// Data is ack.data as JSON; empty: none.
	Data []byte
}

// Streams are what a client wants to be sent.
type Streams struct {
	Camera, Lidar, Video bool
	CameraFPS            float64 // within the robot's cap
}

// A Client is the peer of a session. The zero value is none.
type Client struct {
	Session uint64
	Addr    netip.AddrPort
	Name    string
}

// Stats count what became of the datagrams of all sessions.
type Stats struct {
	Datagrams    uint64 // received
	Malformed    uint64 // not understood
	Unauthorized uint64 // without the token
	Denied       uint64 // answered with denied
	Busy         uint64 // hello of a second device
	Stray        uint64 // from an address without a session
	Joy          uint64 // joystick messages of the driver
	BadJoy       uint64 // of which with values that are no finite numbers
	Commands     uint64 // commands that were carried out
	Refused      uint64 // commands that were not
	Repeated     uint64 // copies of a command, answered from memory
	States       uint64 // sent
	Chunks       uint64 // sent
	Dropped      uint64 // stream frames that a newer one replaced before they were sent
}
