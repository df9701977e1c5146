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
	somebody bool // there is one
	fits     func(schema, value []byte) bool

	mu   sync.Mutex
	last int
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
	a.mu.Lock()
	a.last++
	q.ID = fmt.Sprintf("ask_%d", a.last)
	open := &ask{q, make(chan toolscript.Answer, 1)}
	a.open[q.ID] = open
	a.mu.Unlock()
	defer a.forget(q.ID)
	tell(q)
	select {
	case answer := <-open.answer:
		return answer, nil
	case <-ctx.Done():
		return toolscript.Answer{ID: q.ID, Action: toolscript.Cancel}, nil
	}
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
