package quickjs

import (
	"context"
	"encoding/json"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// Host is what a script reaches outside its VM. Its methods are called on the
// goroutine of the VM, one at a time.
type Host interface {
	// Call begins a tool call. Its answer has the CallID of c.
	Call(c runner.Call)
	// Cancel cancels a call in flight. The call still gets an answer.
	Cancel(callID string)
	// Write passes on what the script prints.
	Write(s runner.Stream, text string)
	// ReadStdin asks for one chunk of standard input.
	ReadStdin()
	// Next waits for an answer, as long as wait says at most. It also returns, without
	// an answer, when ctx ends and when the clock of the run stops or continues.
	Next(ctx context.Context, wait time.Duration) (a Answer, ok bool)
	// Idle is called before Next when the script waits for nothing but answers to calls,
	// with their number.
	Idle(calls int)
	// Poll is called at intervals while script computes. Between two calls of Next it
	// is the only chance of the host to notice the end of the run.
	Poll()
}

// Answer is the answer to one Call or one ReadStdin.
type Answer struct {
	CallID string // of the call; empty for standard input

	Value json.RawMessage       // what the call gave; nil is undefined
	Err   *toolscript.ToolError // why the call failed

	WithContent bool // Value is an object with the members value and content

	Stdin    []byte // a chunk; it may begin and end within a character
	StdinEOF bool   // the chunk is the last one
	StdinErr string // with StdinEOF: why reading failed
}
