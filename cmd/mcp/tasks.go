package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolscript/toolscript"
)

const (
	tasksExtension    = "io.modelcontextprotocol/tasks"
	methodTasksUpdate = "tasks/update"
	missingCapability = -32021 // code of a request that needs a capability that the client has not declared
	maxTasks          = 200    // tasks in memory; the gateway keeps the events of others

	// DefaultTaskAfter is Options.TaskAfter if it is not set.
	DefaultTaskAfter = 2 * time.Second
)

// tasks holds the tasks of clients that declare the extension for tasks, in MCP 2026-07-28. Their
// requests do not go through mcp-go, which has the tasks of 2025-11-25.
type tasks struct {
	mu   sync.Mutex
	all  map[string]*task // by id
	over bool             // the server has ended
}

// isTask reports whether a request is about tasks, or may begin one.
func (m message) isTask() bool {
	switch m.Method {
	case string(mcp.MethodTasksGet), string(mcp.MethodTasksCancel), methodTasksUpdate:
		return mcp.IsModernProtocol(m.passParams().Meta.Version)
	case string(mcp.MethodToolsCall):
		params := m.passParams()
		return params.Name == runTool.Name && mcp.IsModernProtocol(params.Meta.Version) && declaresTasks(params.Meta.Capabilities) && m.begins()
	}
	return false
}

// namesTask reports whether the headers of an HTTP request about a task repeat its id, as the extension wants.
// It is true for other requests.
func (m message) namesTask(r *http.Request) bool {
	if m.Method == string(mcp.MethodToolsCall) || !m.isTask() {
		return true
	}
	var request taskRequest
	_ = json.Unmarshal(m.Params, &request) // an invalid id is refused later
	encoded, _ := mcp.EncodeHeaderValue(request.ID)
	named := r.Header.Get(mcp.HeaderName)
	return named == request.ID || named == encoded
}

// begins reports whether a call of run_script begins a run that it wants to wait for.
func (m message) begins() bool {
	var params struct {
		State     string                     `json:"requestState"`
		Arguments map[string]json.RawMessage `json:"arguments"`
	}
	if json.Unmarshal(m.Params, &params) != nil || params.State != "" {
		return false
	}
	for _, other := range []string{"wait", "run", "abort", "from"} {
		if _, has := params.Arguments[other]; has {
			return false
		}
	}
	return true
}

func declaresTasks(capabilities json.RawMessage) bool {
	var c mcp.ClientCapabilities
	if json.Unmarshal(capabilities, &c) != nil {
		return false
	}
	_, declared := c.Extensions[tasksExtension]
	return declared
}

// taskRequest has the parameters of the requests about tasks.
type taskRequest struct {
	ID        string             `json:"taskId"`
	Responses mcp.InputResponses `json:"inputResponses"`
}

// answerTask returns the response to a request about tasks.
func (e *entrance) answerTask(ctx context.Context, m message) []byte {
	params := m.passParams()
	if !declaresTasks(params.Meta.Capabilities) {
		return missingTasks(string(m.ID))
	}
	ctx = server.WithRequestProtocolInfo(ctx, m.protocolInfo())
	result, err := e.taskResult(ctx, m)
	if err != nil {
		return passedError(string(m.ID), passParams{}, err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		return passedError(string(m.ID), passParams{}, err)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, text)
}

// protocolInfo returns the description of the client in a request of MCP 2026-07-28.
func (m message) protocolInfo() *server.RequestProtocolInfo {
	var params struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &params) // an invalid member stays empty
	return &server.RequestProtocolInfo{
		Modern: true, ProtocolVersion: params.Meta.ProtocolVersion(), ClientInfo: params.Meta.ClientInfo(), ClientCapabilities: params.Meta.ClientCapabilities(),
	}
}

