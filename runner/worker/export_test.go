package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/script"
)

// ExitOverrun is the exit code of a worker that its watchdog ended.
const ExitOverrun = exitOverrun

// CPUTime returns the processor time of a process.
var CPUTime = runner.CPUTime

// WornRequests is the number of answers after which a checker is replaced.
const WornRequests = wornRequests

// Age sets the number of requests that the checker has answered.
func (c *Checker) Age(requests int) { c.answered = requests }

// Answered returns the number of requests that the checker has answered.
func (c *Checker) Answered() int { return c.answered }

// Spent returns the usage of the last request.
func (c *Checker) Spent() runner.Usage { return c.spent }

// ExitCode returns the exit code of a worker that has ended, or -1 if a signal ended it.
func (p *Process) ExitCode() int { return p.cmd.ProcessState.ExitCode() }

// Native is the worker's side of AskNative. Until it is confined, the worker is like any other. Then it runs
// attack in place of a script, like an attacker who has escaped from the engine and runs native code.
func Native(args []string, before func() any, attack func(before any) any) int {
	c, err := newChild(args)
	if err == nil {
		err = c.serveNative(before, attack)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (c *child) serveNative(before func() any, attack func(any) any) error {
	switch c.role {
	case roleSandbox:
		vm, err := c.newVM()
		if err != nil {
			return err
		}
		defer vm.Close() //nolint:errcheck // the process ends
	case roleChecker:
		script.Compile(runner.Source{Code: "export default 1"})
	case roleConverter: // it prepares nothing
	}
	seen := before()
	if err := c.reportReady(); err != nil {
		return err
	}
	if _, _, err := c.link.read(); err != nil { // the gateway's signal to begin
		return err
	}
	if err := c.link.writeJSON(frameEnd, attack(seen), nil); err != nil {
		return err
	}
	_, _, _ = c.link.read() // until the gateway closes the pipes: at the end of this process it stops reading
	return nil
}

// AskNative starts a worker of a role that runs Native, and decodes the result of the
// attack. It returns an error if the worker was lost.
func AskNative(ctx context.Context, checker bool, o Options, into any) ([]toolscript.Confinement, error) {
	role := roleSandbox
	if checker {
		role = roleChecker
	}
	p, err := start(ctx, role, o)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if err := p.link.write(frameRun); err != nil {
		return p.hello.Confinement, err
	}
	_, payload, err := p.link.read()
	if err != nil {
		return p.hello.Confinement, fmt.Errorf("%w%s", err, p.exitReason())
	}
	return p.hello.Confinement, json.Unmarshal(payload, into)
}

// Unlimited is the worker's side of a sandbox whose engine enforces no time limits. If watchdog is
// set, the worker's watchdog enforces them.
func Unlimited(args []string, watchdog bool) int {
	c, err := newChild(args)
	if err == nil {
		err = c.serveUnlimited(watchdog)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (c *child) serveUnlimited(watchdog bool) error {
	vm, err := c.newVM()
	if err != nil {
		return err
	}
	if err := c.reportReady(); err != nil {
		return err
	}
	for g := newGuest(c); ; {
		g.await()
		if watchdog {
			watch(g.Job)
		}
		g.Limits.TimeoutMs, g.Limits.CPUMs = 0, 0
		vm.Run(context.Background(), g.Job, g)
	}
}
