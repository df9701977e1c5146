package toolscript

import "encoding/json"

// HarnessRequest asks for everything that the answer of a model asks for: its scripts and
// its calls. It is the body of POST /harness.
type HarnessRequest struct {
	Items    json.RawMessage `json:"items"`              // a response, or a list of items or messages
	API      string          `json:"api,omitempty"`      // responses, chat or messages; default: recognized
	Provider string          `json:"provider,omitempty"` // as in the configuration; default anthropic for messages, else openai
	DryRun   bool            `json:"dryRun,omitempty"`   // parse and check the scripts; call nothing
	Plan     bool            `json:"plan,omitempty"`     // call only tools that read, and list the other calls
	Cwd      string          `json:"cwd,omitempty"`      // what scripts see as their working directory and context.workingDir
	Allow    []string        `json:"allow,omitzero"`     // as in ExecRequest

	Profile string `json:"profile,omitempty"` // as in ExecRequest

	// ToolPack and AllowedTools narrow Allow: to the tools of a pack, and to servers, tool
	// ids and names of built-in tools.
	ToolPack     string   `json:"toolPack,omitempty"`
	AllowedTools []string `json:"allowedTools,omitzero"`

	// Record keeps what each script was given, for toolscript runs replay.
	Record bool `json:"record,omitempty"`

	// ConversationID is what scripts read as context.conversationId.
	ConversationID string `json:"conversationId,omitempty"`
}
