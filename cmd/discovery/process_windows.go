package discovery

import (
	"errors"
	"syscall"
)

// startTime returns the start of a process in units of 100 ns. Process ids are reused, so
// the start time is part of the identity.
func startTime(pid int) (uint64, error) {
	const (
		queryLimitedInformation = 0x1000
		invalidParameter        = syscall.Errno(87) // error for an id without a process
		stillActive             = 259
	)
	process, err := syscall.OpenProcess(queryLimitedInformation, false, uint32(pid))
	if errors.Is(err, invalidParameter) {
		return 0, errGone
	}
	if err != nil {
		return 0, err
	}
	defer syscall.CloseHandle(process)
	var code uint32
	if err := syscall.GetExitCodeProcess(process, &code); err != nil {
		return 0, err
	}
	if code != stillActive {
		return 0, errGone
	}
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(process, &created, &exited, &kernel, &user); err != nil {
		return 0, err
	}
	return uint64(created.Nanoseconds()) / 100, nil
}

func pidNamespace() string { return "" }
