package worker

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/quickjs"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// A job is the worker's side of a run. It is the quickjs.Host of its script.
type job struct {
	runner.Job
	ctx         context.Context
	cancel      context.CancelFunc
	inbox       *inbox
	link        *link
	resumeClock func()           // restarts the clock; nil while it runs
	answers     []quickjs.Answer // answers that the script has not taken yet
	polled      time.Time        // time of the last Poll that read frames
}

var _ quickjs.Host = (*job)(nil)

func newJob(b *inbox, payload []byte) (*job, error) {
	j := &job{inbox: b, link: b.link}
	if err := json.Unmarshal(payload, &j.Job); err != nil {
		return nil, err
	}
	j.Names, j.Clock = b.names, &runner.Clock{}
	j.ctx, j.cancel = context.WithCancel(context.Background())
	return j, nil
}

// answer queues an answer for the script, which may compute for a long time before it asks
// for answers.
func (j *job) answer(a quickjs.Answer) { j.answers = append(j.answers, a) }

// Next implements quickjs.Host.
func (j *job) Next(_ context.Context, wait time.Duration) (quickjs.Answer, bool) {
	if len(j.answers) == 0 {
		j.flush()
	}
	if len(j.answers) == 0 { // flush also reads
		j.inbox.take(wait)
	}
	if len(j.answers) == 0 {
		return quickjs.Answer{}, false
	}
	first := j.answers[0]
	j.answers[0] = quickjs.Answer{}
	if j.answers = j.answers[1:]; len(j.answers) == 0 {
		j.answers = nil // frees the memory of a burst
	}
	return first, true
}

// pollInterval is the interval at which a script that computes is interrupted to read frames of the gateway.
const pollInterval = 2 * time.Millisecond

// Poll implements quickjs.Host.
func (j *job) Poll() {
	if now := time.Now(); now.Sub(j.polled) >= pollInterval {
		j.polled = now
		j.flush()
		j.inbox.take(0)
	}
}

// flush sends the calls that the script has made. An error means that the gateway has ended,
// which ends this process.
func (j *job) flush() { _ = j.link.flush() }

// Call implements quickjs.Host.
func (j *job) Call(c runner.Call) {
	err := j.link.write(frameCall, callFrame(numberOf(c.CallID), c)...)
	if errors.Is(err, errFrameTooLong) {
		j.answer(quickjs.Answer{CallID: c.CallID, Err: scripterror.ArgumentsTooLong(c.ID, len(c.Args), MaxFrame)})
	}
	// Any other error means that the gateway has ended, which ends this process.
}

// Cancel implements quickjs.Host.
func (j *job) Cancel(callID string) {
	_ = j.link.write(frameCancelCall, binary.BigEndian.AppendUint32(nil, numberOf(callID))) // an error means that the gateway has ended
}

// ReadStdin implements quickjs.Host.
func (j *job) ReadStdin() {
	_ = j.link.write(frameWantStdin) // an error means that the gateway has ended
}
