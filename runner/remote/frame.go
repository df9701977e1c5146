package remote

import (
	"encoding/binary"
	"encoding/json"
	"errors"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/naming"
	"github.com/toolscript/toolscript/runner"
)

// frameKind says what a frame is.
type frameKind byte

// Frames of the gateway.
const (
	frameJob    frameKind = iota + 1 // a job; the first frame, once
	frameAnswer                      // an answer to a call: its header and the value
	frameCancel                      // end the script; the payload is the reason
	frameClock                       // a clock
)

// Frames of the runner.
const (
	frameCall       frameKind = iota + 64 // a tool call: its header and the arguments
	frameCancelCall                       // the script has cancelled a call; the payload is its id
	frameOutput                           // output: one byte for the stream, and the text
	frameIdle                             // the script waits; the payload is an idle
	frameEnd                              // the end of the run: an end and the value
)

// frameHead bounds the size of what precedes the value of a frame.
const frameHead = 1 << 20

// job is a run for a sandbox. Values that the job of a gateway keeps outside of its JSON form
// are here.
type job struct {
	Job   runner.Job    `json:"job"`
	Names *naming.Names `json:"names,omitempty"`
	Idle  bool          `json:"idle,omitempty"`
}

// call is the header of a tool call.
type call struct {
	CallID string `json:"callId"`
	ID     string `json:"id"`
	Task   bool   `json:"task,omitempty"`
	Key    string `json:"key,omitempty"` // idempotency key
}

// answer is the header of an answer.
type answer struct {
	CallID  string                `json:"callId"`
	Content json.RawMessage       `json:"content,omitempty"` // see runner.Answer
	Failure *toolscript.ToolError `json:"failure,omitempty"`
}

// clock says whether the clock of the run is stopped.
type clock struct {
	Stopped bool `json:"stopped"`
}

// idle reports that the script waits for the answers to so many calls.
type idle struct {
	Calls int `json:"calls"`
}

// end is the end of a run.
type end struct {
	Outcome runner.Outcome `json:"outcome"` // without its value
	Value   bool           `json:"value,omitempty"`
	Failed  string         `json:"failed,omitempty"` // the sandbox failed
}

// errFrame is the error of a frame that cannot be read.
var errFrame = errors.New("it sent a frame that cannot be read")

// join returns the two parts of a payload with a header: its length with its JSON, and the
// bytes that follow.
func join(header any) ([]byte, error) {
	text, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	return append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(text)), uint32(len(text))), text...), nil
}

// split reads the header of a payload and returns what follows it.
func split(payload []byte, header any) (rest []byte, err error) {
	if len(payload) < 4 {
		return nil, errFrame
	}
	size := binary.BigEndian.Uint32(payload)
	if uint64(size) > uint64(len(payload)-4) {
		return nil, errFrame
	}
	if json.Unmarshal(payload[4:4+size], header) != nil {
		return nil, errFrame
	}
	return payload[4+size:], nil
}
