package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// The exit codes of the program. Every finer class is the kind in --json; a
// script that calls exit(n) ends the program with n.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
	exitSignal  = 128 // plus the number of the signal: 130 for Ctrl-C, 143 for SIGTERM
)

// usageError is a mistake in the command line, not in the world.
type usageError struct {
	command string // whose --help explains it
	err     error
}

func (e *usageError) Error() string {
	return fmt.Sprintf("%v\nRun '%s --help' for usage.", e.err, e.command)
}

func (e *usageError) Unwrap() error { return e.err }

// exitError ends the program with a code after everything has been said.
type exitError struct{ code int }

func (e *exitError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// stopError is what went wrong while a gateway stopped. That a signal asked for
// the stop does not explain it.
type stopError struct{ err error }

func (e *stopError) Error() string { return "the gateway did not stop cleanly: " + e.err.Error() }

// signalError is the cause of a context that a signal ended.
type signalError struct{ signal os.Signal }

func (e *signalError) Error() string { return "ended by signal: " + e.signal.String() }

func (e *signalError) code() int {
	if n, ok := e.signal.(syscall.Signal); ok {
		return exitSignal + int(n)
	}
	return exitSignal + int(syscall.SIGINT)
}

// interrupted is the signal that ended ctx, nil when none did.
func interrupted(ctx context.Context) *signalError {
	var s *signalError
	if errors.As(context.Cause(ctx), &s) {
		return s
	}
	return nil
}

// exitCode is the number that a command's error becomes. ctx is the command's
// own: what fails because a signal ended it counts as interrupted.
func exitCode(ctx context.Context, err error) int {
	var (
		exit    *exitError
		usage   *usageError
		unclean *stopError
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &unclean):
		return exitFailure
	case interrupted(ctx) != nil:
		return interrupted(ctx).code()
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &usage):
		return exitUsage
	default:
		return exitFailure
	}
}
