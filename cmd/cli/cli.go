// Package cli implements the commands of the program. Data goes to stdout and everything else to stderr. Only
// Main uses the process itself, so that tests can run the whole program.
package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/hub"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/internal/proc"
)

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
	_ = proc.PassNothing() // a system that cannot list descriptors passes them on
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "toolscript: the working directory does not exist: %v\n", err)
		return app.Failure
	}
	// A closed pipe must be an error of the write. The signal is caught and not ignored,
	// because servers inherit ignored signals.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	discovery.NotifyStop(signals)
	return Run(app.State{
		Parent: os.Getppid(), Args: os.Args[1:], Env: os.Environ(), Dir: dir,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Signals: signals, Exit: os.Exit,
	})
}

// Run runs one command line and returns its exit code.
func Run(s app.State) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	ended := make(chan struct{})
	defer close(ended)
	defer cancel(nil)
	a := newApp(s)
	defer a.Notice.End()
	go a.HandleSignals(cancel, ended)
	err := execute(ctx, a)
	a.Notice.End()
	report(ctx, a, err)
	a.NoteShown()
	return app.Code(ctx, err)
}

// newApp returns the state that the commands share.
func newApp(s app.State) *app.App {
	a := &app.App{State: s, Notice: terminal.NewNotice(s.Stderr), Tree: tree, Names: names()}
	a.FindHub = hub.NewFinder(a)
	return a
}

// tree makes the command that args name, in folder dir.
func tree(dir string, args []string) *cobra.Command {
	return newRootWith(&app.App{State: app.State{Dir: dir}}, one(args))
}

func execute(ctx context.Context, a *app.App) error {
	root := newRootWith(a, one(a.Args))
	root.SetArgs(a.Args)
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	return root.ExecuteContext(ctx)
}

// report prints the error of the command on stderr.
func report(ctx context.Context, a *app.App, err error) {
	if text := app.Message(ctx, err); text != "" {
		a.Say("toolscript: %s", text)
	}
}
