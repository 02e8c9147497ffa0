package site

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockFile is what processes lock that use a folder.
const lockFile = ".lock"

// ErrInUse says that another process uses a folder.
var ErrInUse = errors.New("a robot, or another `sarathi site`, is using it: stop that first")

// Use tells other processes, until the folder is closed or the process ends, that this one reads and changes it. Several may.
func (f *Folder) Use() error { return f.flock(syscall.LOCK_SH) }

// Claim is Use for changes that nobody may see half done; it wraps [ErrInUse] when another process uses the folder.
func (f *Folder) Claim() error { return f.flock(syscall.LOCK_EX) }

func (f *Folder) flock(how int) error {
	if f.lock == nil {
		file, err := f.root.OpenFile(lockFile, os.O_CREATE|os.O_RDWR, fileMode)
		if err != nil {
			return fmt.Errorf("folder %s: %w", f.root.Name(), err)
		}
		f.lock = file
	}
	err := syscall.Flock(int(f.lock.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrInUse
	}
	if err != nil {
		return fmt.Errorf("folder %s: %w", f.root.Name(), err)
	}
	return nil
}
