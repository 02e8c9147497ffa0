package doctor

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// ThisHost returns the computer that this program runs on. out is where the user sees the results, built when the program's source
// was written, zero when that is unknown.
func ThisHost(out any, built time.Time) Host {
	h := Host{
		Root:        "/",
		LookPath:    exec.LookPath,
		Listen:      listen,
		Synchronous: clockSynchronous,
		Now:         time.Now(),
		Built:       built,
		CPUs:        runtime.NumCPU(),
		Term:        os.Getenv("TERM"),
	}
	if f, isFile := out.(*os.File); isFile {
		if info, err := f.Stat(); err == nil {
			h.Terminal = info.Mode()&os.ModeCharDevice != 0
		}
	}
	return h
}

// listen listens for a moment.
func listen(ctx context.Context, network, address string) error {
	var c net.ListenConfig
	switch network {
	case "tcp":
		l, err := c.Listen(ctx, network, address)
		if err != nil {
			return err
		}
		return l.Close()
	case "udp":
		l, err := c.ListenPacket(ctx, network, address)
		if err != nil {
			return err
		}
		return l.Close()
	default:
		return fmt.Errorf("network %q is neither tcp nor udp", network)
	}
}
