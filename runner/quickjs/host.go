package quickjs

import (
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// Host is what a script reaches outside its VM. Its methods are called on the
// goroutine that runs the VM, one at a time, and must not wait for anybody:
// answers come through the channel.
type Host interface {
	// Call begins a tool call. Its answer has the CallID of c.
	Call(c runner.Call)
	// Cancel ends a call that was begun. It is answered all the same.
	Cancel(callID string)
	// Write passes on what the script prints.
	Write(s runner.Stream, text string)
	// ReadStdin asks for one chunk of standard input.
	ReadStdin()
	// Answers gives what was asked for. A run that is waiting when the channel is
	// closed ends as cancelled.
	Answers() <-chan Answer
}

// Answer is the answer to one Call or one ReadStdin.
type Answer struct {
	CallID string // of the call; empty for standard input

	Value json.RawMessage       // what the call gave; nil is undefined
	Err   *toolscript.ToolError // why the call failed

	Stdin    []byte // a chunk; characters may be cut in two at its ends
	StdinEOF bool   // nothing comes after the chunk
	StdinErr string // with StdinEOF: why nothing more could be read
}
