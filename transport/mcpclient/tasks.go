package mcpclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Methods and names of tasks. mcp-go only has types for the tasks of MCP 2025-11-25. The tasks of the
// extension for 2026-07-28 have other members.
const (
	tasksExtension = "io.modelcontextprotocol/tasks"
	resultTask     = "task" // resultType of a result that is a task
	methodGetTask  = "tasks/get"
	methodUpdate   = "tasks/update" // only in the extension
	methodResult   = "tasks/result" // only in 2025-11-25
	methodCancel   = "tasks/cancel"
)

// The time between two requests for the state of a task. The server may set another one.
const (
	pollTime      = time.Second
	shortestPoll  = 50 * time.Millisecond
	longestPoll   = time.Minute
	taskCancelled = "cancelled"
)

// task is a task of a server, in both forms of MCP.
type task struct {
	ID      string `json:"taskId"`
	Status  string `json:"status"`
	Message string `json:"statusMessage"`

	PollMs int64 `json:"pollIntervalMs"`
	Poll   int64 `json:"pollInterval"` // the same in 2025-11-25, in milliseconds

	// Members that only the extension has.
	Result        json.RawMessage          `json:"result"`
	Error         *mcp.JSONRPCErrorDetails `json:"error"`
	InputRequests map[string]inputRequest  `json:"inputRequests"`
}

// over reports whether the task has ended.
func (t *task) over() bool {
	return t.Status == "completed" || t.Status == "failed" || t.Status == taskCancelled
}

func (t *task) pause() time.Duration {
	ms := cmp.Or(t.PollMs, t.Poll, pollTime.Milliseconds())
	return min(max(time.Duration(min(ms, longestPoll.Milliseconds()))*time.Millisecond, shortestPoll), longestPoll)
}

// TaskError is the error of a call whose connection was lost while the server worked on a task. To get
// the result of the task, make a call with ToolCall.Task on another connection.
type TaskError struct {
	ID  string
	Err error
}

func (e *TaskError) Error() string {
	return fmt.Sprintf("%s; the server works on the task %s", e.Err, e.ID)
}
func (e *TaskError) Unwrap() error { return e.Err }

// TaskOf returns the id of the task in a TaskError in err's tree; "" if there is none.
func TaskOf(err error) string {
	if e, left := errors.AsType[*TaskError](err); left {
		return e.ID
	}
	return ""
}

// tasks is the state of a connection that is about tasks.
type tasks struct {
	mu    sync.Mutex
	only  map[string]bool          // tools that can only be called as a task
	moved map[string]chan struct{} // by id of an awaited task; receives a value when the server has announced a change

	early *budget.Cache[string, struct{}] // ids of other tasks whose change was announced: it may arrive before the task is known
}

const (
	maxEarly      = 1000      // tasks in early
	maxEarlyBytes = 256 << 10 // of their ids
)

// setOnly sets the tools that can only be called as a task.
func (t *tasks) setOnly(names map[string]bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.only = names
}

// wants reports whether a call must ask the server for a task. It need not in the extension, because there the server
// decides.
func (c *Conn) wants(tool string) bool {
	if !c.offers.tasks {
		return false
	}
	c.tasks.mu.Lock()
	defer c.tasks.mu.Unlock()
	return c.tasks.only[tool]
}

// await registers a task. moved receives a value when the server announces a change of the task, also if it has done so
// before.
func (t *tasks) await(id string) (moved <-chan struct{}, forget func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.moved == nil {
		t.moved = map[string]chan struct{}{}
	}
	if t.moved[id] == nil {
		t.moved[id] = make(chan struct{}, 1)
		if t.early != nil {
			if _, has := t.early.Get(id); has {
				t.moved[id] <- struct{}{}
			}
		}
	}
	return t.moved[id], func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.moved, id)
	}
}

