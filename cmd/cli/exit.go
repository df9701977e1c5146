package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// The exit codes of the program. With --json, the kind of the error is more precise. A
// script that calls exit(n) ends the program with n.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
	exitSignal  = 128             // plus the number of the signal: 130 for Ctrl-C, 143 for SIGTERM
	exitPipe    = exitSignal + 13 // the exit code of programs that SIGPIPE ends
)

// usageError is a mistake in the command line.
type usageError struct {
	command string // its --help explains the mistake
	err     error
}

func (e *usageError) Error() string {
	return fmt.Sprintf("%v\nRun '%s --help' for usage.", e.err, e.command)
}

func (e *usageError) Unwrap() error { return e.err }

// exitError ends the program with a code, without a message.
type exitError struct{ code int }

func (e *exitError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// stopError is an error while a gateway stopped. It is reported even if a signal asked
// for the stop.
type stopError struct{ err error }

func (e *stopError) Error() string { return "the gateway did not stop cleanly: " + e.err.Error() }

// signalError is the cause of a context that a signal canceled.
type signalError struct{ signal os.Signal }

func (e *signalError) Error() string { return "ended by signal: " + e.signal.String() }

func (e *signalError) code() int {
	if n, ok := e.signal.(syscall.Signal); ok {
		return exitSignal + int(n)
	}
	return exitSignal + int(syscall.SIGINT)
}

// interrupted is the signal that canceled ctx; nil if there is none.
func interrupted(ctx context.Context) *signalError {
	var s *signalError
	if errors.As(context.Cause(ctx), &s) {
		return s
	}
	return nil
}

// readerGone reports whether a command failed because the reader of its output, such as
// head(1), has closed the pipe. Other broken pipes are failures.
func readerGone(err error) bool {
	var write *fs.PathError
	return errors.As(err, &write) && errors.Is(write.Err, syscall.EPIPE) &&
		(write.Path == os.Stdout.Name() || write.Path == os.Stderr.Name())
}

// exitCode is the exit code for the error of a command. Errors after a signal count as
// interruptions.
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
	case readerGone(err):
		return exitPipe
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &usage):
		return exitUsage
	default:
		return exitFailure
	}
}
