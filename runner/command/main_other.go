//go:build unix && !linux

package command

import (
	"os/exec"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/confine"
)

// start starts the program inside a profile of the macOS sandbox, if the system has one.
func (o order) start(cmd *exec.Cmd, temp string) (*exec.Cmd, []toolscript.Confinement, error) {
	parts := Confinement()
	if parts[0].Active {
		access := confine.SeatbeltAccess{Write: append([]string{o.Root, temp}, o.Writable...), Network: o.Network}
		cmd.Args = access.Wrap(cmd.Path, o.Args[1:])
		cmd.Path = cmd.Args[0]
		if !o.Network {
			parts = append(parts, toolscript.Confinement{Name: "network", Active: true, Detail: parts[0].Detail})
		}
	}
	return cmd, parts, cmd.Start()
}

// adoptOrphans does nothing: only Linux makes a process the parent of orphans.
func adoptOrphans() {}

// awaitExit waits, with kqueue, for the end of a child without reaping it. Signals still
// reach the zombie.
func awaitExit(pid int) {
	queue, err := unix.Kqueue()
	if err != nil {
		return
	}
	defer unix.Close(queue) //nolint:errcheck // only read
	change := unix.Kevent_t{Fflags: unix.NOTE_EXIT}
	unix.SetKevent(&change, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	events := make([]unix.Kevent_t, 1)
	for {
		n, err := unix.Kevent(queue, []unix.Kevent_t{change}, events, nil)
		if n > 0 || err != nil && err != unix.EINTR { //nolint:errorlint // an errno of the kernel
			return
		}
	}
}

// endDescendants does nothing: the process group has been killed, and processes that have
// left it cannot be found on this system.
func endDescendants() {}
