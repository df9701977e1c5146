package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/quickjs"
)

// A job is the worker's side of a run. It is the quickjs.Host of its script.
type job struct {
	runner.Job
	ctx      context.Context
	cancel   context.CancelFunc
	link     *link
	goOn     func() // lets the clock go on; nil while it does. Only the goroutine that receives uses it
	incoming chan quickjs.Answer
	answers  chan quickjs.Answer
}

var _ quickjs.Host = (*job)(nil)

func newJob(l *link, payload []byte, names *runner.Names) (*job, error) {
	j := &job{link: l, incoming: make(chan quickjs.Answer), answers: make(chan quickjs.Answer)}
	if err := json.Unmarshal(payload, &j.Job); err != nil {
		return nil, err
	}
	j.Names, j.Clock = names, &runner.Clock{}
	j.ctx, j.cancel = context.WithCancel(context.Background())
	go j.queue()
	return j, nil
}

// answer takes an answer for the script. It never waits for the script, which
// may compute for a long time before it looks.
func (j *job) answer(a quickjs.Answer) {
	select {
	case j.incoming <- a:
	case <-j.ctx.Done():
	}
}

// queue holds the answers for which the script has no time yet.
func (j *job) queue() {
	var waiting []quickjs.Answer
	for {
		var next quickjs.Answer
		var to chan<- quickjs.Answer
		if len(waiting) > 0 {
			next, to = waiting[0], j.answers
		}
		select {
		case a := <-j.incoming:
			waiting = append(waiting, a)
		case to <- next:
			waiting = waiting[1:]
		case <-j.ctx.Done():
			return
		}
	}
}

// Answers implements quickjs.Host.
func (j *job) Answers() <-chan quickjs.Answer { return j.answers }

// Call implements quickjs.Host.
func (j *job) Call(c runner.Call) {
	err := j.link.writeJSON(frameCall, callHeader{CallID: c.CallID, ID: c.ID, Task: c.Task}, c.Args)
	if errors.Is(err, errFrameTooLong) {
		j.answer(quickjs.Answer{CallID: c.CallID, Err: &toolscript.ToolError{
			Tool: c.ID, Code: toolscript.TooLarge, Message: fmt.Sprintf("the arguments of %s are too long: %v", c.ID, err),
		}})
	}
	// Any other error is the end of the gateway, which ends the process.
}

// Cancel implements quickjs.Host.
func (j *job) Cancel(callID string) {
	_ = j.link.writeJSON(frameCancelCall, callHeader{CallID: callID}, nil) // an error is the end of the gateway, which ends the process
}

// maxOutput is the longest text that goes to the gateway at once.
const maxOutput = 1 << 20

// Write implements quickjs.Host. It waits while the gateway takes no output:
// that slows a script down whose output nobody reads, and its limits hold.
func (j *job) Write(s runner.Stream, text string) {
	kind := frameStdout
	if s == runner.Stderr {
		kind = frameStderr
	}
	for len(text) > 0 {
		cut := min(len(text), maxOutput)
		for cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut--
		}
		_ = j.link.write(kind, []byte(text[:cut])) // an error is the end of the gateway, which ends the process
		text = text[cut:]
	}
}

// ReadStdin implements quickjs.Host.
func (j *job) ReadStdin() {
	_ = j.link.write(frameWantStdin) // an error is the end of the gateway, which ends the process
}
