package doctor

import "syscall"

// timeError is what adjtimex(2) returns while nothing keeps the clock right.
const timeError = 5

// clockSynchronous asks the kernel, which whoever follows a time server keeps informed.
func clockSynchronous() (bool, error) {
	var t syscall.Timex // mode 0: only look
	state, err := syscall.Adjtimex(&t)
	if err != nil {
		return false, err
	}
	return state != timeError, nil
}