// announced handles the notification that a task has changed.
func (t *tasks) announced(fields map[string]any) {
	id, _ := fields["taskId"].(string)
	t.mu.Lock()
	defer t.mu.Unlock()
	if moved := t.moved[id]; moved != nil {
		select {
		case moved <- struct{}{}:
		default:
		}
		return
	}
	if t.early == nil {
		t.early = budget.NewCache[string, struct{}](maxEarly, maxEarlyBytes)
	}
	if _, has := t.early.Get(id); !has {
		t.early.Put(id, struct{}{}, len(id))
	}
}

// newTask returns the task in the result of a call; nil if the result is not a task.
func newTask(result json.RawMessage, modern bool) *task {
	var r struct {
		ResultType string `json:"resultType"`
		task
		Task *task `json:"task"`
	}
	if json.Unmarshal(result, &r) != nil {
		return nil
	}
	switch {
	case modern && r.ResultType == resultTask && r.ID != "":
		return &r.task
	case !modern && r.Task != nil && r.Task.ID != "":
		return r.Task
	}
	return nil
}

// follower follows one task for a call.
type follower struct {
	*Conn
	call     upstream.ToolCall
	about    toolscript.Error
	answered map[string]bool // keys of the input requests that were answered
}

// follow waits for the end of a task and returns the result of the call. If ctx ends before, follow
// asks the server to cancel the task.
func (f *follower) follow(ctx context.Context, t *task) (json.RawMessage, error) {
	if f.call.Began != nil {
		f.call.Began(t.ID)
	}
	moved, forget := f.tasks.await(t.ID)
	defer forget()
	defer f.listen(ctx, t.ID)()
	for {
		f.report(ctx, t)
		switch {
		case t.over(), t.Status == "input_required" && !f.dialect.modern():
			return f.result(ctx, t)
		case t.Status == "input_required":
			if err := f.update(ctx, t); err != nil {
				return nil, f.failure(ctx, t, err)
			}
		}
		select {
		case <-moved:
		case <-time.After(t.pause()):
		case <-ctx.Done():
			return nil, f.failure(ctx, t, ctx.Err())
		case <-f.Lost():
			return nil, f.failure(ctx, t, f.tooLate(f.about))
		}
		next, err := f.get(ctx, t.ID)
		switch {
		case toolscript.KindOf(err) == toolscript.Busy: // ask again later
		case err != nil:
			return nil, f.failure(ctx, t, err)
		default:
			t = next
		}
	}
}

// listen subscribes to changes of a task until stop is called. It does nothing in MCP 2025-11-25, in
// which servers announce changes without a subscription.
func (f *follower) listen(ctx context.Context, id string) (stop func()) {
	ctx, stop = context.WithCancel(ctx)
	if f.dialect.modern() {
		go func() {
			defer rescue.Catch(panicked(f.on))
			filter := map[string]any{"notifications": map[string]any{"taskIds": []string{id}}}
			_, _ = f.request(ctx, toolscript.Error{Server: f.name}, string(mcp.MethodSubscriptionsListen), filter, nil) // after an error, follow still asks for the state at intervals
		}()
	}
	return stop
}

// resume follows a task that a call on an earlier connection has started.
func (f *follower) resume(ctx context.Context, id string) (json.RawMessage, error) {
	t, err := f.get(ctx, id)
	if err != nil {
		return nil, f.failure(ctx, &task{ID: id}, err)
	}
	return f.follow(ctx, t)
}

// report reports the state of the task as the progress of the call.
func (f *follower) report(ctx context.Context, t *task) {
	if f.call.Progress != nil {
		f.call.Progress()
	}
	watch := f.call.Watch
	if watch == nil {
		watch = upstream.WatcherOf(ctx)
	}
	if watch == nil {
		return
	}
	text := "task " + upstream.Printable(t.ID) + ": " + cmp.Or(f.redact.Printable(t.Message), t.Status)
	watch(toolscript.Progress{Message: text[:min(len(text), 2*mostProgress)]})
}

func (f *follower) get(ctx context.Context, id string) (*task, error) {
	raw, err := f.request(ctx, f.about, methodGetTask, map[string]any{"taskId": id}, f.call.Progress)
	if err != nil {
		return nil, err
	}
	var t task
	if json.Unmarshal(raw, &t) != nil || t.ID == "" {
		return nil, wrapError(f.about, toolscript.ToolFailed, fmt.Errorf("the server answered %s with %s, which is not a task", methodGetTask, f.redact.Quote(raw)))
	}
	return &t, nil
}

