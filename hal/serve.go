package hal

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"sarathi/driver"
)

// ListenAndServe serves a body at an address until ctx ends or the body is lost. Where address is empty the environment variable
// PIOS_ROBOT_HOST says where to listen, and without it this computer alone is let in: see [Address].
func ListenAndServe(ctx context.Context, d driver.Driver, address string, cfg AgentConfig) error {
	address, err := Address(address, os.Getenv(HostVariable))
	if err != nil {
		return err
	}
	a, err := NewAgent(d, cfg)
	if err != nil {
		return err
	}
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return a.Serve(ctx, ln)
}

// Serve runs the agent behind a listener, which it closes, until ctx ends or the body is lost. It warns loudly when others than this
// computer can reach it: HAL knows no user.
func (a *Agent) Serve(ctx context.Context, ln net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if Exposed(ln.Addr()) {
		what := "ANYBODY WHO REACHES THIS ADDRESS CAN DRIVE THE ROBOT: expose it on a trusted, firewalled control network only"
		if a.cfg.Token != "" {
			what = "whoever reaches this address and has the token can drive the robot: expose it on a trusted, firewalled control network only"
		}
		a.log.WarnContext(ctx, "agent is open to the network", "address", ln.Addr().String(), "warning", what, "tls", a.cfg.TLS != nil)
	}
	if a.cfg.TLS != nil {
		ln = tls.NewListener(ln, a.cfg.TLS)
	}
	server := &http.Server{Handler: a, ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug)}
	var served chan error
	err := a.run(ctx, func() { // until now who dials waits, instead of being told that the body is not ready
		served = make(chan error, 1)
		go func() {
			err := server.Serve(ln)
			cancel()
			served <- err
		}()
	})
	if served == nil {
		_ = ln.Close() // nobody has come
		return err
	}
	_ = server.Close() // its connections are hijacked and ended, or nobody's
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}
