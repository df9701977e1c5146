package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"
)

// The exit codes of the program. With --json, the kind of an error is more precise. A
// script that calls exit(n) ends the program with code n.
const (
	OK           = 0
	Failure      = 1
	misuse       = 2
	MissingTools = 3              // exec --needs: no part of the script was run; equal to toolscript.ExitMissingTools
	Diverged     = 4              // runs replay: the run differs
	Changes      = 5              // gateway reload --dry-run: there are changes
	TimedOut     = 124            // runs wait: the run has not ended; as in timeout(1)
	signalled    = 128            // plus the number of the signal: 130 for Ctrl-C, 143 for SIGTERM
	brokenPipe   = signalled + 13 // as of programs that SIGPIPE ends
)

// UsageError is a mistake in the command line.
type UsageError struct {
	Command string // command whose --help explains the mistake
	Err     error
}

// Usage returns a UsageError.
func Usage(command, format string, args ...any) error {
	return &UsageError{command, fmt.Errorf(format, args...)}
}

func (e *UsageError) Error() string {
	return fmt.Sprintf("%v\nRun '%s --help' for usage.", e.Err, e.Command)
}

func (e *UsageError) Unwrap() error { return e.Err }

// Error ends the program with an exit code, without a message.
type Error struct{ Code int }

func (e *Error) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// StopError is an error that occurred while a gateway stopped. It is reported even if a
// signal asked for the stop.
type StopError struct{ Err error }

func (e *StopError) Error() string { return "the gateway did not stop cleanly: " + e.Err.Error() }

// SignalError is the cause of a context that a signal canceled.
type SignalError struct{ Signal os.Signal }

func (e *SignalError) Error() string { return "ended by signal: " + e.Signal.String() }

// Code returns the exit code of the program after the signal.
func (e *SignalError) Code() int {
	if n, ok := e.Signal.(syscall.Signal); ok {
		return signalled + int(n)
	}
	return signalled + int(syscall.SIGINT)
}

// Interrupted returns the signal that canceled ctx, or nil.
func Interrupted(ctx context.Context) *SignalError {
	if s, is := errors.AsType[*SignalError](context.Cause(ctx)); is {
		return s
	}
	return nil
}

// ReaderGone reports whether a command failed because the reader of its output, such as
// head(1), has closed the pipe. Other broken pipes are failures.
func ReaderGone(err error) bool {
	write, is := errors.AsType[*fs.PathError](err)
	return is && closedByReader(write.Err) &&
		(write.Path == os.Stdout.Name() || write.Path == os.Stderr.Name())
}

// closedByReader reports whether the reader of a pipe has closed it. Windows has two errors for that: ERROR_BROKEN_PIPE
// and ERROR_NO_DATA.
func closedByReader(err error) bool {
	return errors.Is(err, syscall.EPIPE) ||
		runtime.GOOS == "windows" && (errors.Is(err, syscall.Errno(109)) || errors.Is(err, syscall.Errno(232)))
}

// Code returns the exit code for the error of a command. An error after a signal counts as
// an interruption.
func Code(ctx context.Context, err error) int {
	var (
		exit    *Error
		usage   *UsageError
		unclean *StopError
	)
	switch {
	case err == nil:
		return OK
	case errors.As(err, &unclean):
		return Failure
	case Interrupted(ctx) != nil:
		return Interrupted(ctx).Code()
	case ReaderGone(err):
		return brokenPipe
	case errors.As(err, &exit):
		return exit.Code
	case errors.As(err, &usage):
		return misuse
	default:
		return Failure
	}
}

// Message returns the message for the error of a command, or "" if none is needed. After a
// signal, the message names the signal.
func Message(ctx context.Context, err error) string {
	var (
		silent  *Error
		unclean *StopError
	)
	if err == nil || errors.As(err, &silent) || ReaderGone(err) {
		return ""
	}
	if signal := Interrupted(ctx); signal != nil && !errors.As(err, &unclean) {
		err = signal
	}
	return strings.TrimSuffix(err.Error(), "\n")
}
