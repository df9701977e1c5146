package toolscript

import "encoding/json"

// HarnessRequest is a request to run all scripts and calls in the answer of a model. It
// is the body of POST /harness.
type HarnessRequest struct {
	Items    json.RawMessage `json:"items"`              // a response, or a list of items or messages
	API      string          `json:"api,omitempty"`      // responses, chat or messages; default: detected from Items
	Provider string          `json:"provider,omitempty"` // as in the configuration; default: anthropic for messages, otherwise openai
	DryRun   bool            `json:"dryRun,omitempty"`   // parse and check the scripts, and call nothing
	Plan     bool            `json:"plan,omitempty"`     // call only tools that read, and list the other calls
	Cwd      string          `json:"cwd,omitempty"`      // working directory that scripts see, also as context.workingDir
	Allow    []string        `json:"allow,omitzero"`     // as in ExecRequest

	Profile string `json:"profile,omitempty"` // as in ExecRequest

	// ToolPack and AllowedTools narrow Allow to the tools of a pack, and to servers,
	// tool ids and names of built-in tools.
	ToolPack     string   `json:"toolPack,omitempty"`
	AllowedTools []string `json:"allowedTools,omitzero"`

	// Record keeps the inputs of each script for toolscript runs replay.
	Record bool `json:"record,omitempty"`

	// ConversationID is the value of context.conversationId in scripts.
	ConversationID string `json:"conversationId,omitempty"`
}
