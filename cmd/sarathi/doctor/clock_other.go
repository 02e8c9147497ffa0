//go:build !linux

package doctor

import (
	"errors"
	"runtime"
)

// clockSynchronous has no answer on systems that robots do not run on.
func clockSynchronous() (bool, error) { return false, errors.New("not known on " + runtime.GOOS) }
