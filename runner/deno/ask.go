package deno

import (
	"encoding/json"
	"time"

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// question asks the gateway for data that the script's process does not have: the table of
// names and the source map stay in the gateway.
type question struct {
	Question string            `json:"question"`
	Given    []json.RawMessage `json:"given"`
}

// server returns the index of the server that the question is about, which is its first argument.
func (q question) server() (n int) {
	if len(q.Given) > 0 {
		_ = json.Unmarshal(q.Given[0], &n) // a script can forge an invalid question; then n is 0
	}
	return n
}

func (q question) text(i int) (s string) {
	if i < len(q.Given) {
		_ = json.Unmarshal(q.Given[i], &s) // a script can forge an invalid question; then s is ""
	}
	return s
}

// questions maps the questions that a process may ask to the functions that answer them.
var questions = map[string]func(*denoRun, question) any{
	"server":  func(r *denoRun, q question) any { return r.names.Server(q.text(0)) },
	"tool":    func(r *denoRun, q question) any { return r.names.Tool(q.server(), q.text(1)) },
	"id":      func(r *denoRun, q question) any { return r.names.ID(q.server(), q.text(1)) },
	"shown":   func(r *denoRun, q question) any { return r.names.Shown(q.server(), q.text(1)) },
	"pages":   func(r *denoRun, q question) any { return r.names.Pages(q.server(), q.text(1)) },
	"names":   func(r *denoRun, q question) any { return r.names.Idents(q.server()) },
	"missing": func(r *denoRun, q question) any { return scripterror.Missing(r.names, q.server(), q.text(1)) },
	"trace":   func(r *denoRun, q question) any { return r.source.Trace(q.text(0)) },
	"grace":   func(r *denoRun, _ question) any { return r.timerGrace().Milliseconds() },
	"spare":   func(r *denoRun, _ question) any { return r.spare() },
}

// timerGrace returns how long timers that no code awaits may continue.
func (r *denoRun) timerGrace() time.Duration {
	if left, bounded := r.WallLeft(); bounded {
		return min(runner.TimerGrace, left/2)
	}
	return runner.TimerGrace
}

// spare returns the milliseconds until the run has to read its value, or nil if there is no limit.
func (r *denoRun) spare() *int64 {
	left, bounded := r.WallLeft()
	if !bounded || r.job.Clock.Stopped() {
		return nil
	}
	limit := time.Duration(r.job.Limits.TimeoutMs) * time.Millisecond
	ms := max(0, (left - runner.TimerReserve(limit)).Milliseconds())
	return &ms
}

func (r *denoRun) answerQuestion(payload []byte) error {
	var q question
	if err := json.Unmarshal(payload, &q); err != nil {
		return errNotUnderstood
	}
	reply, known := questions[q.Question]
	if !known {
		return errNotUnderstood
	}
	return writeMessage(r.process.stdin, reply(r, q))
}
