package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
)

// The states of a task.
const (
	taskWorking   = "working"
	taskAsks      = "input_required"
	taskCompleted = "completed"
	taskCancelled = "cancelled"
)

const (
	taskPoll = time.Second // time between two requests of a client for the state
	taskKeep = time.Hour   // how long the result can be read after the end
)

// task is a detached run that a client asks for with tasks/get. It has the id of the run. The gateway
// keeps the events of the run, so another process finds the task as well.
type task struct {
	*script
	client  context.Context //nolint:containedctx // what the request that began the task says about its client
	created time.Time

	mu        sync.Mutex
	opened    chan struct{}       // receives a value when a question is open
	open      map[string]question // questions without an answer, by key
	asked     map[string]int      // how often a question was asked, by its id
	changed   time.Time
	ended     time.Time // zero: the run has not ended
	cancelled bool      // the client has cancelled the task
	result    *mcp.CallToolResult
	moved     chan struct{} // closed when the task may have changed; then there is another one
}

// taskState is a task as a client sees it, with the members of its state.
type taskState struct {
	ResultType    string              `json:"resultType,omitempty"`
	ID            string              `json:"taskId"`
	Status        string              `json:"status"`
	Message       string              `json:"statusMessage,omitempty"`
	Created       time.Time           `json:"createdAt"`
	Updated       time.Time           `json:"lastUpdatedAt"`
	TTL           int64               `json:"ttlMs"`
	Poll          int64               `json:"pollIntervalMs,omitempty"`
	InputRequests mcp.InputRequests   `json:"inputRequests,omitempty"`
	Result        *mcp.CallToolResult `json:"result,omitempty"`
}

// runs reports whether the task has not ended.
func (s taskState) runs() bool { return s.Status == taskWorking || s.Status == taskAsks }

// newTask follows a detached run until its end, and then calls release. ctx identifies the client.
func (e *entrance) newTask(ctx context.Context, g Gateway, release func(), runID string, args runArgs) *task {
	now := time.Now()
	forms, _ := canElicit(ctx)
	t := &task{
		script: &script{
			entrance: e, gateway: g, runID: runID, tokens: args.MaxTokens, notes: args.notes,
			questions: make(chan question, 2*maxQuestions+maxForms), asks: forms, done: make(chan struct{}),
		},
		client: context.WithoutCancel(ctx), created: now, changed: now,
		opened: make(chan struct{}, 1), moved: make(chan struct{}), open: map[string]question{}, asked: map[string]int{},
	}
	t.ctx, t.cancel = context.WithCancel(t.client)
	go func() {
		defer release()
		defer close(t.done)
		t.failed = g.RunEvents(t.ctx, runID, true, func(e toolscript.Event) error {
			err := t.event(e)
			t.mu.Lock()
			defer t.mu.Unlock()
			t.change()
			return err
		})
		t.mu.Lock()
		defer t.mu.Unlock()
		t.ended = time.Now()
	}()
	go t.collect()
	return t
}

// collect receives the questions of the run.
func (t *task) collect() {
	for {
		select {
		case <-t.done:
			return
		case q := <-t.questions:
			t.pose(q)
		}
	}
}

// pose adds a question to the state of the task. A question that is asked again has another key.
func (t *task) pose(q question) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := q.ID
	if t.asked[q.ID]++; t.asked[q.ID] > 1 {
		key = fmt.Sprintf("%s.%d", q.ID, t.asked[q.ID])
	}
	t.open[key], t.changed = q, time.Now()
	t.change()
	select {
	case t.opened <- struct{}{}:
	default:
	}
}

// take removes and returns an open question.
func (t *task) take(key string) (question, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	q, ok := t.open[key]
	delete(t.open, key)
	if ok {
		t.changed = time.Now()
		t.change()
	}
	return q, ok
}

