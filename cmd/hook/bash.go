package hook

import (
	"bytes"
	"encoding/json"
	"io"
)

// Bash is the input of the client's tools for commands of a shell: Bash, and PowerShell on Windows.
type Bash struct {
	Command     string  `json:"command"`
	Description string  `json:"description"`
	Timeout     float64 `json:"timeout"`
	Background  bool    `json:"run_in_background"`
	Unsandboxed bool    `json:"dangerouslyDisableSandbox"`
}

// Command returns the command of any call of Bash or PowerShell, or "" for other tools.
func (e Event) Command() string {
	var b Bash
	if e.ToolName != "Bash" && e.ToolName != "PowerShell" || json.Unmarshal(e.ToolInput, &b) != nil {
		return ""
	}
	return b.Command
}

// Plain returns the shell command of a Bash call that runs in the foreground and inside the
// client's sandbox. ok is false for other tools, and for an input with unknown fields: a
// new field may change what the call does.
func (e Event) Plain() (command string, ok bool) {
	if e.ToolName != "Bash" {
		return "", false
	}
	var b Bash
	d := json.NewDecoder(bytes.NewReader(e.ToolInput))
	d.DisallowUnknownFields()
	if d.Decode(&b) != nil || b.Background || b.Unsandboxed {
		return "", false
	}
	return b.Command, true
}

// Allow writes the decision that a tool call needs no confirmation. Rules of the user that
// deny it or ask for it still apply.
func Allow(w io.Writer, reason string) error { return decide(w, "allow", reason) }

// Ask writes the decision that the client asks its user about a tool call, even if rules of
// the user allow it.
func Ask(w io.Writer, reason string) error { return decide(w, "ask", reason) }

func decide(w io.Writer, what, reason string) error {
	type decision struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
	}
	return json.NewEncoder(w).Encode(struct {
		Output decision `json:"hookSpecificOutput"`
	}{decision{"PreToolUse", what, reason}})
}
