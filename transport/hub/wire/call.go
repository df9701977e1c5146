package wire

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/toolscript/toolscript"
)

// Call describes a call without its arguments, which are the payload. The time until which
// the call must have begun stays in the gateway, which applies its rate limit.
type Call struct {
	Tool  string        `json:"tool,omitempty"`  // the server's name for the tool
	Run   string        `json:"run,omitempty"`   // the run that makes the call, in its gateway
	Key   string        `json:"key,omitempty"`   // in a fleet: the idempotency key of the call
	Trace string        `json:"trace,omitempty"` // traceparent
	Sent  time.Duration `json:"sent,omitempty"`  // when it was sent, on the clock of the gateway; see Confirmed
	Limit time.Duration `json:"limit,omitempty"` // time limit without an answer or progress; 0: the limit of the server
	Left  time.Duration `json:"left,omitempty"`  // time until the deadline of the caller; 0 if there is none
	Watch bool          `json:"watch,omitempty"` // the caller wants progress
	Size  int           `json:"size,omitempty"`  // size in bytes of arguments that follow in pieces
	Fetch *Fetch        `json:"fetch,omitempty"` // the request, if the call is not a tool call
}

// Fetch is a request for resources or prompts.
type Fetch struct {
	ID     string            `json:"id"`
	Cursor string            `json:"cursor,omitempty"`
	URI    string            `json:"uri,omitempty"`
	Prompt string            `json:"prompt,omitempty"`
	Args   map[string]string `json:"args,omitempty"`

	Argument string `json:"argument,omitempty"`
	Value    string `json:"value,omitempty"`
}

// FetchOf encodes a request.
func FetchOf(o toolscript.FetchRequest) *Fetch {
	return &Fetch{ID: o.ID, Cursor: o.Cursor, URI: o.URI, Prompt: o.Prompt, Args: o.Args, Argument: o.Argument, Value: o.Value}
}

// Request returns the request to a server.
func (f *Fetch) Request(server, run string) *toolscript.FetchRequest {
	return &toolscript.FetchRequest{ID: f.ID, Server: server, Cursor: f.Cursor, URI: f.URI, Prompt: f.Prompt, Args: f.Args, Run: run, Argument: f.Argument, Value: f.Value}
}

// Encode returns the call as the value of a header.
func (c Call) Encode() string {
	text, _ := json.Marshal(c) // such a struct always has a JSON form
	return string(text)
}

// DecodeCall reads the value of a header.
func DecodeCall(text string) (c Call, err error) {
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return c, err
	}
	if c.Size < 0 || c.Size > MaxPayload || c.Limit < 0 || c.Left < 0 || c.Sent < 0 {
		return c, errors.New("a size or a time of the call is out of range")
	}
	if (c.Tool == "") == (c.Fetch == nil) {
		return c, errors.New("the call has no tool, or a tool and a fetch")
	}
	if c.Key != "" {
		return c, toolscript.CheckKey(c.Key)
	}
	return c, nil
}

// Confirmation is the payload of the event Confirm.
type Confirmation struct {
	Hub   string        `json:"hub,omitempty"` // in a fleet: id of the hub
	Asked time.Duration `json:"asked"`         // time of the question on the clock of the hub
}

// Confirmed is the answer of a gateway to Confirm. The clocks of machines differ: a hub learns
// from it what the gateway's clock showed between two moments of the hub's clock.
type Confirmed struct {
	Asked time.Duration `json:"asked"`          // Asked of the Confirmation
	Clock time.Duration `json:"clock"`          // time on the clock of the gateway
	Over  bool          `json:"over,omitempty"` // the call has ended at the gateway
}

// Question is a question of a server to a person.
type Question struct {
	N       int             `json:"n"` // number of the question in its call
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"schema,omitempty"` // of a form
	URL     string          `json:"url,omitempty"`    // of a page
}

// Reply answers a Question with a result of MCP or with an error.
type Reply struct {
	N      int             `json:"n"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"` // see EncodeError
}

// LogLine is a log message of a server.
type LogLine struct {
	Level int    `json:"level"` // as slog.Level
	Text  string `json:"text"`
}

// Catalog is the message that the hub publishes at CatalogSubject.
type Catalog struct {
	Generation uint64                 `json:"generation"` // rises with every change of state or tools
	State      toolscript.ServerState `json:"state"`
	Tools      int                    `json:"tools"`
	Hub        string                 `json:"hub,omitempty"`   // in a fleet: id of the hub
	Token      string                 `json:"token,omitempty"` // in a fleet: token in the subjects of calls
}
