package remote

import (
	"encoding/binary"
	"encoding/json"
	"errors"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/internal/rawio"
	"github.com/toolscript/toolscript/runner"
)

// frameKind is the type of a frame.
type frameKind byte

// Frames of the gateway.
const (
	frameJob    frameKind = iota + 1 // a job: the first frame, sent once
	frameAnswer                      // an answer to a call: its header and the value
	frameCancel                      // a request to end the script, without payload
	frameClock                       // the clock of the run stopped or continues: a boolean in JSON
)

// Frames of the runner.
const (
	frameCall       frameKind = iota + 64 // a tool call: its header and the arguments
	frameCancelCall                       // the script has cancelled a call; the payload is its id
	frameOutput                           // output: one byte for the stream, and the text
	frameIdle                             // the script only waits for answers to calls: their number in JSON
	frameEnd                              // the end of the run: an end and the value
)

// frameHead bounds the size of a frame without its value, in bytes.
const frameHead = 1 << 20

// job is a job for a remote sandbox. Names and Idle replace the fields of Job, which are
// empty.
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

// end is the header of a frameEnd.
type end struct {
	Outcome runner.Outcome `json:"outcome"` // without its value
	Value   bool           `json:"value,omitempty"`
	Failed  string         `json:"failed,omitempty"` // error of the sandbox; "" if it did not fail
}

// errFrame is the error for a frame that cannot be decoded.
var errFrame = errors.New("it sent a frame that cannot be read")

// headers is the form of the header of a payload, in JSON. The bytes after it follow.
var headers = rawio.Frames{Order: binary.BigEndian, Most: maxFrame + frameHead}

// join returns the beginning of a payload with a header.
func join(header any) ([]byte, error) {
	text, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	return append(headers.AppendHead(nil, 0, len(text)), text...), nil
}

// split decodes the header of a payload and returns the bytes after it.
func split(payload []byte, header any) (rest []byte, err error) {
	text, rest, found := headers.Cut(payload)
	if !found || json.Unmarshal(text, header) != nil {
		return nil, errFrame
	}
	return rest, nil
}
