package inprocess

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/inflight"
)

// answer encodes the result of a tool as that of an MCP tool. The end of ctx is not a
// result.
func (c *Conn) answer(ctx context.Context, value any, failed error, about toolscript.Error) (json.RawMessage, error) {
	if cause := context.Cause(ctx); cause != nil && failed != nil {
		var known *toolscript.Error
		if errors.As(cause, &known) {
			return nil, known
		}
		about.Kind, about.Err = toolscript.Cancelled, cause
		if errors.Is(cause, context.DeadlineExceeded) {
			about.Kind = toolscript.Timeout
		}
		return nil, &about
	}
	var known *toolscript.Error
	if errors.As(failed, &known) {
		about.Kind, about.Err, about.RetryAfter = known.Kind, known.Err, known.RetryAfter
		return nil, &about
	}
	result, err := encode(value, failed)
	if err != nil {
		about.Kind, about.Err = toolscript.Internal, err
		return nil, &about
	}
	ctx, release := inflight.Ensure(ctx)
	defer release()
	if err := c.options.Answers.Lease(ctx).Take(ctx, len(result)); err != nil {
		about.Kind, about.Err = toolscript.TooLarge, err
		return nil, &about
	}
	return result, nil
}

// Refusal is the error of a tool whose API answered with an HTTP status that is not a success.
type Refusal struct {
	Status int
	Err    error
}

// Error returns the error of the API.
func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap returns the error of the API.
func (r *Refusal) Unwrap() error { return r.Err }

// Page is the value of a tool that returned one page of its result.
type Page struct {
	Value any
	Place toolscript.PagePlace
}

// encode writes a tool result of MCP. A value is the structured content alone: the
// catalog has its schema, and a copy as text would double the size of every result.
func encode(value any, failed error) (json.RawMessage, error) {
	var meta map[string]any
	if page, is := value.(Page); is {
		value, meta = page.Value, map[string]any{toolscript.PageKey: page.Place}
	}
	var result any = struct {
		Meta       map[string]any `json:"_meta,omitempty"`
		Content    []any          `json:"content"`
		Structured any            `json:"structuredContent"`
	}{meta, []any{}, value}
	if failed != nil {
		failure := map[string]any{"isError": true, "content": []any{map[string]string{"type": "text", "text": failed.Error()}}}
		var refusal *Refusal
		if errors.As(failed, &refusal) {
			failure["_meta"] = map[string]any{toolscript.StatusKey: refusal.Status}
		}
		result = failure
	}
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false) // code has many of these characters
	err := to.Encode(result)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
