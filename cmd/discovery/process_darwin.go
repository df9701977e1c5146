package discovery

import (
	"errors"

	"golang.org/x/sys/unix"
)

// startTime returns the start of a process in microseconds. Process ids are reused, so the
// start time is part of the identity.
func startTime(pid int) (uint64, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if errors.Is(err, unix.EIO) { // the package returns this error for an empty answer
		return 0, errGone
	}
	if err != nil {
		return 0, err
	}
	const zombie = 5 // SZOMB of sys/proc.h
	if info.Proc.P_stat == zombie {
		return 0, errGone
	}
	began := info.Proc.P_starttime
	return uint64(began.Sec)*1e6 + uint64(began.Usec), nil
}

func pidNamespace() string { return "" }
