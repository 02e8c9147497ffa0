package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// writable is the mode of access(2) for writing.
const writable = 2

// folder checks that a folder, or the nearest one above that exists, can be written to.
func (h Host) folder(f Folder) Result {
	remedy := fmt.Sprintf("make it writable for this user, or name another folder with --set %s=DIR", f.Name)
	at, exists := f.Path, true
	for {
		info, err := os.Stat(at)
		switch {
		case err == nil && !info.IsDir():
			return broken(f.Name, at+" is a file", fmt.Sprintf("move it, or name another folder with --set %s=DIR", f.Name))
		case err == nil:
			if err = syscall.Access(at, writable); err != nil {
				return broken(f.Name, fmt.Sprintf("%s: %v", at, err), remedy)
			}
			if !exists {
				return ok(f.Name, f.Path+", will be created")
			}
			return ok(f.Name, f.Path)
		case !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at):
			return broken(f.Name, err.Error(), remedy)
		}
		at, exists = filepath.Dir(at), false
	}
}

// port checks that nobody else listens there.
func (h Host) port(ctx context.Context, p Port, running bool) Result {
	what := p.Network + " " + p.Address
	err := h.Listen(ctx, p.Network, p.Address)
	switch {
	case err == nil:
		return ok(p.Name, what)
	case errors.Is(err, syscall.EADDRINUSE) && running:
		return ok(p.Name, what+", in use while a robot is running here")
	case errors.Is(err, syscall.EADDRINUSE):
		return broken(p.Name, what+" is in use by another program",
			fmt.Sprintf("end that program (`ss -lnp` names it), or choose another port with --set %s=PORT", p.Name))
	default:
		return broken(p.Name, fmt.Sprintf("%s: %v", what, err), fmt.Sprintf("choose another address with --set %s=…", p.Name))
	}
}

func (h Host) cpus() Result {
	detail := fmt.Sprintf("%d", h.CPUs)
	if h.CPUs < 2 {
		return missing("CPU cores", detail+": planning and mapping take time from control", "use a computer with 2 cores or more")
	}
	return ok("CPU cores", detail)
}

func (h Host) terminal() Result {
	const name, feature = "terminal", "sarathi drive needs one"
	switch {
	case !h.Terminal:
		return missing(name, "the output does not go to a terminal: "+feature, "run it in a terminal (over ssh: ssh -t)")
	case h.Term == "" || h.Term == "dumb":
		return missing(name, fmt.Sprintf("TERM is %q: %s that can place text", h.Term, feature), "export TERM=xterm-256color")
	default:
		return ok(name, h.Term)
	}
}
