package openapi

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/transport/upstream"
)

const maxAnswer = 64 << 20 // maximum size in bytes of an answer

// api is an HTTP API that receives the requests of calls.
type api struct {
	client *http.Client
	auth   upstream.HTTPAuth
	base   string
	limit  time.Duration // time limit of a call with all of its attempts

	redact  upstream.Redactor
	answers *budget.Budget
}

// call is one call of a tool.
type call struct {
	*operation
	base  string
	given map[string][]byte // the arguments
	paged bool              // the call asks for one page
	page  string            // continuation of the requested page, see toolscript.PagePlace; "" is the first page
}

// call makes the request of a call and returns its result. If the API asks to try again later, call
// may do so. After the last attempt, the error is Busy with the time to wait.
func (a *api) call(ctx context.Context, o *operation, args json.RawMessage) (any, error) {
	args, page, paged, err := toolscript.CutPage(args)
	if err != nil {
		return nil, err
	}
	c := call{o, cmp.Or(o.Base, a.base), index(args), paged, page}
	end := time.Now().Add(a.limit)
	for try := 0; ; try++ {
		request, err := o.request(ctx, c.base, c.given)
		if err == nil {
			err = c.turn(request)
		}
		if err != nil {
			return nil, err
		}
		answer, err := upstream.Do(a.client, request, "the API") //nolint:bodyclose // result and failure close it
		if err != nil {
			return nil, err
		}
		wait, again := upstream.RetryAfter(answer, time.Now())
		if !again {
			value, err := a.result(ctx, o, isJSON(o.asked(c.given)), answer)
			if err != nil || !paged {
				return value, err
			}
			place, err := a.place(c, request, answer)
			return upstream.Page{Value: value, Place: place}, err
		}
		failure := a.failure(o, answer)
		if try == upstream.Retries || !repeatable(o.Method) || time.Now().Add(wait).After(end) {
			return nil, &toolscript.Error{Kind: toolscript.Busy, RetryAfter: wait, Sent: upstream.Refused(answer.StatusCode), Err: failure}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// repeatable reports whether a request may be sent again.
func repeatable(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// result returns the value of an answer, with the headers that the document declares. promised
// reports that the document declares the answer as JSON.
func (a *api) result(ctx context.Context, o *operation, promised bool, answer *http.Response) (any, error) {
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return nil, a.failure(o, answer)
	}
	value, err := a.value(ctx, o, promised, answer)
	if err != nil || len(o.Headers) == 0 {
		return value, err
	}
	if value == nil && o.Silent {
		value = map[string]any{}
	}
	return upstream.WithContent{Value: value, Content: headers(answer.Header, o.Headers)}, nil
}

// headers returns a content block with the declared headers of an answer, or no block if all are missing.
func headers(of http.Header, declared map[string]bool) []any {
	values := map[string]string{}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		if all := of.Values(name); len(all) > 0 {
			values[name] = strings.Join(all, ", ")
			lines = append(lines, name+": "+values[name])
		}
	}
	if len(lines) == 0 {
		return []any{}
	}
	return []any{map[string]any{"type": "text", "text": strings.Join(lines, "\n"), "_meta": map[string]any{"headers": values}}}
}

// value returns the value of an answer. The bytes of the answer count for the lease of the call to which ctx belongs.
func (a *api) value(ctx context.Context, o *operation, promised bool, answer *http.Response) (any, error) {
	defer func() { _ = answer.Body.Close() }() // only read
	lease := a.answers.Lease(ctx)
	before := lease.Bytes()
	content, err := upstream.ReadAnswer(ctx, lease, answer, maxAnswer)
	if err != nil || len(content) == 0 {
		return nil, err
	}
	media := strings.ToLower(answer.Header.Get("Content-Type"))
	if isJSON(media) || media == "" || promised { // many servers send JSON as text/plain or text/html
		content = rawjson.TrimMark(content)
	}
	valid := (isJSON(media) || media == "" || promised) && rawjson.Valid(content)
	if valid && promised && o.Text && textual(media) && content[blank(content, 0)] != '"' {
		valid = false // keep it a text, even if it is something like 12345
	}
	switch {
	case valid:
		return json.RawMessage(content), nil
	case promised && upstream.IsHTML(answer, content):
		return nil, &upstream.Refusal{Status: answer.StatusCode, Err: fmt.Errorf(
			"%s %s: the document promises JSON, and the answer, with status %s, is a page%s; it may be that of a login; the request was sent: %s",
			o.Method, o.Path, answer.Status, upstream.Title([]byte(a.redact.Text(string(content[:min(len(content), mostShown)])))), a.shown(content))}
	case isJSON(media):
		return nil, fmt.Errorf("the answer has the content type of JSON but is not JSON: %.200q", a.redact.Text(string(content[:min(len(content), mostShown)])))
	case textual(media) && utf8.Valid(content):
		return upstream.Text(content), nil
	default:
		read := lease.Bytes() - before
		block, err := blob(ctx, lease, answer, media, content)
		lease.Drop(read) // the block has a copy of the bytes
		return block, err
	}
}

// mostShown is the maximum length of the part of an answer that is searched for secrets before it is shown.
const mostShown = 32 << 10

func textual(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	media = strings.TrimSpace(media)
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+xml") || media == "application/xml" || media == "application/yaml" ||
		media == "application/x-ndjson" || media == "application/javascript"
}

// blob returns an MCP content block with bytes, which scripts and the command line handle as a file.
func blob(ctx context.Context, lease *budget.Lease, answer *http.Response, media string, content []byte) (json.RawMessage, error) {
	media, _, _ = strings.Cut(media, ";")
	if media == "" {
		media = "application/octet-stream"
	}
	kind, _ := json.Marshal(media) // a string always has a JSON form
	head, tail := `{"data":"`, `","mimeType":`+string(kind)+`,"type":"image"}`
	if !strings.HasPrefix(media, "image/") {
		where := *answer.Request.URL
		where.RawQuery, where.User, where.Fragment = "", nil, ""
		address, _ := json.Marshal(where.String())
		head, tail = `{"resource":{"blob":"`, `","mimeType":`+string(kind)+`,"uri":`+string(address)+`},"type":"resource"}`
	}
	size := len(head) + base64.StdEncoding.EncodedLen(len(content)) + len(tail)
	if err := lease.Take(ctx, size); err != nil {
		return nil, err
	}
	block := base64.StdEncoding.AppendEncode(append(make([]byte, 0, size), head...), content)
	return append(block, tail...), nil
}

// shown returns the beginning of an answer for a message, without secrets.
func (a *api) shown(content []byte) string {
	const most = 2000
	text := a.redact.Text(string(content[:min(len(content), mostShown)])) // hide secrets before the text is cut
	return texts.Short(strings.TrimSpace(strings.ToValidUTF8(text, "�")), most)
}

// failure returns the error for an answer without success. The error contains the beginning of the body.
func (a *api) failure(o *operation, answer *http.Response) error {
	defer func() { _ = answer.Body.Close() }() // the rest is not read
	body, _ := io.ReadAll(io.LimitReader(answer.Body, mostShown))
	text := a.shown(body)
	message := fmt.Sprintf("%s %s: %s", o.Method, o.Path, answer.Status)
	if text != "" {
		message += ": " + text
	}
	if answer.StatusCode == http.StatusUnauthorized {
		message += "; check \"auth\" of the server in the configuration"
	}
	return &upstream.Refusal{Status: answer.StatusCode, Err: errors.New(message)}
}