// result returns the result of a task that has ended. In MCP 2025-11-25, it also answers the questions of a task that
// waits for input: the server asks them while the request for the result is open.
func (f *follower) result(ctx context.Context, t *task) (json.RawMessage, error) {
	about := f.about
	about.Sent = toolscript.SentYes
	switch {
	case !f.dialect.modern() && t.Status != taskCancelled:
		raw, err := f.request(ctx, f.about, methodResult, map[string]any{"taskId": t.ID}, f.call.Progress)
		if err != nil {
			return nil, f.failure(ctx, t, err)
		}
		return raw, nil
	case t.Status == "completed":
		return t.Result, nil
	case t.Error != nil:
		return nil, f.failed(f.about, t.Error)
	default:
		return nil, wrapError(about, toolscript.ToolFailed, fmt.Errorf("the task %s was %s: %s", upstream.Printable(t.ID), upstream.Printable(t.Status), f.redact.Printable(t.Message)))
	}
}

// update answers those questions of the server that were not answered before.
func (f *follower) update(ctx context.Context, t *task) error {
	answers := map[string]json.RawMessage{}
	for name, asked := range t.InputRequests {
		if f.answered[name] {
			continue
		}
		answer, err := f.reply(ctx, asked.Method, asked.Params)
		if err != nil {
			return wrapError(f.about, toolscript.ToolFailed, fmt.Errorf("the server asks for input (%s): %s", upstream.Printable(asked.Method), f.redact.Printable(err.Error())))
		}
		if f.answered == nil {
			f.answered = map[string]bool{}
		}
		answers[name], f.answered[name] = answer, true
	}
	if len(answers) == 0 {
		return nil
	}
	_, err := f.request(ctx, f.about, methodUpdate, map[string]any{"taskId": t.ID, "inputResponses": answers}, f.call.Progress)
	return err
}

// failure returns the error of a call if follow could not wait for the end of its task.
func (f *follower) failure(ctx context.Context, t *task, err error) error {
	about := f.about
	about.Sent = toolscript.SentUnknown
	if ctx.Err() == nil && toolscript.KindOf(err) == toolscript.Unavailable {
		about.RetryAfter = retryAfter
		return wrapError(about, toolscript.Unavailable, &TaskError{t.ID, errors.New(toolscript.TextOf(err))}) // not ErrUnreachable, after which the call would be sent again
	}
	f.cancelTask(t.ID)
	if ctx.Err() != nil {
		about.Err = fmt.Errorf("no answer in time, and the task %s was cancelled at the server; %s", upstream.Printable(t.ID), toolscript.UnknownOutcome)
		return contextError(ctx, &about)
	}
	return withSentUnknown(err)
}

// withSentUnknown sets Sent in the error of a request about a task: the call itself was sent before.
func withSentUnknown(err error) error {
	var known *toolscript.Error
	if !errors.As(err, &known) {
		return err
	}
	full := *known
	full.Sent = toolscript.SentUnknown
	return &full
}

// cancelTask asks the server to end a task, in the background.
func (c *Conn) cancelTask(id string) {
	go func() {
		defer rescue.Catch(panicked(c.on))
		ctx, done := context.WithTimeout(context.Background(), cancelTimeout)
		defer done()
		_, _ = c.request(ctx, toolscript.Error{Server: c.name}, methodCancel, map[string]any{"taskId": id}, nil) // best effort: the caller already has its error
	}()
}

// taskIn returns the id of the task in a request about a task. MCP 2026-07-28 repeats it in an HTTP header.
func taskIn(method string, params json.RawMessage) string {
	if method != methodGetTask && method != methodUpdate && method != methodCancel {
		return ""
	}
	var p struct {
		ID string `json:"taskId"`
	}
	_ = json.Unmarshal(params, &p) // never fails: this program has encoded params
	encoded, _ := mcp.EncodeHeaderValue(p.ID)
	return encoded
}
