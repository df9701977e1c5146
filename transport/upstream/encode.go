package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rawjson"
)

// Text is a value that is a text in UTF-8. Unlike a string, it needs no copy of what was
// read.
type Text []byte

// maxResult bounds a result, in bytes. A text can become six times as long in JSON.
const maxResult = 96 << 20

// encode returns the result in MCP's form. If the value is a json.RawMessage, which must be
// valid, or a Text, the bytes are taken from lease before they are needed. Tools bound the
// size of other values themselves.
func encode(ctx context.Context, lease *budget.Lease, value any, failed error) (json.RawMessage, error) {
	var meta map[string]any
	if page, is := value.(Page); is {
		value, meta = page.Value, map[string]any{toolscript.PageKey: page.Place}
	}
	content := []any{}
	if with, is := value.(WithContent); is {
		value, content = with.Value, with.Content
	}
	if failed != nil {
		return encodeAny(ctx, lease, failure(failed))
	}
	var size int
	var add func([]byte) []byte
	switch v := value.(type) {
	case json.RawMessage:
		if !rawjson.Valid(v) {
			break // the error of encoding/json says where
		}
		size, add = len(v), func(to []byte) []byte { return rawjson.AppendCompact(to, v) }
	case Text:
		size, add = rawjson.QuotedLen(v), func(to []byte) []byte { return rawjson.AppendQuoted(to, v) }
	}
	if size == 0 {
		return encodeAny(ctx, lease, success{Meta: meta, Content: content, Structured: value})
	}
	frame, err := json.Marshal(success{Meta: meta, Content: content})
	if err != nil {
		return nil, err
	}
	head := bytes.TrimSuffix(frame, []byte("null}"))
	if size += len(frame); size > maxResult {
		return nil, &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("the result has more than %d MB as JSON", maxResult>>20)}
	}
	if err := take(ctx, lease, size); err != nil {
		return nil, err
	}
	return append(add(append(make([]byte, 0, size), head...)), '}'), nil
}

// success is the result of a tool.
type success struct {
	Meta       map[string]any `json:"_meta,omitempty"`
	Content    []any          `json:"content"`
	Structured any            `json:"structuredContent"`
}

// failure returns the result of a tool that has failed.
func failure(err error) map[string]any {
	result := map[string]any{"isError": true, "content": []any{map[string]string{"type": "text", "text": err.Error()}}}
	var refusal *Refusal
	if errors.As(err, &refusal) {
		if refusal.Status != 0 {
			result["_meta"] = map[string]any{toolscript.StatusKey: refusal.Status}
		}
		if len(refusal.Structured) > 0 {
			result["structuredContent"] = refusal.Structured
		}
	}
	return result
}

func encodeAny(ctx context.Context, lease *budget.Lease, value any) (json.RawMessage, error) {
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false) // code has many of these characters
	if err := to.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), take(ctx, lease, out.Len())
}

// take takes n bytes from lease for a result, unless the result is small.
func take(ctx context.Context, lease *budget.Lease, n int) error {
	if n <= budget.Free {
		return nil
	}
	return lease.Take(ctx, n)
}
