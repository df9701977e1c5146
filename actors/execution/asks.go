package execution

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/toolscript/toolscript"
)

var errNobody = &toolscript.Error{
	Kind: toolscript.Unsupported, Err: errors.New("nobody can be asked: the script was not started by a person at a terminal"),
}

// asks are the open questions to the person who started a run.
type asks struct {
	somebody bool  // there is one
	most     int64 // questions, of all servers together
	fits     func(schema, value []byte) bool

	mu   sync.Mutex
	last int64 // number of the last question that was put
	open map[string]*ask
}

// ask is one open question.
type ask struct {
	toolscript.Question
	answer chan toolscript.Answer // holds one
}

// put puts a question by tell and waits for the answer.
func (a *asks) put(ctx context.Context, q toolscript.Question, tell func(toolscript.Question)) (toolscript.Answer, error) {
	if !a.somebody {
		return toolscript.Answer{}, errNobody
	}
	open, err := a.begin(q)
	if err != nil {
		return toolscript.Answer{}, err
	}
	q = open.Question
	defer a.forget(q.ID)
	tell(q)
	select {
	case answer := <-open.answer:
		return answer, nil
	case <-ctx.Done():
		return toolscript.Answer{ID: q.ID, Action: toolscript.Cancel}, nil
	}
}

// begin counts a question against the budget and gives it its id. A server that
// asks on and on would keep both the person and the run, whose clock stands still.
func (a *asks) begin(q toolscript.Question) (*ask, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last >= a.most {
		return nil, &toolscript.Error{
			Kind: toolscript.LimitCalls, Err: fmt.Errorf("the run has put as many questions to a person as it may (%d); allow more with --questions", a.most),
		}
	}
	a.last++
	q.ID = fmt.Sprintf("ask_%d", a.last)
	open := &ask{q, make(chan toolscript.Answer, 1)}
	a.open[q.ID] = open
	return open, nil
}

func (a *asks) forget(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, id)
}

// give answers an open question. One that does not fit the question leaves it
// open.
func (a *asks) give(answer toolscript.Answer) error {
	if err := answer.Validate(); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	open := a.open[answer.ID]
	switch {
	case open == nil:
		return &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("no open question %.50q; it has been answered, or its time is over", answer.ID)}
	case answer.Action == toolscript.Accept && !a.fits(open.Schema, answer.Content):
		return &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("the content does not fit the schema of the question")}
	}
	delete(a.open, answer.ID)
	open.answer <- answer // it has room for one, and nobody else gives any
	return nil
}

// asking is the way of one call to the person. It is safe for concurrent use.
type asking struct {
	mu      sync.Mutex
	refused error // over the budget
}

// by puts questions by ask and remembers that one was over the budget.
func (a *asking) by(ask func(context.Context, toolscript.Question) (toolscript.Answer, error)) func(context.Context, toolscript.Question) (toolscript.Answer, error) {
	return func(ctx context.Context, q toolscript.Question) (toolscript.Answer, error) {
		answer, err := ask(ctx, q)
		if toolscript.KindOf(err) == toolscript.LimitCalls {
			a.mu.Lock()
			a.refused = err
			a.mu.Unlock()
		}
		return answer, err
	}
}

// reason is why a call failed: not what its server made of it that it could not
// ask, but that it could not.
func (a *asking) reason(tool toolscript.Tool, failure *toolscript.ToolError) *toolscript.ToolError {
	a.mu.Lock()
	defer a.mu.Unlock()
	if failure == nil || a.refused == nil {
		return failure
	}
	return toolError(tool, tool.ID(), a.refused)
}
