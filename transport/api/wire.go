package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/internal/rawjson"
)

// ToolInfo is one tool in the answer of GET /tools.
type ToolInfo struct {
	ServerName    string          `json:"serverName"`
	Accounts      []string        `json:"accounts,omitempty"` // accounts of the server, the default first
	ToolName      string          `json:"toolName"`
	QualifiedName string          `json:"qualifiedName"` // tool id
	Title         string          `json:"title,omitempty"`
	Description   string          `json:"description,omitempty"`
	InputSchema   json.RawMessage `json:"inputSchema"`
	OutputSchema  json.RawMessage `json:"outputSchema,omitempty"`

	Annotations toolscript.Annotations `json:"annotations,omitzero"`
	Original    *toolscript.Original   `json:"original,omitempty"` // the server's own definition, if the configuration overrides it
	UI          *toolscript.UI         `json:"ui,omitempty"`       // the part of the definition that is about apps
}

// Tools is the answer of GET /tools.
type Tools struct {
	Tools []ToolInfo `json:"tools"`
	naming.Selection
}

// Form is a form of a module.
type Form string

// The forms of modules.
const (
	Full         Form = "full"
	Compact      Form = "compact"
	Declarations Form = "declarations" // a .d.ts for editors
)

// Types is the answer of GET /types.
type Types struct {
	Module     string `json:"module"`
	Generation uint64 `json:"generation"` // of the catalog
	Tools      int    `json:"tools"`      // number of tools in the module
	Example    string `json:"example,omitempty"`
	naming.Selection
}

// Health is the answer of GET /health.
type Health struct {
	Status   string                  `json:"status"` // ok
	Version  string                  `json:"version"`
	Protocol int                     `json:"protocol"` // see toolscript.Protocol
	Search   toolscript.SearchStatus `json:"search"`
}

// Readiness is the answer of GET /ready.
type Readiness struct {
	Ready     bool           `json:"ready"`     // all enabled servers are connected, or rest until a call
	Connected int            `json:"connected"` // number of connected servers, including those at rest
	Total     int            `json:"total"`
	Waiting   []string       `json:"waiting"` // servers that are connecting for the first time or after a success
	Failed    []FailedServer `json:"failed"`  // servers whose last attempt failed; servers in state backoff retry
}

// FailedServer is a server that is not connected, with the reason.
type FailedServer struct {
	Name  string `json:"name"`
	Error string `json:"error"`
}

// errorBody is the body of all errors.
type errorBody struct {
	Error   string              `json:"error"`
	Kind    toolscript.Kind     `json:"kind"`
	Server  string              `json:"server,omitempty"`
	Tool    string              `json:"tool,omitempty"`
	RPCCode int                 `json:"rpcCode,omitempty"`      // JSON-RPC error code, for kind tool_failed
	Sent    toolscript.Sent     `json:"sent,omitempty"`         // for a call: whether the server got it
	RetryMs int64               `json:"retryAfterMs,omitempty"` // time until the next attempt, if known
	Details []toolscript.Detail `json:"details,omitempty"`
}

// encode returns v as JSON and a newline. Unlike json.Marshal, it does not escape HTML
// characters.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return b.Bytes(), nil
}

// line is an event as one line of JSON: the value of a run, and the text before and after it.
type line struct{ text, value, rest []byte }

func (l line) write(w io.Writer) error {
	for _, part := range [...][]byte{l.text, l.value, l.rest} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// placeholder stands for the value in the encoded event. No member before it contains free text.
var placeholder = []byte(`"value":0`)

// encodeEvent encodes an event. A value of the run that is one line of JSON is not copied.
func encodeEvent(e toolscript.Event) (line, error) {
	if text := encodeCall(e); text != nil {
		return line{text: text}, nil
	}
	if e.End == nil || len(e.Value) == 0 || bytes.IndexByte(e.Value, '\n') >= 0 || !rawjson.Valid(e.Value) {
		text, err := encode(e)
		return line{text: text}, err
	}
	end := *e.End
	end.Value = placeholder[len(placeholder)-1:]
	value := e.Value
	e.End = &end
	text, err := encode(e)
	if err != nil {
		return line{}, err
	}
	at := bytes.Index(text, placeholder) + len(placeholder)
	return line{text[:at-1], value, text[at:]}, nil
}

// encodeCall encodes the event of a call as encode does, without reflection: these events are most
// of those of a run. It returns nil for other events, and if the event has the details of DialectHarness.
func encodeCall(e toolscript.Event) []byte {
	if !e.OfCall() || e.Args != nil || e.Result != nil || e.Failure != nil {
		return nil
	}
	text := rawjson.AppendQuoted(append(make([]byte, 0, 128), `{"type":`...), e.Type)
	text = rawjson.AppendQuoted(append(text, `,"callId":`...), e.CallID)
	text = rawjson.AppendQuoted(append(text, `,"tool":`...), e.Tool)
	if e.OK != nil {
		text = strconv.AppendBool(append(text, `,"ok":`...), *e.OK)
	}
	if e.Sent != "" {
		text = rawjson.AppendQuoted(append(text, `,"sent":`...), e.Sent)
	}
	if e.Ms != 0 {
		text = strconv.AppendFloat(append(text, `,"ms":`...), e.Ms, 'f', -1, 64)
	}
	return append(text, "}\n"...)
}

// answer sends v as JSON with the status.
func (x *exchange) answer(status int, v any) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	x.c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return x.c.Status(status).Send(body)
}

// refuse answers with an error. It returns the status and the error with its kind.
func (x *exchange) refuse(err error) (int, error) {
	status, err := classify(x.ctx, err)
	body := x.errorBody(err)
	var own *toolscript.Error
	if errors.As(err, &own) && own.RetryAfter > 0 && own.MayRepeat() {
		x.c.Set(fiber.HeaderRetryAfter, strconv.Itoa(retrySeconds(own.RetryAfter)))
	}
	if err := x.answer(status, body); err != nil {
		return status, err // an errorBody always encodes
	}
	return status, err
}

func (x *exchange) errorBody(err error) errorBody {
	var panicked stackTracer
	if errors.As(err, &panicked) {
		// The value of a panic may have secrets, so only the log has it.
		return errorBody{Kind: toolscript.Internal, Error: "internal error; the log of the gateway has the stack of request " + x.id}
	}
	body := errorBody{Error: x.redact(err.Error()), Kind: toolscript.KindOf(err)}
	var own *toolscript.Error
	if !errors.As(err, &own) {
		return body
	}
	body.Server, body.Tool, body.RPCCode, body.Sent = own.Server, own.Tool, own.RPCCode, own.Sent
	if own.MayRepeat() {
		body.RetryMs = own.RetryMs()
	}
	for _, d := range own.Details {
		body.Details = append(body.Details, toolscript.Detail{Path: x.redact(d.Path), Message: x.redact(d.Message)})
	}
	return body
}

// manyBytes is the length in bytes from which a line is decoded without a copy of its value.
const manyBytes = 64 << 10

// decodeEvent decodes one line. The value of a run may be a subslice of text.
func decodeEvent(text []byte) (e toolscript.Event, err error) {
	if len(text) < manyBytes {
		return e, json.Unmarshal(text, &e)
	}
	var value json.RawMessage
	rest := []byte("{")
	if !rawjson.Object(text, func(name string, member json.RawMessage) {
		if name == "value" {
			value = member
			return
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = fmt.Appendf(rest, "%q:%s", name, member)
	}) {
		return e, json.Unmarshal(text, &e)
	}
	err = json.Unmarshal(append(rest, '}'), &e)
	if e.End != nil {
		e.Value = value
	}
	return e, err
}
