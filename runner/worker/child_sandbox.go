package worker

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
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
	for g := newGuest(c); ; {
		g.await()
		if err := g.run(vm); err != nil {
			return err
		}
	}
}

// A guest is the worker's side of the runs, one after the other, and the quickjs.Host of their scripts. The goroutine
// that runs the scripts reads the frames of the gateway: while a script waits, while the gateway does not take output,
// and at intervals while the script computes. So the gateway can always send.
type guest struct {
	runner.Job  // the last job
	ctx         context.Context
	cancel      context.CancelFunc // nil before the first job
	link        *link
	channel     *channel
	names       *naming.Names
	begun       bool             // await has returned for the last job
	resumeClock func()           // restarts the clock; nil while it runs
	answers     []quickjs.Answer // answers that the script has not taken yet
	polled      time.Time        // time of the last Poll that read frames
}

var _ quickjs.Host = (*guest)(nil)

func newGuest(c *child) *guest {
	c.link.hold = true
	g := &guest{link: c.link, channel: c.channel, begun: true}
	c.channel.readable = g.read
	return g
}

// await waits for the next job.
func (g *guest) await() {
	for g.begun {
		if err := g.read(); err != nil {
			exit(err)
		}
	}
	g.begun = true
}

// run runs the job, sends its outcome and resets the VM for the next job.
func (g *guest) run(vm *quickjs.VM) error {
	guard := watch(g.Job)
	outcome := vm.Run(g.ctx, g.Job, g)
	guard.stop()
	g.cancel()
	if outcome.Value != nil && scripterror.TooDeep(outcome.Value) {
		outcome.Value, outcome.ExitCode, outcome.Err = nil, 1, scripterror.ValueTooDeep()
	}
	err := g.link.writeEnd(outcome)
	if errors.Is(err, errFrameTooLong) {
		outcome.Value, outcome.ExitCode = nil, 1
		outcome.Err = toolscript.Fail(toolscript.LimitOutput, fmt.Sprintf("the value of the script is too long: %v", err))
		outcome.Err.Phase = toolscript.Finalizing
		err = g.link.writeEnd(outcome)
	}
	if err = errors.Join(err, g.link.flush()); err != nil {
		return err
	}
	if err := vm.Reset(context.Background()); err != nil {
		return err
	}
	vm.Warm()
	return nil
}

// read waits for a frame and handles it and all frames that have already arrived.
func (g *guest) read() error {
	for more := true; more; more = g.link.more() {
		kind, payload, err := g.link.read()
		if err == nil {
			err = g.handle(kind, payload)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take waits for frames for at most the given time, and handles them.
func (g *guest) take(within time.Duration) {
	in, err := g.channel.wait(within, false)
	if err == nil && in {
		err = g.read()
	}
	if err != nil {
		exit(err)
	}
}

func (g *guest) handle(kind frameType, payload []byte) error {
	if g.cancel == nil && kind != frameNames && kind != frameRun {
		return fmt.Errorf("message %d came before a script", kind)
	}
	switch kind {
	case frameNames:
		g.names = &naming.Names{}
		return json.Unmarshal(payload, g.names)
	case frameRun:
		return g.begin(payload)
	case frameCancel:
		g.cancel()
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
		g.answers = append(g.answers, answer)
	case frameClock:
		var header clockHeader
		if err := json.Unmarshal(payload, &header); err != nil {
			return err
		}
		g.setClock(header.Stopped)
	case frameStdin:
		var header stdinHeader
		piece, err := split(payload, &header)
		if err != nil {
			return err
		}
		g.answers = append(g.answers, quickjs.Answer{Stdin: piece, StdinEOF: header.End, StdinErr: header.Err})
	default:
		return fmt.Errorf("a sandbox was sent message %d", kind)
	}
	return nil
}

// begin makes the job in a frame the current one.
func (g *guest) begin(payload []byte) error {
	g.Job, g.resumeClock, g.answers, g.begun = runner.Job{}, nil, nil, false
	if err := json.Unmarshal(payload, &g.Job); err != nil {
		return err
	}
	g.Names, g.Clock = g.names, &runner.Clock{}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	return nil
}

// Next implements quickjs.Host.
func (g *guest) Next(_ context.Context, wait time.Duration) (quickjs.Answer, bool) {
	if len(g.answers) == 0 {
		g.flush()
	}
	if len(g.answers) == 0 { // flush also reads
		g.take(wait)
	}
	if len(g.answers) == 0 {
		return quickjs.Answer{}, false
	}
	first := g.answers[0]
	g.answers[0] = quickjs.Answer{}
	if g.answers = g.answers[1:]; len(g.answers) == 0 {
		g.answers = nil // frees the memory of a burst
	}
	return first, true
}

// pollInterval is the interval at which a script that computes is interrupted to read frames of the gateway.
const pollInterval = 2 * time.Millisecond

// Poll implements quickjs.Host.
func (g *guest) Poll() {
	if now := time.Now(); now.Sub(g.polled) >= pollInterval {
		g.polled = now
		g.flush()
		g.take(0)
	}
}

// flush sends the calls that the script has made. An error means that the gateway has ended,
// which ends this process.
func (g *guest) flush() { _ = g.link.flush() }

// Call implements quickjs.Host.
func (g *guest) Call(c runner.Call) {
	err := g.link.write(frameCall, callFrame(numberOf(c.CallID), c)...)
	if errors.Is(err, errFrameTooLong) {
		g.answers = append(g.answers, quickjs.Answer{CallID: c.CallID, Err: scripterror.ArgumentsTooLong(c.ID, len(c.Args), MaxFrame)})
	}
	// Any other error means that the gateway has ended, which ends this process.
}

// Cancel implements quickjs.Host.
func (g *guest) Cancel(callID string) {
	_ = g.link.write(frameCancelCall, binary.BigEndian.AppendUint32(nil, numberOf(callID))) // an error means that the gateway has ended
}
