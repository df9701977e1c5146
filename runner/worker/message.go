package worker

import (
	"encoding/binary"
	"errors"
	"strconv"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/session"
)

// ready is the first message of a worker.
type ready struct {
	Confinement []toolscript.Confinement `json:"confinement"` // restrictions that the worker verified
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
	Strict  bool   `json:"strict,omitempty"`
	Module  string `json:"module"` // key of the declarations
}

// checked answers a checkRequest or a moduleHeader.
type checked struct {
	Unknown     bool                    `json:"unknown,omitempty"` // the worker does not have the declarations of that key
	Diagnostics []toolscript.Diagnostic `json:"diagnostics,omitempty"`
}

// signed answers the checkRequest of a frameSign.
type signed struct {
	Unknown   bool             `json:"unknown,omitempty"` // as in checked
	Signature runner.Signature `json:"signature"`
}

// moduleHeader announces declarations; their text follows.
type moduleHeader struct {
	Key string `json:"key"`
}

// numberSize is the size of the number of a call, in bytes.
const numberSize = 4

// The flags of a frameCall.
const (
	flagTask = 1 << iota // the call is a task
	flagKey              // the call has an idempotency key
)

// callFrame returns the parts of a frameCall: the number of the call, its flags, the length
// of the tool's id, the id, the length of the key and the key if there is one, and the
// arguments.
func callFrame(number uint32, c runner.Call) [][]byte {
	var flags byte
	if c.Task {
		flags |= flagTask
	}
	size := numberSize + 1 + numberSize + len(c.ID)
	if c.Key != "" {
		flags |= flagKey
		size += numberSize + len(c.Key)
	}
	head := append(binary.BigEndian.AppendUint32(make([]byte, 0, size), number), flags)
	head = appendText(head, c.ID)
	if c.Key != "" {
		head = appendText(head, c.Key)
	}
	return [][]byte{head, c.Args}
}

// appendText appends the length of a text, and the text.
func appendText(b []byte, text string) []byte {
	return append(textForm.AppendHead(b, 0, len(text)), text...)
}

// splitText decodes the text at the beginning of a payload.
func splitText(payload []byte) (text string, rest []byte, err error) {
	content, rest, found := textForm.Cut(payload)
	if !found {
		return "", nil, errShort
	}
	return string(content), rest, nil
}

// splitCall decodes a frameCall.
func splitCall(payload []byte) (runner.Call, error) {
	number, rest, err := splitNumber(payload)
	if err != nil || len(rest) < 1 {
		return runner.Call{}, errShort
	}
	flags := rest[0]
	if flags&^(flagTask|flagKey) != 0 {
		return runner.Call{}, errFlags
	}
	c := runner.Call{CallID: callID(number), Task: flags&flagTask != 0}
	if c.ID, rest, err = splitText(rest[1:]); err != nil {
		return runner.Call{}, err
	}
	if flags&flagKey != 0 {
		if c.Key, rest, err = splitText(rest); err != nil || c.Key == "" {
			return runner.Call{}, errShort
		}
	}
	c.Args = rest
	return c, nil
}

// splitNumber decodes the number at the beginning of a payload.
func splitNumber(payload []byte) (number uint32, rest []byte, err error) {
	if len(payload) < numberSize {
		return 0, nil, errShort
	}
	return binary.BigEndian.Uint32(payload), payload[numberSize:], nil
}

var (
	errShort = errors.New("a frame is too short")
	errFlags = errors.New("a call has an unknown flag")
)

// callID returns the id of the call with the given number; numberOf is its inverse.
func callID(number uint32) string { return strconv.FormatUint(uint64(number), 10) }

func numberOf(callID string) uint32 {
	number, _ := strconv.ParseInt(callID, 10, 64) // engines number calls
	return uint32(number)
}

// clockHeader tells whether the clock of the run is stopped.
type clockHeader struct {
	Stopped bool `json:"stopped"`
}

// stdinHeader announces a piece of standard input; its bytes follow.
type stdinHeader struct {
	End bool   `json:"end,omitempty"` // the input has ended
	Err string `json:"err,omitempty"` // error that ended the input
}

// writeEnd sends the end of a run: the outcome without its value, and the value.
func (l *link) writeEnd(o runner.Outcome) error {
	value := o.Value
	o.Value = nil
	return l.writeJSON(frameEnd, o, value)
}

// splitEnd decodes the end of a run. It checks that the value is JSON, because a script may
// control the worker.
func splitEnd(payload []byte) (o runner.Outcome, err error) {
	value, err := split(payload, &o)
	if err != nil || value == nil {
		return o, err
	}
	if o.Value, err = session.Compact(value); err != nil {
		err = errors.New("its value is not JSON")
	}
	return o, err
}

// sendJSON is like send, for a frame with a JSON header.
func (r *sandboxRun) sendJSON(t frameType, header any, raw []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.open(t) {
		return nil
	}
	return r.sandbox.link.writeJSON(t, header, raw)
}
