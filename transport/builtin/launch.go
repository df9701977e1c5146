package builtin

import (
	"context"

	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/upstream"
)

const launchInput = `{"type": "object", "required": ["task"], "additionalProperties": false, "properties": {
	"task": {"type": "string", "minLength": 1},
	"system": {"type": "string", "description": "instructions, after those of promptKey"},
	"turns": {"type": "integer", "minimum": 1, "description": "maximum number of answers; the default, and the largest value, is that of the configuration"},` + choices + `}}`

const resultProperties = `
	"content": {"type": "string", "description": "the last answer"},
	"turns": {"type": "integer", "description": "answers of the agent and of the agents that it has launched"},
	"calls": {"type": "integer", "description": "tool calls of the agent and of the agents that it has launched"},
	"inputTokens": {"type": "integer", "description": "tokens that its model has read, without those of other agents"}, "outputTokens": {"type": "integer"}`

// LaunchSync is the tool agents.launch.sync.
var LaunchSync = tool.Tool{
	Name:  "agents.launch.sync",
	Title: "Run an agent",
	Description: "Have a model work on a task with scripts, and return its last answer. It may call the tools that this run may call, " +
		"under the same approvals. The timeout of this server bounds the call.",
	Input: launchInput,
	Output: `{"type": "object", "required": ["content", "turns", "calls", "inputTokens", "outputTokens"], "additionalProperties": false,
		"properties": {` + resultProperties + `}}`,
	Annotations:      launches(),
	RequiresApproval: true,
	Run: tool.Func(call(func(ctx context.Context, w *tool.Workspace, r upstream.ModelRequest) (upstream.AgentResult, error) {
		return w.Agents.Launch(ctx, r)
	})),
}

type begun struct {
	ID string `json:"id"`
}

// LaunchAsync is the tool agents.launch.async.
var LaunchAsync = tool.Tool{
	Name:  "agents.launch.async",
	Title: "Start an agent",
	Description: "Start an agent as agents.launch.sync does, and return at once. The agent goes on after this run, and ends with the gateway. " +
		"agents.launch.result returns its answer.",
	Input: launchInput,
	Output: `{"type": "object", "required": ["id"], "additionalProperties": false, "properties": {
		"id": {"type": "string", "description": "for agents.launch.result"}}}`,
	Annotations:      launches(),
	RequiresApproval: true,
	Run: tool.Func(call(func(ctx context.Context, w *tool.Workspace, r upstream.ModelRequest) (begun, error) {
		id, err := w.Agents.Begin(ctx, r, w.Background)
		return begun{id}, err
	})),
}