// missingTasks returns the error for a client that has not declared the extension.
func missingTasks(id string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"the client has not declared the extension %[3]s",`+
		`"data":{"requiredCapabilities":{"extensions":{"%[3]s":{}}}}}}`, id, missingCapability, tasksExtension)
}

func (e *entrance) taskResult(ctx context.Context, m message) (any, error) {
	if m.Method == string(mcp.MethodToolsCall) {
		return e.callAsTask(ctx, m)
	}
	var request taskRequest
	if err := json.Unmarshal(m.Params, &request); err != nil || request.ID == "" {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("the parameters of %s must have a taskId", m.Method)}
	}
	t, err := e.findTask(ctx, request.ID)
	if err != nil {
		return nil, err
	}
	switch m.Method {
	case string(mcp.MethodTasksCancel):
		if err := t.abort(ctx); err != nil {
			return nil, err
		}
	case methodTasksUpdate:
		for key := range request.Responses {
			if q, ok := t.take(key); ok {
				t.reply(q, server.ElicitationResponse(request.Responses, key))
			}
		}
	default:
		state, err := t.state(ctx)
		if err != nil {
			e.tasks.forget(t) // the next request asks the gateway again
			return nil, err
		}
		state.ResultType = string(mcp.ResultTypeComplete)
		return state, nil
	}
	return map[string]any{"resultType": mcp.ResultTypeComplete}, nil
}

// callAsTask answers run_script: with its result, or with a task if the run lasts longer or asks for input.
func (e *entrance) callAsTask(ctx context.Context, m message) (any, error) {
	request := mcp.CallToolRequest{}
	if err := json.Unmarshal(m.Params, &request.Params); err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("the parameters of tools/call cannot be read")}
	}
	var left *task
	result, err := e.present(func(ctx context.Context, request mcp.CallToolRequest) (result *mcp.CallToolResult, err error) {
		result, left, err = e.runAsTask(ctx, request)
		return result, err
	})(ctx, request)
	if err != nil || left == nil {
		if result != nil && result.ResultType == "" {
			result.ResultType = mcp.ResultTypeComplete
		}
		return result, err
	}
	state, err := left.state(ctx)
	if err != nil {
		return nil, err
	}
	state.ResultType, state.Result, state.InputRequests = "task", nil, nil
	return state, nil
}

// runAsTask begins a run. It returns its result, or a task for a run that has not ended after TaskAfter.
func (e *entrance) runAsTask(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, *task, error) {
	args, err := readRun(ctx, givenOf(runTool, request))
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil, nil
	}
	g, release, err := e.Gateway(ctx)
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil, nil
	}
	exec := e.execRequest(ctx, args)
	exec.Ask, exec.AskPages = canElicit(ctx)
	id, err := g.Detach(ctx, exec)
	if err != nil {
		release()
		if toolscript.KindOf(err) == toolscript.Busy || toolscript.KindOf(err) == toolscript.Unavailable { // too many detached runs, or no folder for them
			result, err := e.run(ctx, request)
			return result, nil, err
		}
		return mcp.NewToolResultError(err.Error()), nil, nil
	}
	t := e.newTask(ctx, g, release, id, args)
	e.tasks.add(t)
	after := time.NewTimer(cmp.Or(e.TaskAfter, DefaultTaskAfter))
	defer after.Stop()
	select {
	case <-t.done:
		e.tasks.forget(t)
		return t.close(), nil, nil
	case <-ctx.Done():
		defer e.tasks.forget(t)
		_ = t.abort(context.WithoutCancel(ctx)) // the client has cancelled the call; a run that goes on ends at its time limit
		return nil, nil, context.Cause(ctx)
	case <-t.opened:
	case <-after.C:
	}
	return nil, t, nil
}

// findTask returns a task in memory, else one whose events the gateway keeps. The error is NotFound if there is
// neither.
func (e *entrance) findTask(ctx context.Context, id string) (*task, error) {
	if t := e.tasks.of(id); t != nil {
		return t, nil
	}
	g, release, err := e.Gateway(ctx)
	if err != nil {
		return nil, err
	}
	if err := g.RunEvents(ctx, id, false, func(toolscript.Event) error { return nil }); err != nil {
		release()
		return nil, err
	}
	return e.tasks.add(e.newTask(ctx, g, release, id, runArgs{})), nil
}

func (t *tasks) of(id string) *task {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := t.all[id]
	if found != nil && found.expired(time.Now()) {
		delete(t.all, id)
		return nil
	}
	return found
}

// add adds a task, or returns the known task with its id. If there are too many, add removes another task from
// memory, preferably one that has ended. The run of the removed task goes on.
func (t *tasks) add(added *task) *task {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		added.cancel()
		return added
	}
	if t.all == nil {
		t.all = map[string]*task{}
	}
	if known := t.all[added.runID]; known != nil {
		added.cancel()
		return known
	}
	if len(t.all) >= maxTasks {
		var leaves *task
		for _, each := range t.all {
			if leaves == nil || each.over() && !leaves.over() || each.over() == leaves.over() && each.created.Before(leaves.created) {
				leaves = each
			}
		}
		leaves.cancel()
		delete(t.all, leaves.runID)
	}
	t.all[added.runID] = added
	return added
}

// forget removes a task from memory and stops following its run.
func (t *tasks) forget(left *task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	left.cancel()
	if t.all[left.runID] == left {
		delete(t.all, left.runID)
	}
}

// end stops following all runs.
func (t *tasks) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	for _, each := range t.all {
		each.cancel()
	}
}
