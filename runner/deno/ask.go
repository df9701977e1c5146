package deno

import (
	"context"
	"encoding/json"
	"errors"
)

// question is what a script's process cannot know: the table of names and the
// map to the user's text stay here.
type question struct {
	Question string            `json:"question"`
	Given    []json.RawMessage `json:"given"`
}

// server is the index that questions about one server begin with.
func (q question) server() (n int) {
	if len(q.Given) > 0 {
		_ = json.Unmarshal(q.Given[0], &n) // a script that breaks its own questions gets odd answers
	}
	return n
}

func (q question) text(i int) (s string) {
	if i < len(q.Given) {
		_ = json.Unmarshal(q.Given[i], &s) // as above
	}
	return s
}

// questions are what can be asked.
var questions = map[string]func(*run, question) any{
	"server":  func(r *run, q question) any { return r.names.Server(q.text(0)) },
	"tool":    func(r *run, q question) any { return r.names.Tool(q.server(), q.text(1)) },
	"id":      func(r *run, q question) any { return r.names.ID(q.server(), q.text(1)) },
	"shown":   func(r *run, q question) any { return r.names.Shown(q.server(), q.text(1)) },
	"names":   func(r *run, q question) any { return r.names.Idents(q.server()) },
	"missing": func(r *run, q question) any { return r.names.Missing(q.server(), q.text(1)) },
	"trace": func(r *run, q question) any {
		text, _, _ := r.source.Trace(q.text(0))
		return text
	},
}

func (r *run) answer(payload []byte) error {
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

// errOver is the answer to a script whose run has ended.
var errOver = errors.New("the run has ended")

// enter lets a goroutine of the door use the host until it calls leave.
func (r *run) enter() (leave func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return nil, errOver
	}
	r.pending.Add(1)
	return r.pending.Done, nil
}

// stdin is the next piece of standard input; nil is its end.
func (r *run) stdin(ctx context.Context) ([]byte, error) {
	leave, err := r.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	r.input.Lock()
	defer r.input.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	return r.host.ReadStdin(ctx)
}
