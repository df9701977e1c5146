// Package cli implements the commands of the program. Data goes to stdout and everything else to stderr. Only
// Main uses the process itself, so that tests can run the whole program.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/toolscript/toolscript/cmd/exit"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/harness"
)

// State is the environment of one run of the program.
type State struct {
	Parent int      // process that started this one; 0 if it does not matter
	Args   []string // arguments, without the name of the program
	Env    []string // in the form of os.Environ
	Dir    string   // working directory, absolute
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	// Signals ask the program to stop. The first signal ends it in order. The second
	// signal, if it comes more than half a second later, calls Exit.
	Signals <-chan os.Signal
	Exit    func(code int)
}

// Main runs the program and returns its exit code. In a process that was started as a script worker, as the
// reaper or as the helper of a command, it does that work instead.
func Main() int {
	if code, is := harness.Helper(os.Args); is {
		return code
	}
	if code, is := first(); is {
		return code
	}
	collectLater(os.Args[1:])
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "toolscript: the working directory does not exist: %v\n", err)
		return exit.Failure
	}
	// A closed pipe must be an error of the write. The signal is caught and not ignored,
	// because servers inherit ignored signals.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	return Run(State{
		Parent: os.Getppid(), Args: os.Args[1:], Env: os.Environ(), Dir: dir,
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
	a := &app{State: s, notice: terminal.NewNotice(s.Stderr)}
	defer a.notice.End()
	go a.handleSignals(cancel, ended)
	err := a.execute(ctx)
	a.notice.End()
	a.report(ctx, err)
	a.noteShown()
	return exit.Code(ctx, err)
}

func (a *app) execute(ctx context.Context) error {
	root := newRootWith(a, one(a.Args))
	root.SetArgs(a.Args)
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	return root.ExecuteContext(ctx)
}

// hangupSignals returns a channel that receives each SIGHUP. The command then no longer ends
// at SIGHUP, unless its terminal was closed. Signals that arrive while one is waiting
// count as one.
func (a *app) hangupSignals() <-chan struct{} {
	hangups := make(chan struct{}, 1)
	a.hangup.Store(&hangups)
	return hangups
}

// takesHangup passes a signal to hangupSignals, and reports whether it did.
func (a *app) takesHangup(sig os.Signal) bool {
	hangups := a.hangup.Load()
	if sig != syscall.SIGHUP || hangups == nil || terminal.Gone(a.Stderr) {
		return false
	}
	select {
	case *hangups <- struct{}{}:
	default:
	}
	return true
}

// interrupts returns a channel that the next SIGINT closes. The command then goes on.
func (a *app) interrupts() <-chan struct{} {
	next := make(chan struct{})
	a.breaks.Store(&next)
	return next
}

// takesInterrupt passes a signal to interrupts, and reports whether it did.
func (a *app) takesInterrupt(sig os.Signal) bool {
	if sig != os.Interrupt {
		return false
	}
	next := a.breaks.Swap(nil)
	if next != nil {
		close(*next)
	}
	return next != nil
}

// oneSignal is the time after the first signal in which another signal counts as the
// same request: timeout(1) sends a signal to the command and then to its process group.
const oneSignal = 500 * time.Millisecond

// handleSignals ends the command at the first signal and the process at the second, in
// case the shutdown hangs.
func (a *app) handleSignals(cancel context.CancelCauseFunc, ended <-chan struct{}) {
	var stopping time.Time
	for {
		select {
		case sig := <-a.Signals:
			stop := &exit.SignalError{Signal: sig}
			switch {
			case a.takesHangup(sig), a.takesInterrupt(sig):
			case stopping.IsZero():
				stopping = time.Now()
				cancel(stop)
			case time.Since(stopping) > oneSignal:
				a.Exit(stop.Code())
				return
			}
		case <-ended:
			return
		}
	}
}

// report prints the error of the command on stderr.
func (a *app) report(ctx context.Context, err error) {
	if text := exit.Message(ctx, err); text != "" {
		a.say("toolscript: %s", text)
	}
}
