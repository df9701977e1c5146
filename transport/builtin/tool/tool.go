// Package tool describes a built-in tool and the workspace in which it works.
package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolscript/toolscript"
)

// Tool is one built-in tool.
type Tool struct {
	Name        string
	Title       string
	Description string

	Input  string // JSON Schema of the arguments, which are an object
	Output string // JSON Schema of the result, which is an object

	Annotations      toolscript.Annotations
	RequiresApproval bool // see toolscript.Tool

	// Run makes one call. args is a JSON object that is valid for Input. Run returns the
	// value of the result, whose JSON is valid for Output. An error means that the tool has
	// failed: the caller gets its text. Run ends when ctx ends, and may be called
	// concurrently.
	Run func(ctx context.Context, w *Workspace, args json.RawMessage) (any, error)
}

// Func returns the Run function of a Tool from a function with typed arguments. Missing
// arguments have their zero value.
func Func[A, R any](f func(context.Context, *Workspace, A) (R, error)) func(context.Context, *Workspace, json.RawMessage) (any, error) {
	return func(ctx context.Context, w *Workspace, raw json.RawMessage) (any, error) {
		var args A
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &args); err != nil {
				return nil, fmt.Errorf("the arguments cannot be read: %w", err)
			}
		}
		return f(ctx, w, args)
	}
}

// Reads returns the annotations of a tool that changes nothing.
func Reads() toolscript.Annotations {
	yes, no := true, false
	return toolscript.Annotations{ReadOnly: &yes, Destructive: &no, Idempotent: &yes, OpenWorld: &no}
}

// Changes returns the annotations of a tool that changes files of the workspace and may
// overwrite or delete them.
func Changes() toolscript.Annotations {
	yes, no := true, false
	return toolscript.Annotations{ReadOnly: &no, Destructive: &yes, Idempotent: &no, OpenWorld: &no}
}

// Content is the result of tools that answer with text.
type Content struct {
	Content string `json:"content"`
	Success bool   `json:"success"`
}

// ContentSchema returns the JSON Schema of Content, with a description of the text.
func ContentSchema(description string) string {
	text, _ := toolscript.PlainJSON(description) // a string always encodes
	return `{"type": "object", "required": ["content", "success"], "additionalProperties": false, "properties": {
		"content": {"type": "string", "description": ` + string(text) + `}, "success": {"type": "boolean"}}}`
}

// Strings is an argument that is a string or a list of strings.
type Strings []string

// UnmarshalJSON accepts a string or a list of strings.
func (s *Strings) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*s = Strings{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(s))
}
