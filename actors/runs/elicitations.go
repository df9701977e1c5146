package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/runner"
)

var errElicitationUnsupported = &toolscript.Error{
	Kind: toolscript.Unsupported, Err: errors.New("the question cannot be shown: the client of this run answers no questions"),
}

// elicitations are the questions of servers to the person who started the run. It is
// safe for concurrent use.
type elicitations struct {
	person bool                                                                              // a person can fill in forms
	pages  bool                                                                              // a person can open pages
	max    int64                                                                             // bound of the questions of all servers together
	fit    func(ctx context.Context, schema, value json.RawMessage) (json.RawMessage, error) // see Deps.Fit
	events *emitter
	clock  *runner.Clock // clock of the run; stopped while a question is open
	paged  func()        // called when the waiting pages change; does not block

	ended    <-chan struct{} // closed at the end of the script
	terminal int             // process of the person, see toolscript.Call

	mu   sync.Mutex
	last int64 // number of the last question
	open map[string]*openQuestion
}

type openQuestion struct {
	toolscript.Question
	answer chan toolscript.Answer // buffered for one answer
}

// ask emits a question and waits for the answer.
func (e *elicitations) ask(ctx context.Context, q toolscript.Question) (toolscript.Answer, error) {
	defer e.clock.Hold()()
	if q.URL == "" && !e.person || q.URL != "" && !e.pages {
		return toolscript.Answer{}, errElicitationUnsupported
	}
	open, err := e.begin(q)
	if err != nil {
		return toolscript.Answer{}, err
	}
	q = open.Question
	defer e.close(q.ID)
	e.events.emit(toolscript.Event{Type: toolscript.EventAsk, Ask: &q})
	select {
	case answer := <-open.answer:
		e.follow(ctx, q, answer)
		return answer, nil
	case <-ctx.Done():
		if isFinished(q) {
			e.events.emit(finishedEvent(q))
		}
		return toolscript.Answer{ID: q.ID, Action: toolscript.Cancel}, nil
	}
}

// follow emits an event when the flow of an opened page has ended. If the question has Await, follow waits for that.
func (e *elicitations) follow(ctx context.Context, q toolscript.Question, answer toolscript.Answer) {
	if answer.Action != toolscript.Accept || q.Finished == nil {
		return
	}
	done := ctx.Done()
	if !q.Await {
		done = e.ended
	}
	wait := func() {
		select {
		case <-q.Finished:
			e.events.emit(finishedEvent(q))
		case <-done:
		}
	}
	if q.Await {
		wait()
		return
	}
	mailbox.Go(wait, func(error) {}) // emit recovers panics of the client's code
}

func isFinished(q toolscript.Question) bool {
	select {
	case <-q.Finished:
		return true
	default:
		return false
	}
}

func finishedEvent(q toolscript.Question) toolscript.Event {
	return toolscript.Event{Type: toolscript.EventFinished, Ask: &q}
}

// waiting returns the questions about pages that the person has not agreed to open.
func (e *elicitations) waiting() []toolscript.Question {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []toolscript.Question
	for _, open := range e.open {
		if open.URL != "" {
			all = append(all, open.Question)
		}
	}
	slices.SortFunc(all, func(a, b toolscript.Question) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// begin counts a question against the budget and assigns its id. Without a budget a server
// could ask for ever, because the clock of the run stands still during a question.
func (e *elicitations) begin(q toolscript.Question) (*openQuestion, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.last >= e.max {
		return nil, &toolscript.Error{
			Kind: toolscript.LimitCalls, Err: fmt.Errorf("the servers have asked the maximum of %d questions in this run; allow more with --questions", e.max),
		}
	}
	e.last++
	q.ID = fmt.Sprintf("ask_%d", e.last)
	open := &openQuestion{q, make(chan toolscript.Answer, 1)}
	e.open[q.ID] = open
	e.changed(open)
	return open, nil
}

// changed reports that a question has begun or ended.
func (e *elicitations) changed(open *openQuestion) {
	if open != nil && open.URL != "" {
		e.paged()
	}
}

func (e *elicitations) close(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	open := e.open[id]
	delete(e.open, id)
	e.changed(open)
}

// give answers an open question. After an answer that does not fit, the question
// stays open.
func (e *elicitations) give(ctx context.Context, answer toolscript.Answer) error {
	if err := answer.Validate(); err != nil {
		return err
	}
	open := e.find(answer.ID)
	if open != nil && open.URL != "" {
		answer.Content = nil
	} else if open != nil && answer.Action == toolscript.Accept {
		content, err := e.fit(ctx, open.Schema, answer.Content)
		if err != nil {
			return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("the content does not fit the schema of the question: %w", err)}
		}
		answer.Content = content
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if open == nil || e.open[answer.ID] != open {
		return &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("no open question %.50q; it has been answered or has expired", answer.ID)}
	}
	delete(e.open, answer.ID)
	e.changed(open)
	open.answer <- answer // never blocks: only the first answer finds the question open
	return nil
}

func (e *elicitations) find(id string) *openQuestion {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.open[id]
}

// asking handles the elicitations of one call. It remembers that the budget was exceeded,
// because the error of the server does not say so. It is safe for concurrent use.
type asking struct {
	of *elicitations

	mu       sync.Mutex
	exceeded error
}

func (a *asking) ask(ctx context.Context, q toolscript.Question) (toolscript.Answer, error) {
	answer, err := a.of.ask(ctx, q)
	if toolscript.KindOf(err) == toolscript.LimitCalls {
		a.mu.Lock()
		a.exceeded = err
		a.mu.Unlock()
	}
	return answer, err
}

// reason returns the budget error in place of the failure of a call whose questions exceeded the budget.
func (a *asking) reason(tool toolscript.Tool, failure *toolscript.ToolError) *toolscript.ToolError {
	a.mu.Lock()
	defer a.mu.Unlock()
	if failure == nil || a.exceeded == nil {
		return failure
	}
	exceeded := toolError(tool, tool.ID(), a.exceeded)
	exceeded.Sent = failure.Sent
	return exceeded
}
