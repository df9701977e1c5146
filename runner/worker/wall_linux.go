package worker

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/wall"
)

// lockDown puts up the wall between what a script may have taken over and the
// system, in the order that each part needs, and says what holds. It runs when
// the worker has everything it needs.
//
// Where the kernel has no Landlock or no filter the worker goes on without: the
// engine has no calls that lead out, and `toolscript doctor` tells. A part that
// is up and does not hold is an error.
func lockDown() ([]toolscript.WallPart, error) {
	parts, err := limitResources()
	if err != nil {
		return nil, err
	}
	plain, err := withoutPrivileges()
	if err != nil {
		return nil, err
	}
	parts = append(parts, plain...)
	landlock, err := wall.Landlock()
	if err == nil && landlock.Active {
		err = refused(landlock.Name, unix.EACCES, openRoot)
	}
	if err != nil {
		return nil, err
	}
	seccomp, err := wall.Seccomp()
	if err == nil && seccomp.Active {
		err = errors.Join(refused(seccomp.Name, unix.EPERM, openRoot), refused(seccomp.Name, unix.EPERM, newSocket))
	}
	if err != nil {
		return nil, err
	}
	return append(parts, landlock, seccomp), nil
}

// withoutPrivileges makes the memory of this process unreadable for others of
// the same user, and sees to it that it was started as startPlain does.
func withoutPrivileges() ([]toolscript.WallPart, error) {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("PR_SET_DUMPABLE: %w", err)
	}
	if given, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || given != 1 {
		return nil, errors.Join(errors.New("the worker was started with the privilege to gain privileges"), err)
	}
	return []toolscript.WallPart{
		{Name: "memory", Active: true, Detail: "no other process of the user can read or trace it"},
		{Name: "privileges", Active: true, Detail: "none can be gained (no_new_privs)"},
	}, nil
}

// refused tries what a part of the wall must refuse.
func refused(part string, want error, try func() error) error {
	if err := try(); !errors.Is(err, want) {
		return fmt.Errorf("%s does not hold: a forbidden call gave %q, want %w", part, fmt.Sprint(err), want)
	}
	return nil
}

func openRoot() error {
	fd, err := unix.Open("/", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err == nil {
		_ = unix.Close(fd) // the caller gives up
	}
	return err
}

func newSocket() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		_ = unix.Close(fd) // the caller gives up
	}
	return err
}

// startPlain starts a worker that cannot gain privileges by executing a
// set-user-ID program. The property belongs to a thread and passes to what the
// thread starts. A Go program cannot set it in all of its threads when it is
// built with cgo; so the worker gets it from the thread that starts it, and that
// thread is thrown away.
func startPlain(cmd *exec.Cmd) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			result <- fmt.Errorf("PR_SET_NO_NEW_PRIVS: %w", err)
			return
		}
		result <- cmd.Start()
	}()
	return <-result
}
