package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// detached is a gateway whose detached runs have the events of the function events. It receives the answers of
// approvals.
type detached struct {
	Gateway
	events   func(ctx context.Context, emit func(toolscript.Event) error) error
	detached error // error of Detach
	waits    []toolscript.Approval
	answered chan toolscript.ApprovalAnswer
}

func (g *detached) Detach(context.Context, toolscript.ExecRequest) (string, error) {
	return "run_1", g.detached
}

func (g *detached) RunEvents(ctx context.Context, _ string, _ bool, emit func(toolscript.Event) error) error {
	return errors.Join(emit(toolscript.Event{Type: toolscript.EventStart, RunID: "run_1"}), g.events(ctx, emit))
}

func (g *detached) Exec(_ context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	return emit(toolscript.EndEvent("run_2", toolscript.End{OK: true, Value: json.RawMessage(`"attached"`)}))
}

func (g *detached) PendingApprovals(context.Context) ([]toolscript.Approval, error) {
	return g.waits, nil
}

func (g *detached) AnswerApproval(_ context.Context, _ string, answer toolscript.ApprovalAnswer) error {
	g.answered <- answer
	return nil
}

// lasts returns the events of a run that ends after a time.
func lasts(d time.Duration) func(context.Context, func(toolscript.Event) error) error {
	return func(_ context.Context, emit func(toolscript.Event) error) error {
		time.Sleep(d) // in the time of a synctest bubble
		return emit(toolscript.EndEvent("run_1", toolscript.End{OK: true, Value: json.RawMessage(`"done"`)}))
	}
}

// taskClient sends requests to an entrance without a connection: mcp-go's session on stdio has channels outside of any
// synctest bubble.
type taskClient struct{ *entrance }

func taskClientOf(t *testing.T, g Gateway) taskClient {
	t.Helper()
	e := newEntrance(t.Context(), Options{
		Gateway: func(context.Context) (Gateway, func(), error) { return g, func() {}, nil },
		Shorten: func(_ string, v json.RawMessage, _ int) (json.RawMessage, []string) { return v, nil },
		Media:   func(string, json.RawMessage) ([]terminal.Medium, int) { return nil, 0 },
		Error:   func(e *toolscript.RunError) string { return e.Message },
		Shown:   func(string, string, []byte) {},
	})
	t.Cleanup(e.tasks.end)
	return taskClient{e}
}

func (c taskClient) ask(method, params string) string {
	return string(c.answerTask(context.Background(), message{JSONRPC: "2.0", ID: json.RawMessage("1"), Method: method, Params: json.RawMessage(params)}))
}

const taskMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` +
	`{"elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}}`

const runParams = `{"name":"run_script","arguments":{"code":"x"},` + taskMeta + `}`

// TestTaskAfterTwoSeconds checks when a run becomes a task without a setting, and that a client polls its state.
func TestTaskAfterTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &detached{events: lasts(DefaultTaskAfter - time.Millisecond)}
		c := taskClientOf(t, g)
		if got := c.ask("tools/call", runParams); !strings.Contains(got, "done") || strings.Contains(got, `"taskId"`) {
			t.Errorf("a run of less than two seconds: %s", got)
		}
		g.events = lasts(DefaultTaskAfter + time.Millisecond)
		begun := time.Now()
		if got := c.ask("tools/call", runParams); !strings.Contains(got, `"resultType":"task"`) || !strings.Contains(got, `"taskId":"run_1"`) || !strings.Contains(got, `"status":"working"`) {
			t.Errorf("a run of more than two seconds: %s", got)
		}
		if took := time.Since(begun); took != 2*time.Second {
			t.Errorf("the task begins after %v", took)
		}
		time.Sleep(time.Second)
		if got := c.ask("tasks/get", `{"taskId":"run_1",`+taskMeta+`}`); !strings.Contains(got, `"status":"completed"`) || !strings.Contains(got, "done") {
			t.Errorf("after its end: %s", got)
		}
	})
}

// TestTooManyTasks checks that a run is an ordinary call if the gateway has no room for another detached run.
func TestTooManyTasks(t *testing.T) {
	g := &detached{detached: &toolscript.Error{Kind: toolscript.Busy, Err: errors.New("16 detached runs")}}
	if got := taskClientOf(t, g).ask("tools/call", runParams); !strings.Contains(got, "attached") || strings.Contains(got, `"taskId"`) {
		t.Errorf("the answer is %s", got)
	}
	g.detached = &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("no such limit")}
	if got := taskClientOf(t, g).ask("tools/call", runParams); !strings.Contains(got, "no such limit") {
		t.Errorf("another error: %s", got)
	}
}

// TestTaskWaitsForApproval checks that an approval is an input request of a task, and that the person's answer
// reaches the gateway.
func TestTaskWaitsForApproval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		approval := toolscript.Approval{ID: "approval_1", Run: "run_1", Tool: "files__delete", Args: `{"path":"a"}`, Expires: time.Now().Add(time.Hour), NoCode: true}
		g := &detached{waits: []toolscript.Approval{approval}, answered: make(chan toolscript.ApprovalAnswer, 1)}
		var answer toolscript.ApprovalAnswer
		g.events = func(_ context.Context, emit func(toolscript.Event) error) error {
			err := emit(toolscript.Event{Type: toolscript.EventApproval, Approval: &approval})
			answer = <-g.answered
			return errors.Join(err, emit(toolscript.EndEvent("run_1", toolscript.End{OK: true, Value: json.RawMessage(`"deleted"`)})))
		}
		c := taskClientOf(t, g)
		begun := time.Now()
		if got := c.ask("tools/call", runParams); !strings.Contains(got, `"taskId":"run_1"`) || !time.Now().Equal(begun) {
			t.Errorf("a run that asks is no task at once: %s after %v", got, time.Since(begun))
		}
		get := func() string { return c.ask("tasks/get", `{"taskId":"run_1",`+taskMeta+`}`) }
		var state struct {
			Result struct {
				Status        string
				InputRequests map[string]struct {
					Method string
					Params struct{ Message string }
				}
			}
		}
		text := get()
		if err := json.Unmarshal([]byte(text), &state); err != nil || state.Result.Status != "input_required" || len(state.Result.InputRequests) != 1 {
			t.Fatalf("%v: %s", err, text)
		}
		for key, r := range state.Result.InputRequests {
			if r.Method != "elicitation/create" || !strings.Contains(r.Params.Message, "files__delete") {
				t.Errorf("the request %s is %+v", key, r)
			}
			c.ask("tasks/update", `{"taskId":"run_1","inputResponses":{"`+key+`":{"action":"accept","content":{"answer":"allow once"}}},`+taskMeta+`}`)
		}
		synctest.Wait()
		if answer.Action != toolscript.ApprovalAllow || answer.Scope != toolscript.ScopeOnce || !answer.Client {
			t.Errorf("the answer is %+v", answer)
		}
		if got := get(); !strings.Contains(got, `"status":"completed"`) || !strings.Contains(got, "deleted") {
			t.Errorf("after the answer: %s", got)
		}
	})
}
