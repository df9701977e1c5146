package builtin

import (
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Chat is the tool agents.llm.chat.
var Chat = tool.Tool{
	Name:        "agents.llm.chat",
	Title:       "Ask a model",
	Description: "Send one message to a language model and return its answer. The model has no tools and no memory of other calls.",
	Input: `{"type": "object", "required": ["prompt"], "additionalProperties": false, "properties": {
		"prompt": {"type": "string", "minLength": 1, "description": "the message"},
		"system": {"type": "string", "description": "instructions, after those of promptKey"},` + choices + `}}`,
	Output: `{"type": "object", "required": ["content", "cut", "provider", "model", "inputTokens", "outputTokens"], "additionalProperties": false, "properties": {
		"content": {"type": "string", "description": "the answer"},
		"cut": {"type": "boolean", "description": "the answer reached its limit of tokens"},
		"provider": {"type": "string"}, "model": {"type": "string"},
		"inputTokens": {"type": "integer", "description": "as the endpoint counts them"}, "outputTokens": {"type": "integer"}}}`,
	Annotations: asks(),
	Run: tool.Func(call(func(ctx context.Context, w *tool.Workspace, r upstream.ModelRequest) (upstream.ChatAnswer, error) {
		return w.Agents.Chat(ctx, r)
	})),
}

// asks returns the annotations of a tool that changes nothing here, but costs something
// elsewhere with each call.
func asks() toolscript.Annotations {
	a, yes, no := tool.Reads(), true, false
	a.Idempotent, a.OpenWorld = &no, &yes
	return a
}
