// Package cli is the command line: it reads flags and environment, joins the
// rooms that do the work, and writes data to stdout and everything else to
// stderr. Nothing in it touches the process directly except Main, so that the
// whole program runs inside a test.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/toolscript/toolscript/runner/footprint"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/transport/reaper"
)

// State is the outside world of one run of the program.
type State struct {
	Args   []string // without the program's own name
	Env    []string // as os.Environ
	Dir    string   // working directory, absolute
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	// Signals asks the program to stop. The first signal ends it in an orderly
	// way, the second, if it comes later than half a second, at once through Exit.
	Signals <-chan os.Signal
	Exit    func(code int)
}

// Main runs the program in this process and returns its exit code. A process
// that was started as a script worker or as a reaper becomes that here, before
// anything of the command line exists in it.
func Main() int {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case worker.Command:
			return worker.Main(os.Args[2:])
		case reaper.Command:
			footprint.Release()
			return reaper.Main()
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "toolscript: the working directory is gone: %v\n", err)
		return exitFailure
	}
	// A reader that has gone away is an error of the write. Caught and not
	// ignored, so that servers start with the signal as it was.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	return Run(State{
		Args: os.Args[1:], Env: os.Environ(), Dir: dir,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Signals: signals, Exit: os.Exit,
	})
}

// Run runs one command line and returns its exit code.
func Run(s State) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	ended := make(chan struct{})
	defer close(ended)
	defer cancel(nil)
	a := &app{State: s}
	go a.obeySignals(cancel, ended)
	err := a.execute(ctx)
	a.report(ctx, err)
	return exitCode(ctx, err)
}

func (a *app) execute(ctx context.Context) error {
	root := newRoot(a)
	root.SetArgs(a.Args)
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	return root.ExecuteContext(ctx)
}

// oneSignal is how long after the first signal another one is that same request:
// timeout(1) sends its own to the command and then to the group that it is in.
const oneSignal = 500 * time.Millisecond

// obeySignals ends the command at the first signal and the process at the
// second: a shutdown that hangs must not hold the user.
func (a *app) obeySignals(cancel context.CancelCauseFunc, ended <-chan struct{}) {
	var stopping time.Time
	for {
		select {
		case sig := <-a.Signals:
			stop := &signalError{sig}
			switch {
			case a.takesHangup(sig):
			case stopping.IsZero():
				stopping = time.Now()
				cancel(stop)
			case time.Since(stopping) > oneSignal:
				a.Exit(stop.code())
				return
			}
		case <-ended:
			return
		}
	}
}

// report says on stderr why the command failed, once. What a signal ended failed
// because of that, whatever its own words are.
func (a *app) report(ctx context.Context, err error) {
	var (
		exit    *exitError
		unclean *stopError
	)
	if err == nil || errors.As(err, &exit) {
		return
	}
	if signal := interrupted(ctx); signal != nil && !errors.As(err, &unclean) {
		err = signal
	}
	a.say("toolscript: %s", strings.TrimSuffix(err.Error(), "\n"))
}
