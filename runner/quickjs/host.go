package quickjs

import (
	"context"
	"encoding/json"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// Host gives a script access to the world outside of its VM. Its methods are called on the
// goroutine of the VM, one at a time.
type Host interface {
	// Call begins a tool call. Its Answer has the CallID of c.
	Call(c runner.Call)
	// Cancel cancels a call in flight. The call still gets an answer.
	Cancel(callID string)
	// Write takes output of the script.
	Write(s runner.Stream, text string)
	// ReadStdin asks for one chunk of standard input.
	ReadStdin()
	// Next waits for an answer, at most for the duration wait. It also returns, with ok
	// false, when ctx ends or the clock of the run stops or continues.
	Next(ctx context.Context, wait time.Duration) (a Answer, ok bool)
	// Idle is called before Next if the script only waits for the answers to this number of
	// calls.
	Idle(calls int)
	// Poll is called at intervals while the script computes. Between two calls of Next, only
	// Poll lets the host notice the end of the run.
	Poll()
}

// Answer is the answer to one Call or one ReadStdin.
type Answer struct {
	CallID string // id of the call; empty for standard input

	Value json.RawMessage       // result of the call; nil means undefined
	Err   *toolscript.ToolError // why the call failed

	WithContent bool // Value is an object with the members value and content

	Stdin    []byte // chunk of input; it may begin or end within a character
	StdinEOF bool   // the chunk is the last one
	StdinErr string // with StdinEOF: why reading failed
}
