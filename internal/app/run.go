package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"sarathi/internal/bus"
	"sarathi/internal/clock"
	"sarathi/internal/config"
	"sarathi/internal/node"
	"sarathi/internal/nodes/healthmonitor"
	"sarathi/internal/profile"
	"sarathi/internal/topics"
)

// RunOptions configures Run.
type RunOptions struct {
	Log slog.Handler // nil discards

	Version string // of the program, for clients that ask

	// Started, if set, is called once every node is up.
	Started func()
}

// Run runs the robot until ctx ends, then stops it in order: the body gets zero and the e-stop latches. It returns an
// error that matches config.ErrInvalid when the robot could not start for a reason the user can mend, and then nothing is
// left running; and the failure of a node that ends the program, such as the control mux.
func Run(ctx context.Context, p *profile.Profile, o RunOptions) error {
	o.Log = cmp.Or[slog.Handler](o.Log, slog.DiscardHandler)
	body, err := newHardware(p, o.Log)
	if err != nil {
		return err
	}
	return runWith(ctx, p, body, o, func(specs []node.Spec) []node.Spec { return specs })
}

// runWith runs a robot with a given body. adapt may change the list of nodes.
func runWith(ctx context.Context, p *profile.Profile, body hardware, o RunOptions, adapt func([]node.Spec) []node.Spec) error {
	dirs, err := makeFolders(p)
	if err != nil {
		return err
	}
	lock, err := takeLock(dirs.state)
	if err != nil {
		return notStarted(err)
	}
	defer lock.Close() //nolint:errcheck // closing lets go of the lock in any case
	at, leave, err := openPlaces(dirs.sites, dirs.state)
	if err != nil {
		return invalid(err)
	}
	defer leave() //nolint:errcheck // what was written is on disk
	logNode := &rosout{}
	log := logNode.handler(cmp.Or[slog.Handler](o.Log, slog.DiscardHandler))
	b := bus.New(bus.Options{Clock: clock.Real{}, RobotNS: p.Robot.Namespace})
	if err := b.Declare(topics.Topics(), topics.Services()); err != nil {
		return fmt.Errorf("topics: %w", err)
	}
	exec := node.NewRealtime(node.Options{Bus: b, Seed: p.Seed, Log: log})
	specs := append(wiring(p, body, healthmonitor.NewSystemProbe(dirs.sites), at, logNode), gateways(p, o.Version, exec.Nodes)...)
	if err := exec.Start(ctx, adapt(specs)...); err != nil {
		return notStarted(err)
	}
	if o.Started != nil {
		o.Started()
	}
	var halted error
	select {
	case <-ctx.Done():
	case halted = <-exec.Halted():
	}
	if err := exec.Stop(); err != nil {
		slog.New(log).WarnContext(ctx, "not everything stopped in time", "error", err)
	}
	return halted
}

// notStarted tells what the user can mend, such as a state folder that another robot has, from a fault of the program.
func notStarted(err error) error {
	if _, fault := errors.AsType[*node.PanicError](err); fault {
		return fmt.Errorf("start: %w", err)
	}
	return fmt.Errorf("%w: start: %w", config.ErrInvalid, err)
}

type folders struct{ sites, state string }

// makeFolders makes the folders that the robot writes to, or says why it cannot.
func makeFolders(p *profile.Profile) (folders, error) {
	var f folders
	var errs [2]error
	f.sites, errs[0] = usable("sites.dir", p.Sites)
	f.state, errs[1] = usable("state.dir", p.State)
	return f, errors.Join(errs[:]...)
}

// usable makes a folder if needed and proves that it can be written to.
func usable(key string, folder profile.Folder) (string, error) {
	fail := func(err error) (string, error) {
		return "", fmt.Errorf("%w: %s: %w: make the folder writable or choose another with --set %s=PATH",
			config.ErrInvalid, key, err, key)
	}
	dir, err := folder.Path()
	if err != nil {
		return fail(err)
	}
	if err = os.MkdirAll(dir, 0o755); err != nil {
		return fail(err)
	}
	probe, err := os.CreateTemp(dir, ".sarathi-*")
	if err != nil {
		return fail(err)
	}
	name := probe.Name()
	if err := probe.Close(); err != nil {
		return fail(err)
	}
	if err := os.Remove(name); err != nil {
		return fail(err)
	}
	return dir, nil
}
