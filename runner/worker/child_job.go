package worker

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"unicode/utf8"

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/quickjs"
	"github.com/toolscript/toolscript/runner/report"
)

// A job is the worker's side of a run. It is the quickjs.Host of its script.
type job struct {
	runner.Job
	ctx     context.Context
	cancel  context.CancelFunc
	link    *link
	goOn    func() // lets the clock go on; nil while it does. Only the goroutine that receives uses it
	answers chan quickjs.Answer

	mu      sync.Mutex
	waiting []quickjs.Answer // for which answers has no room
}

var _ quickjs.Host = (*job)(nil)

func newJob(l *link, payload []byte, names *runner.Names) (*job, error) {
	j := &job{link: l, answers: make(chan quickjs.Answer, answersAhead)}
	if err := json.Unmarshal(payload, &j.Job); err != nil {
		return nil, err
	}
	j.Names, j.Clock = names, &runner.Clock{}
	j.ctx, j.cancel = context.WithCancel(context.Background())
	return j, nil
}

// answersAhead is how many answers wait for a script without a goroutine that
// holds more: enough for the calls that a script makes at once.
const answersAhead = 16

// answer takes an answer for the script. It never waits for the script, which
// may compute for a long time before it looks.
func (j *job) answer(a quickjs.Answer) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.waiting) == 0 {
		select {
		case j.answers <- a:
			return
		default:
			go j.passOn()
		}
	}
	j.waiting = append(j.waiting, a)
}

// passOn passes on what waits, until nothing does.
func (j *job) passOn() {
	for more := true; more; more = j.passed() {
		select {
		case j.answers <- j.next():
		case <-j.ctx.Done():
			return
		}
	}
}

// next is the first answer that waits. There is one.
func (j *job) next() quickjs.Answer {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.waiting[0]
}

// passed drops that answer and says whether another one waits.
func (j *job) passed() (more bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waiting = j.waiting[1:]
	return len(j.waiting) > 0
}

// Answers implements quickjs.Host.
func (j *job) Answers() <-chan quickjs.Answer { return j.answers }

// Call implements quickjs.Host.
func (j *job) Call(c runner.Call) {
	err := j.link.writeJSON(frameCall, callHeader{CallID: c.CallID, ID: c.ID, Task: c.Task}, c.Args)
	if errors.Is(err, errFrameTooLong) {
		j.answer(quickjs.Answer{CallID: c.CallID, Err: report.ArgumentsTooLong(c.ID, len(c.Args), MaxFrame)})
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
