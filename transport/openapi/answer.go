package openapi

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/httpauth"
	"github.com/toolscript/toolscript/transport/inprocess"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

const (
	maxAnswer = 64 << 20 // bytes of an answer
	retries   = 2        // after an answer that asks for another try
	pause     = time.Second
)

// api is an API that requests go to.
type api struct {
	client *http.Client
	auth   httpauth.Auth
	base   string
	limit  time.Duration // of a call with all of its tries

	conceal mcpclient.Concealer
}

// call is one call of a tool.
type call struct {
	*operation
	base  string
	given map[string][]byte // the arguments
	paged bool              // it asks for a page
	page  string            // which one, as toolscript.PagePlace has it; "" is the first
}

// call makes the request of a call and returns its result. The error of an answer that asks
// for another try is Busy with the time until then.
func (a *api) call(ctx context.Context, o *operation, args json.RawMessage) (any, error) {
	args, page, paged, err := toolscript.CutPage(args)
	if err != nil {
		return nil, err
	}
	c := call{o, cmp.Or(o.base, a.base), index(args), paged, page}
	end := time.Now().Add(a.limit)
	for try := 0; ; try++ {
		request, err := o.request(ctx, c.base, c.given)
		if err == nil {
			err = c.turn(request)
		}
		if err != nil {
			return nil, err
		}
		answer, err := a.client.Do(request) //nolint:bodyclose,gosec // result and failure close it; G704: the API that the configuration names
		if err != nil {
			return nil, transportError(ctx, err)
		}
		wait, again := retryAfter(answer, time.Now())
		if !again {
			value, err := a.result(o, answer)
			if err != nil || !paged {
				return value, err
			}
			place, err := a.place(c, request, answer)
			return inprocess.Page{Value: value, Place: place}, err
		}
		failure := a.failure(o, answer)
		if try == retries || !repeatable(o.method) || time.Now().Add(wait).After(end) {
			return nil, &toolscript.Error{Kind: toolscript.Busy, RetryAfter: wait, Err: failure}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// transportError is an error without an answer. The address is left out: a query may contain
// a secret.
func transportError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var known *toolscript.Error
	if errors.As(err, &known) {
		return known
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("the API cannot be reached: %w", err)}
}

// repeatable reports whether a request may be sent again.
func repeatable(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// retryAfter is how long an answer asks to wait, which is a second if it does not say.
func retryAfter(answer *http.Response, now time.Time) (wait time.Duration, again bool) {
	if answer.StatusCode != http.StatusTooManyRequests && answer.StatusCode != http.StatusServiceUnavailable {
		return 0, false
	}
	text := answer.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, 1<<30)) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now)), true
	}
	return pause, true
}

// result is the value of an answer.
func (a *api) result(o *operation, answer *http.Response) (any, error) {
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return nil, a.failure(o, answer)
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	content, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("the answer broke off: %w", err)}
	case len(content) > maxAnswer:
		return nil, &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("the answer has more than %d MB", maxAnswer>>20)}
	case len(content) == 0:
		return nil, nil
	}
	media := strings.ToLower(answer.Header.Get("Content-Type"))
	switch {
	case isJSON(media) || media == "" && json.Valid(content):
		if !json.Valid(content) {
			return nil, fmt.Errorf("the answer says that it is JSON, and is not: %.200q", a.conceal.Text(string(content)))
		}
		return json.RawMessage(content), nil
	case textual(media) && utf8.Valid(content):
		return string(content), nil
	default:
		return blob(answer, media, content), nil
	}
}

func textual(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	media = strings.TrimSpace(media)
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+xml") || media == "application/xml" || media == "application/yaml" ||
		media == "application/x-ndjson" || media == "application/javascript"
}

// blob is a content block of MCP with bytes: their handle in scripts and on the command line.
func blob(answer *http.Response, media string, content []byte) any {
	data := base64.StdEncoding.EncodeToString(content)
	media, _, _ = strings.Cut(media, ";")
	if media == "" {
		media = "application/octet-stream"
	}
	if strings.HasPrefix(media, "image/") {
		return map[string]any{"type": "image", "mimeType": media, "data": data}
	}
	where := *answer.Request.URL
	where.RawQuery, where.User, where.Fragment = "", nil, ""
	return map[string]any{"type": "resource", "resource": map[string]any{"uri": where.String(), "mimeType": media, "blob": data}}
}

// failure is the error of an answer that is not a success, with the beginning of its body.
func (a *api) failure(o *operation, answer *http.Response) error {
	const most = 2000
	defer func() { _ = answer.Body.Close() }()                  // the rest is not read
	body, _ := io.ReadAll(io.LimitReader(answer.Body, 16*most)) // so that no secret is cut
	text := strings.TrimSpace(strings.ToValidUTF8(a.conceal.Text(string(body)), "�"))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	message := fmt.Sprintf("%s %s: %s", o.method, o.path, answer.Status)
	if text != "" {
		message += ": " + text
	}
	if answer.StatusCode == http.StatusUnauthorized {
		message += "; check \"auth\" of the server in the configuration"
	}
	return &inprocess.Refusal{Status: answer.StatusCode, Err: errors.New(message)}
}
