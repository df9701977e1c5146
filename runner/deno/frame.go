package deno

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"math"

	"github.com/toolscript/toolscript/internal/rawio"
)

// The kinds of frames from a process.
const (
	frameReady  = 'r' // the process waits for a run
	frameOut    = 'o' // text for standard output
	frameErr    = 'e' // text for standard error
	frameAsk    = '?' // a question; the script is blocked until the answer arrives
	frameCall   = 'c' // a tool call: callHeader, and its arguments in the next line
	frameCancel = 'k' // the number of a call that the script cancels
	frameNotice = 'n' // a notice for the author of the script
	frameValue  = 'v' // the end: the script's value as JSON, "" for undefined
	frameFailed = 'f' // the end: an uncaught error
	frameExit   = 'x' // the end: the script called exit
)

// maxFrame bounds the payload of a frame, which the gateway holds in memory. The longest
// value of a run is shorter.
const maxFrame = 32 << 20

// frames is the form of what a process sends, and messages that of what the loader reads.
var (
	frames   = rawio.Frames{Order: binary.LittleEndian, Kinds: true, Most: maxFrame}
	messages = rawio.Frames{Order: binary.LittleEndian, Most: math.MaxInt32}
)

// writeMessage writes a message for the loader, in JSON.
func writeMessage(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return messages.Write(w, 0, text)
}
