package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/quickjs"
	"github.com/toolscript/toolscript/runner/report"
)

// serveSandbox runs one job after the other on one VM. It does not return while
// the gateway is there.
func (c *child) serveSandbox() error {
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
		if err := c.runJob(vm, j); err != nil {
			return err
		}
	}
	return nil
}

// newVM compiles the engine, or loads it from the cache, and makes the VM of this
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

// runJob runs one job and makes the VM fresh for the next one, when the gateway
// does not wait any more.
func (c *child) runJob(vm *quickjs.VM, j *job) error {
	guard := watch(j.Job)
	outcome := vm.Run(j.ctx, j.Job, j)
	guard.stop()
	j.cancel()
	if outcome.Value != nil && report.TooDeep(outcome.Value) {
		outcome.Value, outcome.ExitCode, outcome.Err = nil, 1, report.ValueTooDeep()
	}
	err := c.link.writeJSON(frameEnd, outcome, nil)
	if errors.Is(err, errFrameTooLong) {
		outcome.Value, outcome.ExitCode = nil, 1
		outcome.Err = toolscript.Fail(toolscript.LimitOutput, fmt.Sprintf("the value of the script is too long: %v", err))
		outcome.Err.Phase = toolscript.Finalizing
		err = c.link.writeJSON(frameEnd, outcome, nil)
	}
	if err != nil {
		return err
	}
	if err := vm.Reset(context.Background()); err != nil {
		return err
	}
	vm.Warm()
	return nil
}

// An inbox takes what the gateway sends. Only the goroutine that receives uses
// it.
type inbox struct {
	link    *link
	jobs    chan *job
	current *job
	names   *runner.Names
}

func (b *inbox) handle(kind frameType, payload []byte) error {
	if b.current == nil && kind != frameNames && kind != frameRun {
		return fmt.Errorf("message %d came before a script", kind)
	}
	switch kind {
	case frameNames:
		b.names = &runner.Names{}
		return json.Unmarshal(payload, b.names)
	case frameRun:
		return b.begin(payload)
	case frameCancel:
		b.current.cancel()
	case frameAnswer:
		var header answerHeader
		value, err := split(payload, &header)
		if err != nil {
			return err
		}
		b.current.answer(quickjs.Answer{CallID: header.CallID, Value: value, Err: header.Err})
	case frameClock:
		var header clockHeader
		if err := json.Unmarshal(payload, &header); err != nil {
			return err
		}
		b.current.stand(header.Standing)
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
	j, err := newJob(b.link, payload, b.names)
	if err != nil {
		return err
	}
	b.current = j
	b.jobs <- j
	return nil
}
