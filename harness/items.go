package harness

import (
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness/answer"
)

// Item is an item that Process emits. Its JSON form has a member "type" with the name of the item.
type Item interface {
	// History reports whether the item belongs to the conversation. Other items are
	// progress.
	History() bool
}

// Text is text of the answer before, between and after scripts, byte for byte.
type Text struct {
	Type string `json:"type"` // text
	Text string `json:"text"`
}

// ScriptToolCall is a script of the answer.
type ScriptToolCall struct {
	Type       string          `json:"type"` // ScriptToolCall
	ScriptID   string          `json:"scriptId"`
	SourceCode string          `json:"sourceCode"` // code without the tags and the fence; the whole block if it is malformed
	Start      answer.Position `json:"start"`      // start of the block in its message
	End        answer.Position `json:"end"`
}

// ScriptToolCallOutput is the output of a script. If the script has failed, the output contains
// the calls and the console output before the error.
type ScriptToolCallOutput struct {
	Type      string                    `json:"type"` // ScriptToolCallOutput
	ScriptID  string                    `json:"scriptId"`
	RunID     string                    `json:"runId,omitempty"` // id in the gateway's records; absent if nothing ran
	OK        bool                      `json:"ok"`
	DryRun    bool                      `json:"dryRun,omitempty"`
	Value     json.RawMessage           `json:"value,omitempty"` // absent if the script returned undefined
	Script    *toolscript.ScriptFacts   `json:"script,omitempty"`
	ToolCalls []ToolCallResult          `json:"toolCalls"` // in the order in which they ended
	Plan      []toolscript.PlannedCall  `json:"plan,omitempty"`
	Console   string                    `json:"console,omitempty"` // stdout and stderr in order, at most 16 KB
	Notices   []string                  `json:"notices,omitempty"`
	Detached  []toolscript.DetachedCall `json:"detached,omitempty"` // tasks that continue after the script
	Error     *ScriptError              `json:"error,omitempty"`
	Metrics   *Metrics                  `json:"metrics,omitempty"`
}

// ToolCallResult is a call of a script with its result. Arguments and results of more than
// 128 KB are left out.
type ToolCallResult struct {
	CallID string                `json:"callId"`
	Tool   string                `json:"tool"` // tool id
	Args   json.RawMessage       `json:"args,omitempty"`
	OK     bool                  `json:"ok"`
	Result json.RawMessage       `json:"result,omitempty"` // value that the script got
	Error  *toolscript.ToolError `json:"error,omitempty"`
	Ms     float64               `json:"ms"`
}

// Metrics are the measurements of a script.
type Metrics struct {
	DurationMs          float64 `json:"durationMs"`
	ToolCallsMade       int     `json:"toolCallsMade"`
	MemoryUsedMB        float64 `json:"memoryUsedMb"`
	CacheHit            bool    `json:"cacheHit"`            // the script was parsed and checked before, with the same types of tools
	CompilationCacheHit bool    `json:"compilationCacheHit"` // the compiled JavaScript was cached; parsing and compiling are one step
}

// ToolCallStart is progress: a script has started a call.
type ToolCallStart struct {
	Type     string `json:"type"` // ToolCallStart
	ScriptID string `json:"scriptId"`
	CallID   string `json:"callId"`
	Tool     string `json:"tool"`
}

// ToolCallEnd is progress: a call has ended.
type ToolCallEnd struct {
	Type     string  `json:"type"` // ToolCallEnd
	ScriptID string  `json:"scriptId"`
	CallID   string  `json:"callId"`
	Tool     string  `json:"tool"`
	OK       bool    `json:"ok"`
	Ms       float64 `json:"ms"`
}

// OutputTextDelta is progress reported by a script with context.telemetry.emitProgress.
type OutputTextDelta struct {
	Type     string `json:"type"` // OutputTextDelta
	ScriptID string `json:"scriptId"`
	Delta    string `json:"delta"` // text of one call of emitProgress, at most 4 KB
}

// FunctionCallOutput is the result of a structured call of the Responses API.
type FunctionCallOutput struct {
	Type   string `json:"type"` // function_call_output
	CallID string `json:"call_id"`
	Output string `json:"output"`
}

// ToolMessage is the result of a structured call of the Chat Completions API. Messages of that API
// have no field type, and the API ignores it.
type ToolMessage struct {
	Type       string `json:"type"` // tool
	Role       string `json:"role"` // tool
	ToolCallID string `json:"tool_call_id"`
	Content    string `json:"content"`
}

// ToolResult is the result of a structured call of the Messages API. It must be sent in a user message.
type ToolResult struct {
	Type      string `json:"type"` // tool_result
	ToolUseID string `json:"tool_use_id"`
	Content   string `json:"content"`
	IsError   bool   `json:"is_error,omitempty"`
}

// ApprovalRequest is progress: a call waits for the approval of a person.
type ApprovalRequest struct {
	Type     string              `json:"type"`               // ApprovalRequest
	ScriptID string              `json:"scriptId,omitempty"` // absent for a structured call
	CallID   string              `json:"callId"`
	Approval toolscript.Approval `json:"approval"`
}

// History implements Item.
func (Text) History() bool { return true }

// History implements Item.
func (ScriptToolCall) History() bool { return true }

// History implements Item.
func (ScriptToolCallOutput) History() bool { return true }

// History implements Item.
func (FunctionCallOutput) History() bool { return true }

// History implements Item.
func (ToolMessage) History() bool { return true }

// History implements Item.
func (ToolResult) History() bool { return true }

// History implements Item.
func (ToolCallStart) History() bool { return false }

// History implements Item.
func (ToolCallEnd) History() bool { return false }

// History implements Item.
func (ApprovalRequest) History() bool { return false }

// History implements Item.
func (OutputTextDelta) History() bool { return false }
