package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// ErrRunning is matched when another robot has the state folder.
var ErrRunning = errors.New("another sarathi runs")

// lockName is the file in the state folder that says who runs.
const lockName = "sarathi.lock"

// takeLock takes the state folder for this robot. The kernel lets go of the lock when its holder dies, however it dies, so that what is
// left on the disk never keeps a robot from starting. The file itself stays: removing it would let two robots lock two files of one name.
func takeLock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("state folder: %w: make it writable, or name another one with --set state.dir=DIR", err)
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		pid := holder(f)
		return nil, errors.Join(fmt.Errorf("%w (pid %s) with the state folder %s: stop it, or name another folder with --set state.dir=DIR",
			ErrRunning, pid, dir), f.Close())
	case err != nil:
		return nil, errors.Join(fmt.Errorf("lock %s: %w", f.Name(), err), f.Close())
	}
	if err := writePID(f); err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", f.Name(), err), f.Close())
	}
	return f, nil
}

// Running reports whether a robot has a state folder.
func Running(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // closing lets go of the lock in any case
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
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