// withdraw removes questions that were answered elsewhere.
func (t *task) withdraw(ctx context.Context) {
	t.mu.Lock()
	var left []string
	for key, q := range t.open {
		if q.approval != nil {
			left = append(left, key)
		}
	}
	t.mu.Unlock()
	if len(left) == 0 {
		return
	}
	pending, err := t.gateway.PendingApprovals(ctx)
	if err != nil {
		return // unknown, so they stay
	}
	waits := map[string]bool{}
	for _, a := range pending {
		waits[a.ID] = true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range left {
		if q, ok := t.open[key]; ok && !waits[q.approval.ID] {
			delete(t.open, key)
		}
	}
}

// over reports whether the run has ended.
func (t *task) over() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// state returns the state of the task. The error says that the gateway does not answer.
func (t *task) state(ctx context.Context) (taskState, error) {
	over := t.over()
	if over && t.script.end == nil && t.failed != nil {
		return taskState{}, t.failed
	}
	if !over {
		t.withdraw(ctx)
	}
	message, reported := t.progress.latest()
	t.mu.Lock()
	defer t.mu.Unlock()
	s := taskState{ID: t.runID, Status: taskWorking, Message: message, Created: t.created, Updated: t.changed, Poll: taskPoll.Milliseconds()}
	if reported.After(s.Updated) {
		s.Updated = reported
	}
	lasts := time.Since(t.created)
	switch {
	case over && t.cancelled && t.script.end != nil && t.script.end.Kind == toolscript.Cancelled:
		s.Status, s.Message, s.Updated, lasts = taskCancelled, "the client has cancelled the task", t.ended, t.ended.Sub(t.created)
	case over:
		s.Status, s.Message, s.Updated, lasts = taskCompleted, "", t.ended, t.ended.Sub(t.created)
		s.Result = t.final()
	case len(t.open) > 0:
		s.Status, s.InputRequests = taskAsks, mcp.InputRequests{}
		for key, q := range t.open {
			s.InputRequests[key] = mcp.NewElicitationInputRequest(parameters(q))
		}
	}
	s.Created, s.Updated = s.Created.UTC(), s.Updated.UTC()
	s.TTL = (lasts + taskKeep).Milliseconds()
	return s, nil
}

// final returns the result of the call. The caller holds mu.
func (t *task) final() *mcp.CallToolResult {
	if t.result == nil {
		request := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: runTool.Name}}
		show := t.present(func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return t.close(), nil })
		t.result, _ = show(t.client, request) // close returns no error
		t.result.ResultType = mcp.ResultTypeComplete
	}
	return t.result
}

// abort ends the run for the client.
func (t *task) abort(ctx context.Context) error {
	if t.over() {
		return nil
	}
	t.mu.Lock()
	t.cancelled = true
	t.mu.Unlock()
	err := t.gateway.AbortRun(ctx, t.runID)
	if kind := toolscript.KindOf(err); kind == toolscript.Conflict || kind == toolscript.NotFound {
		return nil // the run has ended
	}
	return err
}

// expired reports whether the task is not kept any more.
func (t *task) expired(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.ended.IsZero() && now.Sub(t.ended) > taskKeep
}

// taskPause is the time between two notifications about a task.
const taskPause = 250 * time.Millisecond

// change wakes all goroutines that follow the task. The caller holds mu.
func (t *task) change() {
	close(t.moved)
	t.moved = make(chan struct{})
}

// follow notifies the client of each state of a task, as tasks/get returns it, until the task or ctx ends.
func (l *listener) follow(ctx context.Context, t *task) {
	var last taskState
	for {
		t.mu.Lock()
		moved := t.moved
		t.mu.Unlock()
		state, err := t.state(ctx)
		if err != nil {
			return // the client learns the error from tasks/get
		}
		if state.Status != last.Status || state.Message != last.Message || !state.Updated.Equal(last.Updated) {
			text, _ := json.Marshal(state) // it always has a JSON form
			var params map[string]any
			_ = json.Unmarshal(text, &params) // it was an object
			l.notify("notifications/tasks", params)
		}
		if last = state; !state.runs() {
			return
		}
		pause, stop := context.WithTimeout(ctx, taskPause)
		for _, wait := range []<-chan struct{}{moved, pause.Done()} {
			select {
			case <-wait:
			case <-t.done:
			case <-ctx.Done():
			}
		}
		if stop(); ctx.Err() != nil {
			return
		}
	}
}
