package controlsocket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// ErrRunning is matched when another robot has the socket.
var ErrRunning = errors.New("another sarathi runs")

// Prepare implements node.Preparer: it takes the state folder for this robot and opens the socket there. It fails with
// [ErrRunning] when another robot has it.
func (n *Node) Prepare(context.Context) error {
	dir := filepath.Dir(n.cfg.Path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("state folder: %w: make it writable, or name another one with --set state.dir=DIR", err)
	}
	lock, err := takeLock(n.cfg.Path)
	if err != nil {
		return err
	}
	listener, err := listen(n.cfg.Path)
	if err != nil {
		return errors.Join(err, lock.Close())
	}
	n.lock, n.listener = lock, listener
	return nil
}

// Close implements node.Preparer.
func (n *Node) Close() error {
	err := n.listener.Close()
	if errors.Is(err, net.ErrClosed) { // Run closes it when it is told to end
		err = nil
	}
	return errors.Join(err, n.lock.Close())
}

// takeLock locks the file beside the socket that says who runs. The kernel lets go of the lock when its holder dies, however it
// dies, so that what is left on the disk never keeps a robot from starting. The file itself stays: removing it would let two
// robots lock two files of one name.
func takeLock(socket string) (*os.File, error) {
	f, err := os.OpenFile(socket+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("state folder: %w: make it writable, or name another one with --set state.dir=DIR", err)
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		pid := holder(f)
		return nil, errors.Join(fmt.Errorf("%w (pid %s) with the state folder %s: stop it, or name another folder with --set state.dir=DIR",
			ErrRunning, pid, filepath.Dir(socket)), f.Close())
	case err != nil:
		return nil, errors.Join(fmt.Errorf("lock %s: %w", f.Name(), err), f.Close())
	}
	if err := writePID(f); err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", f.Name(), err), f.Close())
	}
	return f, nil
}

func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// holder reads who has the lock; it has perhaps not written that yet.
func holder(f *os.File) string {
	buf := make([]byte, 20)
	n, _ := f.ReadAt(buf, 0) // its error is the end of the file
	if pid := strings.TrimSpace(string(buf[:n])); pid != "" {
		return pid
	}
	return "unknown"
}

// listen opens the socket, replacing what a dead robot left behind. The caller has the lock.
func listen(path string) (*net.UnixListener, error) {
	switch info, err := os.Lstat(path); {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("control socket: %w", err)
	case info.Mode().Type() != os.ModeSocket:
		return nil, fmt.Errorf("control socket: %s is in the way and is no socket: move it", path)
	default:
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("control socket of a robot that died: %w", err)
		}
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("control socket: %w", err), l.Close())
	}
	return l, nil
}
