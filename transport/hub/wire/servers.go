package wire

import (
	"context"
	"encoding/json"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
)

// ServerCall is a call that the hub makes to a server.
type ServerCall struct {
	Call

	Run      string          // the gateway and the run; the calls of different runs take turns
	Args     json.RawMessage // arguments of a tool call
	Held     *budget.Held    // counts the bytes of the answer
	Deadline time.Time       // deadline of the caller; zero if there is none

	// Check is called before the call is sent to the server, possibly after a wait. Its error
	// becomes the answer of the call. It must not block.
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
