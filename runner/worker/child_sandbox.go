package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner/quickjs"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// serveSandbox runs one job after the other on one VM. It returns only on an error.
func (c *child) serveSandbox() error {
	vm, err := c.newVM()
	if err != nil {
		return err
	}
	if err := c.reportReady(); err != nil {
		return err
	}
	inbox := newInbox(c)
	for {
		if err := c.runJob(vm, inbox.job()); err != nil {
			return err
		}
	}
}

// newVM compiles the engine, or loads it from the cache, and creates the VM of this
// worker. No other part of a sandbox needs a file.
func (c *child) newVM() (*quickjs.VM, error) {
	ctx := context.Background()
	engine, err := quickjs.NewEngine(ctx, quickjs.Options{CacheDir: trusted(c.cacheDir)})
	if err != nil {
		return nil, err
	}
	vm, err := engine.NewVM(ctx)
	if err != nil {
		return nil, err
	}
	vm.Warm()
	return vm, nil
}

// runJob runs a job, sends its outcome and resets the VM for the next job.
func (c *child) runJob(vm *quickjs.VM, j *job) error {
	guard := watch(j.Job)
	outcome := vm.Run(j.ctx, j.Job, j)
	guard.stop()
	j.cancel()
	if outcome.Value != nil && scripterror.TooDeep(outcome.Value) {
		outcome.Value, outcome.ExitCode, outcome.Err = nil, 1, scripterror.ValueTooDeep()
	}
	err := c.link.writeEnd(outcome)
	if errors.Is(err, errFrameTooLong) {
		outcome.Value, outcome.ExitCode = nil, 1
		outcome.Err = toolscript.Fail(toolscript.LimitOutput, fmt.Sprintf("the value of the script is too long: %v", err))
		outcome.Err.Phase = toolscript.Finalizing
		err = c.link.writeEnd(outcome)
	}
	if err = errors.Join(err, c.link.flush()); err != nil {
		return err
	}
	if err := vm.Reset(context.Background()); err != nil {
		return err
	}
	vm.Warm()
	return nil
}

// An inbox handles the frames of the gateway. The goroutine that runs the scripts reads them:
// while a script waits, while the gateway does not take output, and at intervals while the
// script computes. So the gateway can always send.
type inbox struct {
	link    *link
	channel *channel
	current *job // the last job
	begun   bool // current has been returned by job
	names   *naming.Names
}

func newInbox(c *child) *inbox {
	c.link.hold = true
	b := &inbox{link: c.link, channel: c.channel, begun: true}
	c.channel.readable = b.read
	return b
}

// job waits for the next job.
func (b *inbox) job() *job {
	for b.begun {
		if err := b.read(); err != nil {
			exit(err)
		}
	}
	b.begun = true
	return b.current
}

// read waits for a frame and handles it and all frames that have already arrived.
func (b *inbox) read() error {
	for more := true; more; more = b.link.more() {
		kind, payload, err := b.link.read()
		if err == nil {
			err = b.handle(kind, payload)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take waits for frames for at most the given time, and handles them.
func (b *inbox) take(within time.Duration) {
	in, err := b.channel.wait(within, false)
	if err == nil && in {
		err = b.read()
	}
	if err != nil {
		exit(err)
	}
}

func (b *inbox) handle(kind frameType, payload []byte) error {
	if b.current == nil && kind != frameNames && kind != frameRun {
		return fmt.Errorf("message %d came before a script", kind)
	}
	switch kind {
	case frameNames:
		b.names = &naming.Names{}
		return json.Unmarshal(payload, b.names)
	case frameRun:
		return b.begin(payload)
	case frameCancel:
		b.current.cancel()
	case frameAnswer, frameContent, frameFailure:
		number, value, err := splitNumber(payload)
		answer := quickjs.Answer{CallID: callID(number), WithContent: kind == frameContent}
		if kind == frameFailure && err == nil {
			err = json.Unmarshal(value, &answer.Err)
		} else if len(value) > 0 {
			answer.Value = value
		}
		if err != nil {
			return err
		}
		b.current.answer(answer)
	case frameClock:
		var header clockHeader
		if err := json.Unmarshal(payload, &header); err != nil {
			return err
		}
		b.current.setClock(header.Stopped)
	case frameStdin:
		var header stdinHeader
		piece, err := split(payload, &header)
		if err != nil {
			return err
		}
		b.current.answer(quickjs.Answer{Stdin: piece, StdinEOF: header.End, StdinErr: header.Err})
	default:
		return fmt.Errorf("a sandbox was sent message %d", kind)
	}
	return nil
}

func (b *inbox) begin(payload []byte) error {
	j, err := newJob(b, payload)
	if err != nil {
		return err
	}
	b.current, b.begun = j, false
	return nil
}
