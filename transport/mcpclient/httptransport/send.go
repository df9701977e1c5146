package httptransport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/transport/egress"
)

// outgoing is one HTTP request to the server.
type outgoing struct {
	method string
	to     *url.URL
	header http.Header // headers of the protocol; they override the configured ones
	body   []byte
}

// send sends a request, follows redirects as redirected allows, and returns the
// response. The caller closes the body. The error is one of errors.go. Status 401 is
// an error; any other status is not.
func (w *wire) send(ctx context.Context, o outgoing) (*http.Response, error) {
	for range maxRedirects {
		resp, err := w.Client.Do(w.request(ctx, o)) //nolint:gosec // G704: the URL comes from the user's configuration
		if err != nil {
			err = explain(err)
			if broke := (*InterruptedError)(nil); errors.As(err, &broke) {
				broke.Early = true
				w.Client.CloseIdleConnections() // these connections may be broken, too
			}
			return nil, w.ended(ctx, err)
		}
		if resp.StatusCode == http.StatusUnauthorized {
			return nil, &UnauthorizedError{refusal(resp).Text}
		}
		next, err := redirected(o.to, resp)
		if next == nil && err == nil {
			return resp, nil
		}
		_ = resp.Body.Close() // the header of a redirect has everything
		if err != nil {
			return nil, &UnreachableError{err}
		}
		o.to = next
	}
	return nil, &UnreachableError{fmt.Errorf("more than %d redirects", maxRedirects)}
}

func (w *wire) request(ctx context.Context, o outgoing) *http.Request {
	req := (&http.Request{Method: o.method, URL: o.to, Host: o.to.Host, Header: make(http.Header)}).WithContext(ctx)
	for name, value := range w.Headers {
		if strings.EqualFold(name, "Accept-Encoding") {
			continue // net/http sets it, and then decodes the answer
		}
		req.Header.Set(name, value)
		if strings.EqualFold(name, "Host") {
			req.Host = value
		}
	}
	if version := w.protocolVersion(); version != "" {
		req.Header.Set(transport.HeaderKeyProtocolVersion, version)
	}
	maps.Copy(req.Header, o.header)
	if o.body != nil {
		req.Header.Set("Content-Type", "application/json")
		req.ContentLength = int64(len(o.body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(o.body)), nil }
		req.Body, _ = req.GetBody() // never fails
	}
	return req
}

// refusal reads and closes a response that is not a message.
func refusal(resp *http.Response) *StatusError {
	defer resp.Body.Close()                                       //nolint:errcheck // the relevant part has been read
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorDoc)) // after an error, use the part that has arrived
	e := &StatusError{Status: resp.StatusCode, Text: strings.TrimSpace(string(text))}
	if mediaType(resp) == "text/html" {
		e.Text = "" // the text is a page, such as the error page of a proxy
	}
	wait, _ := egress.RetryAfter(resp.Header, time.Now())
	e.RetryAfter = min(wait, time.Hour)
	var m message
	if json.Unmarshal(rawjson.TrimMark(text), &m) == nil && m.Error != nil {
		e.Text, e.Code, e.Data = m.Error.Message, m.Error.Code, m.Error.Data
	}
	return e
}

func mediaType(resp *http.Response) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // "" matches no known type
	return kind
}

// whole reads a body that is one message. size is the value of Content-Length,
// negative if it is unknown.
func whole(ctx context.Context, body io.Reader, size int64, limit int, l *budget.Lease) ([]byte, error) {
	text, err := budget.Read(ctx, l, body, size, limit)
	var failed *budget.ReadError
	switch {
	case errors.Is(err, budget.ErrTooLong):
		return nil, ErrTooLarge
	case errors.As(err, &failed):
		return nil, &InterruptedError{Err: failed.Err}
	}
	return text, err
}

// pause waits for d. It returns false if ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// broke returns the error of a stream that ended before its answer.
func broke(err error) error {
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the stream ended before the answer")
	}
	return &InterruptedError{Err: err}
}
