package builtin

import (
	"context"
	"errors"
	"time"

	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/upstream"
)

// LaunchResult is the tool agents.launch.result.
var LaunchResult = tool.Tool{
	Name:        "agents.launch.result",
	Title:       "State of an agent",
	Description: "Return the state of an agent of agents.launch.async, and its last answer.",
	Input: `{"type": "object", "required": ["id"], "additionalProperties": false, "properties": {
		"id": {"type": "string"},
		"waitMs": {"type": "integer", "minimum": 0, "maximum": 60000, "default": 0, "description": "how long to wait for the end of the agent"}}}`,
	Output: `{"type": "object", "required": ["id", "state", "content", "turns", "calls", "inputTokens", "outputTokens"], "additionalProperties": false,
		"properties": {"id": {"type": "string"}, "state": {"enum": ["running", "done", "failed"]},
		"error": {"type": "string", "description": "why it has failed"},` + resultProperties + `}}`,
	Annotations: tool.Reads(),
	Run:         tool.Func(result),
}

type resultArgs struct {
	ID     string `json:"id"`
	WaitMs int64  `json:"waitMs"`
}

func result(ctx context.Context, w *tool.Workspace, args resultArgs) (upstream.AgentState, error) {
	if w.Agents == nil {
		return upstream.AgentState{}, errors.New("this program has no models")
	}
	state, err := w.Agents.Result(ctx, args.ID, time.Duration(args.WaitMs)*time.Millisecond)
	return state, failed(err)
}
