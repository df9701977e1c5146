package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/internal/proc"
	"github.com/toolscript/toolscript/runner/script"
)

// ExitOverrun is the exit code of a worker whose watchdog ended it.
const ExitOverrun = exitOverrun

// CPUTime is the processor time that a process has used.
var CPUTime = proc.CPUTime

// WornRequests is how many answers a checker gives before it is replaced.
const WornRequests = wornRequests

// Age makes a checker as old as one that has answered so many requests.
func (c *Checker) Age(requests int) { c.answered = requests }

// Answered is how many requests it has answered.
func (c *Checker) Answered() int { return c.answered }

// Spent is what the last question has taken.
func (c *Checker) Spent() runner.Effort { return c.spent }

// ExitCode is that of a worker that is gone; -1 means that a signal ended it.
func (p *Process) ExitCode() int { return p.cmd.ProcessState.ExitCode() }

// Native is the worker's side of AskNative: a worker like any other, up to the
// moment when it is locked down. Then it runs attack in place of a script, as
// would somebody who has broken out of the engine and runs code of his own.
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
	}
	seen := before()
	if err := c.sayReady(); err != nil {
		return err
	}
	if _, _, err := c.link.read(); err != nil { // the gateway's word to begin
		return err
	}
	return c.link.writeJSON(frameEnd, attack(seen), nil)
}

// AskNative starts a worker of a role that runs Native and decodes what the
// attack gave. An error is that of a worker that was lost.
func AskNative(ctx context.Context, checker bool, o Options, into any) ([]toolscript.WallPart, error) {
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
		return p.hello.Wall, err
	}
	_, payload, err := p.link.read()
	if err != nil {
		return p.hello.Wall, fmt.Errorf("%w%s", err, p.lastWords())
	}
	return p.hello.Wall, json.Unmarshal(payload, into)
}

// Unlimited is the worker's side of a sandbox whose engine keeps no limits of
// time; its watchdog keeps them if it is asked to.
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
	if err := c.sayReady(); err != nil {
		return err
	}
	inbox := inbox{link: c.link, jobs: make(chan *job, 1)}
	go c.receive(inbox.handle)
	for j := range inbox.jobs {
		if watchdog {
			watch(j.Job)
		}
		j.Limits.TimeoutMs, j.Limits.CPUMs = 0, 0
		vm.Run(context.Background(), j.Job, j)
	}
	return nil
}
