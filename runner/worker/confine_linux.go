package worker

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/confine"
)

// confineSelf confines the worker process, because a script may take it over later, and
// reports which restrictions are active. The worker must have opened everything that it
// needs. The order of the steps matters.
//
// Without Landlock or seccomp in the kernel, the worker continues: the engine gives scripts
// no access to the system, and `toolscript doctor` reports what is missing. A restriction
// that is active but has no effect is an error.
func confineSelf() ([]toolscript.Confinement, error) {
	parts, err := limitResources()
	if err != nil {
		return nil, err
	}
	plain, err := withoutPrivileges()
	if err != nil {
		return nil, err
	}
	parts = append(parts, plain...)
	landlock, err := confine.Landlock()
	if err == nil && landlock.Active {
		err = refused(landlock.Name, unix.EACCES, openRoot)
	}
	if err != nil {
		return nil, err
	}
	seccomp, err := confine.Seccomp()
	if err == nil && seccomp.Active {
		err = errors.Join(refused(seccomp.Name, unix.EPERM, openRoot), refused(seccomp.Name, unix.EPERM, newSocket))
	}
	if err != nil {
		return nil, err
	}
	return append(parts, landlock, seccomp), nil
}

// withoutPrivileges makes the memory of this process unreadable for other processes of the
// user, and checks that the process was started by startPlain.
func withoutPrivileges() ([]toolscript.Confinement, error) {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("PR_SET_DUMPABLE: %w", err)
	}
	if given, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || given != 1 {
		return nil, errors.Join(errors.New("the worker was started without no_new_privs"), err)
	}
	return []toolscript.Confinement{
		{Name: "memory", Active: true, Detail: "no other process of the user can read or trace it"},
		{Name: "privileges", Active: true, Detail: "it can gain none (no_new_privs)"},
	}, nil
}

// refused tries an action that the kernel must refuse, and returns an error if it does not.
func refused(part string, want error, try func() error) error {
	if err := try(); !errors.Is(err, want) {
		return fmt.Errorf("%s does not hold: a forbidden call returned %q, not %w", part, fmt.Sprint(err), want)
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
// set-user-ID program. The property belongs to a thread, and processes inherit it
// from the thread that starts them. A Go program that is built with cgo cannot set
// it in all of its threads, so startPlain sets it in one thread, which ends
// afterwards.
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
