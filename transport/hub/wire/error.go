package wire

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// causes are the errors that callers look for with errors.Is. They are sent by name.
var causes = []struct {
	name  string
	cause error
}{
	{"unreachable", upstream.ErrUnreachable},
	{"no_capability", upstream.ErrNoCapability},
}

// failure is a *toolscript.Error in JSON. The receiver knows the server and the tool.
type failure struct {
	Kind       toolscript.Kind     `json:"kind"`
	Text       string              `json:"text"`
	Details    []toolscript.Detail `json:"details,omitempty"`
	RPCCode    int                 `json:"rpcCode,omitempty"`
	RetryAfter time.Duration       `json:"retryAfter,omitempty"` // in nanoseconds
	Permanent  bool                `json:"permanent,omitempty"`
	Sent       toolscript.Sent     `json:"sent,omitempty"`
	Causes     []string            `json:"causes,omitempty"`
	Stderr     []string            `json:"stderr,omitempty"`
}

// maxText bounds the text of an error in bytes. A server may send a text of any length.
const maxText = 64 << 10

// EncodeError encodes an error for a gateway. own and name are the names of the server in
// the hub and in the configuration.
func EncodeError(err error, own, name string) []byte {
	f := failure{Kind: toolscript.KindOf(err), Text: err.Error(), Sent: toolscript.SentOf(err)}
	var known *toolscript.Error
	if errors.As(err, &known) {
		f.Details, f.RPCCode, f.RetryAfter, f.Permanent = known.Details, known.RPCCode, known.RetryAfter, known.Permanent
		f.Text = known.Text()
	}
	var dial *mcpclient.DialError
	if errors.As(err, &dial) {
		f.Text, f.Stderr = dial.Err.Error(), dial.Stderr
	}
	for _, c := range causes {
		if errors.Is(err, c.cause) {
			f.Causes = append(f.Causes, c.name)
		}
	}
	if own != name && own != "" {
		f.Text = strings.NewReplacer(toolscript.ShellWord(own), toolscript.ShellWord(name), own, name).Replace(f.Text) // also in commands
	}
	f.Text = texts.Short(f.Text, maxText)
	text, _ := json.Marshal(f) // such a struct always has a JSON form
	return text
}

// DecodeError returns the error in a payload, about a server and a tool. If the payload is not
// an error, it returns one of kind Internal.
func DecodeError(payload []byte, about toolscript.Error) *toolscript.Error {
	var f failure
	if err := json.Unmarshal(payload, &f); err != nil || f.Kind == "" {
		about.Kind, about.Sent, about.Err = toolscript.Internal, toolscript.SentUnknown, errors.New("the hub sent an error that cannot be read")
		return &about
	}
	about.Kind, about.Details, about.RPCCode, about.Permanent = f.Kind, f.Details, f.RPCCode, f.Permanent
	about.RetryAfter = max(f.RetryAfter, 0)
	switch f.Sent {
	case toolscript.SentNo, toolscript.SentYes:
		about.Sent = f.Sent
	default:
		about.Sent = toolscript.SentUnknown
	}
	cause := &remote{text: f.Text}
	for _, c := range causes {
		for _, name := range f.Causes {
			if name == c.name {
				cause.is = append(cause.is, c.cause)
			}
		}
	}
	about.Err = cause
	if len(f.Stderr) > 0 {
		about.Err = &mcpclient.DialError{Err: cause, Stderr: f.Stderr}
	}
	return &about
}

// remote is the cause of an error in the hub.
type remote struct {
	text string
	is   []error
}

func (r *remote) Error() string { return r.text }

func (r *remote) Unwrap() []error { return r.is }
