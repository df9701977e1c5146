package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rawjson"
)

// maxFailed bounds the answers whose content blocks become part of the error, in bytes.
const maxFailed = 1 << 20

// failedTool completes the error of an answer with isError. For a large answer, the error has only the beginning of
// the text.
func failedTool(e *toolscript.ToolError, r result, size int) *toolscript.ToolError {
	r.about(toolscript.StatusKey, &e.Status)
	if e.Message = textsOf(r.blocks); size > maxFailed {
		e.Message = cut(e.Message)
		return e
	}
	for _, b := range r.blocks {
		e.Content = append(e.Content, b.whole)
	}
	if present(r.structured) {
		e.Structured = r.structured
	}
	return e
}

// kindOfResult returns the kind of a result; "" for success.
func kindOfResult(raw json.RawMessage) toolscript.Kind {
	r, err := parseResult(raw)
	if err != nil {
		return toolscript.InvalidResult
	}
	if r.isError {
		return toolscript.ToolFailed
	}
	return ""
}

// FailureOf returns the text of a result with isError, and whether it has isError.
func FailureOf(raw json.RawMessage) (text string, failed bool) {
	if !bytes.Contains(raw, []byte(`"isError"`)) { // most results need not be decoded
		return "", false
	}
	r, err := parseResult(raw)
	if err != nil || !r.isError {
		return "", false
	}
	return textsOf(r.blocks), true
}

// textsOf joins the text blocks to the message of an error.
func textsOf(content []block) string {
	var texts []string
	for _, b := range content {
		if b.text != nil {
			texts = append(texts, string(rawjson.Unquote(b.text)))
		}
	}
	if len(texts) == 0 {
		return "the tool reported an error without a text"
	}
	return strings.Join(texts, "\n")
}

// toolError converts an error of the gateway to the error that a script catches.
func toolError(tool toolscript.Tool, id string, err error) *toolscript.ToolError {
	t := toolscript.ToolErrorOf(err, tool.Server, id)
	var refusal interface { // such as the error of upstream with the reason of a busy API
		error
		Told() (status int, structured map[string]any)
	}
	if errors.As(err, &refusal) {
		status, structured := refusal.Told()
		t.Status = status
		if text, err := toolscript.PlainJSON(structured); err == nil && len(structured) > 0 && len(text) <= maxFailed {
			t.Structured = text
		}
	}
	return t
}

// notMade returns err for a call that reached no server. It replaces the Sent of err, which may describe other
// calls.
func notMade(err error) error {
	var e *toolscript.Error
	if !errors.As(err, &e) {
		return toolscript.WithSent(err, toolscript.SentNo)
	}
	full := *e
	full.Sent = toolscript.SentNo
	return &full
}

// ending says how a call has ended. The zero ending is success.
type ending struct {
	kind toolscript.Kind
	sent toolscript.Sent
}

func endingOf(kind toolscript.Kind, sent toolscript.Sent) ending {
	if kind == "" {
		return ending{}
	}
	return ending{kind, sent}
}

var (
	errAborted = &toolscript.Error{Kind: toolscript.Cancelled, Err: errors.New("the run ended before the call was answered")}
	errStopped = &toolscript.Error{Kind: toolscript.Cancelled, Err: errors.New("the task was stopped, because its run was aborted")}
)
