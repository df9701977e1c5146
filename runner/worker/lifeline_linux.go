package worker

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// watchLifeline makes the kernel kill this process when the gateway ends. A goroutine that
// waits for the end of the pipe is not enough: compiled WebAssembly that never returns to Go
// stops all goroutines as soon as the garbage collector runs. PR_SET_PDEATHSIG does not work
// either, because it reacts to the end of the thread that started the process. So the kernel
// sends SIGKILL when the state of the pipe changes.
func watchLifeline() error {
	if _, err := unix.FcntlInt(lifelineFD, unix.F_SETOWN, os.Getpid()); err != nil {
		return fmt.Errorf("F_SETOWN: %w", err)
	}
	if _, err := unix.FcntlInt(lifelineFD, unix.F_SETSIG, int(unix.SIGKILL)); err != nil {
		return fmt.Errorf("F_SETSIG: %w", err)
	}
	flags, err := unix.FcntlInt(lifelineFD, unix.F_GETFL, 0)
	if err == nil {
		_, err = unix.FcntlInt(lifelineFD, unix.F_SETFL, flags|unix.O_ASYNC)
	}
	if err != nil {
		return fmt.Errorf("O_ASYNC: %w", err)
	}
	// A gateway that ended before this point sends no signal.
	state := []unix.PollFd{{Fd: lifelineFD, Events: unix.POLLIN}}
	if _, err := unix.Poll(state, 0); err == nil && state[0].Revents&unix.POLLHUP != 0 {
		return errors.New("the gateway has gone")
	}
	return nil
}
