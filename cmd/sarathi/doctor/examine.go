package doctor

import (
	"context"
	"time"
)

// Plan is what a robot will want of the computer.
type Plan struct {
	Folders []Folder
	Ports   []Port
	Running bool // a robot runs here, and has its ports
}

// Folder is one that the robot writes to.
type Folder struct {
	Name string // "state.dir": the profile's key, which is what the user can change
	Path string
}

// Port is one that the robot listens on.
type Port struct {
	Name    string // the profile's key
	Network string // "tcp" or "udp"
	Address string // "127.0.0.1:9091"
}

// Host is the computer. [ThisHost] is the real one.
type Host struct {
	Root        string // of the file system: "/"
	LookPath    func(program string) (string, error)
	Listen      func(ctx context.Context, network, address string) error // whether it can be listened on
	Synchronous func() (bool, error)                                     // whether the clock follows a time server
	Now         time.Time
	Built       time.Time // when this program's source was written, zero when unknown
	CPUs        int
	Terminal    bool   // whether the output goes to one
	Term        string // the terminal's kind, as in $TERM
}

// Examine runs every check, in the order in which a reader wants them.
func Examine(ctx context.Context, h Host, p Plan) []Result {
	var out []Result
	for _, f := range p.Folders {
		out = append(out, h.folder(f))
	}
	for _, port := range p.Ports {
		out = append(out, h.port(ctx, port, p.Running))
	}
	for _, program := range []program{
		{"ffmpeg", "no H.264: video is sent as single JPEG images", "apt-get install ffmpeg"},
		{"espeak-ng", "no speech: what the robot would say is shown as text only", "apt-get install espeak-ng"},
	} {
		out = append(out, h.program(program))
	}
	return append(out, h.apriltag(), h.temperature(), h.clock(), h.cpus(), h.terminal())
}
