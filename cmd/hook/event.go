package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/toolscript/toolscript/internal/rawjson"
)

// Event is the input of a hook. Each event sets only some of the fields.
type Event struct {
	SessionID      string `json:"session_id"`
	Cwd            string `json:"cwd"`
	Source         string `json:"source"` // for SessionStart: startup, resume, clear, compact or fork
	Reason         string `json:"reason"` // for SessionEnd: clear, resume, logout, prompt_input_exit, other
	PermissionMode string `json:"permission_mode"`
	ToolName       string `json:"tool_name"`
	Prompt         string `json:"prompt"` // for UserPromptSubmit

	ToolInput json.RawMessage `json:"tool_input"`
}

// maxInput is the maximum size of a hook's input, in bytes.
const maxInput = 16 << 20

// Read reads the input of a hook.
func Read(r io.Reader) (Event, error) {
	var e Event
	text, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return e, fmt.Errorf("read the input of the hook: %w", err)
	}
	if len(text) > maxInput {
		return e, errors.New("the input of the hook is larger than 16 MB")
	}
	if err := json.Unmarshal(rawjson.TrimMark(text), &e); err != nil {
		return e, fmt.Errorf("the input of the hook is not the JSON of Claude Code: %w", err)
	}
	return e, nil
}

// Message writes the output that shows a text to the person, but not to the model.
func Message(w io.Writer, text string) error {
	return json.NewEncoder(w).Encode(map[string]string{"systemMessage": text})
}

// Context writes the output that shows a text to the model.
func Context(w io.Writer, event, text string) error {
	type addition struct {
		Event string `json:"hookEventName"`
		Text  string `json:"additionalContext"`
	}
	return json.NewEncoder(w).Encode(struct {
		Output addition `json:"hookSpecificOutput"`
	}{addition{event, text}})
}
