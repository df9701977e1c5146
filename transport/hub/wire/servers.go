package wire

import (
	"context"
	"encoding/json"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/inflight"
)

// ServerCall is a call as the hub makes it.
type ServerCall struct {
	Call

	Run      string          // the gateway and the run: calls of several runs take turns
	Args     json.RawMessage // of a tool call
	Held     *inflight.Held  // the bytes of the answer
	Deadline time.Time       // of the caller; zero: it has none

	// Check is called before the call is handed to the server, which it may have waited for. An
	// error is the answer of the call. It does not block.
	Check func() error

	// Watch receives progress. Ask puts a question to the person behind the call. Done
	// receives the result once. Watch and Done must not block.
	Watch func(toolscript.Progress)
	Ask   func(context.Context, toolscript.Question) (toolscript.Answer, error)
	Done  func(json.RawMessage, error)
}

// ServerView is the state of a server in the hub.
type ServerView struct {
	Status  toolscript.ServerStatus
	Tools   []toolscript.Tool
	Changed <-chan struct{} // closed when there is a newer view
}
