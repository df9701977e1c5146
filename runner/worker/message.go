package worker

import (
	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// ready is the first thing a worker says.
type ready struct {
	Wall  []toolscript.WallPart `json:"wall"`            // what stands between it and the system
	Types string                `json:"types,omitempty"` // version of the type checker of this program; "" when it has none
}

// compiled answers one runner.Source.
type compiled struct {
	Compiled    runner.Compiled         `json:"compiled"`
	Diagnostics []toolscript.Diagnostic `json:"diagnostics,omitempty"`
}

// checkRequest asks for the type errors of a source that compiles.
type checkRequest struct {
	runner.Source
	Returns bool   `json:"returns,omitempty"`
	Module  string `json:"module"` // key of the declarations
}

// checked answers a checkRequest or a moduleHeader.
type checked struct {
	Unknown     bool                    `json:"unknown,omitempty"` // the declarations of that key are not here
	Diagnostics []toolscript.Diagnostic `json:"diagnostics,omitempty"`
}

// typedText is a script as another type checker takes it.
type typedText struct {
	None bool   `json:"none,omitempty"` // it has no types that could be wrong
	Text string `json:"text,omitempty"`
}

// placeRequest asks for the user's places of what was found in a typedText.
type placeRequest struct {
	checkRequest
	Found []runner.Finding `json:"found"`
}

// moduleHeader gives declarations; their text follows.
type moduleHeader struct {
	Key string `json:"key"`
}

// callHeader announces a tool call; its arguments follow.
type callHeader struct {
	CallID string `json:"callId"`
	ID     string `json:"id,omitempty"`
	Task   bool   `json:"task,omitempty"`
}

// answerHeader answers a tool call; the value follows when there is no error.
type answerHeader struct {
	CallID string                `json:"callId"`
	Err    *toolscript.ToolError `json:"err,omitempty"`
}

// clockHeader says that the run's clock stands still, or goes on.
type clockHeader struct {
	Standing bool `json:"standing"`
}

// stdinHeader gives a piece of standard input; its bytes follow.
type stdinHeader struct {
	End bool   `json:"end,omitempty"` // there is no more
	Err string `json:"err,omitempty"` // why there is no more, when that is not its end
}
