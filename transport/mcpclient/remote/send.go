package remote

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
	"strconv"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
)

// outgoing is one HTTP request to the server.
type outgoing struct {
	method string
	to     *url.URL
	header http.Header // of the protocol; these win over those of the configuration
	body   []byte
}

// send sends a request, follows redirects as redirected allows, and returns the
// answer, whose body the caller closes. The error is one of errors.go; a 401 is
// an error here, any other status is not.
func (w *wire) send(ctx context.Context, o outgoing) (*http.Response, error) {
	for range maxRedirects {
		resp, err := w.Client.Do(w.request(ctx, o)) //nolint:gosec // G704: the address is the user's configuration
		if err != nil {
			return nil, w.ended(ctx, explain(err))
		}
		if resp.StatusCode == http.StatusUnauthorized {
			return nil, &UnauthorizedError{refusal(resp).Text}
		}
		next, err := redirected(o.to, resp)
		if next == nil && err == nil {
			return resp, nil
		}
		_ = resp.Body.Close() // what a redirect says is in its header
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
		req.Body, _ = req.GetBody() // cannot fail
	}
	return req
}

// refusal reads an answer that is no message, and closes it.
func refusal(resp *http.Response) *StatusError {
	defer resp.Body.Close()                                       //nolint:errcheck // it has been read as far as it counts
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorDoc)) // half of it says more than nothing
	e := &StatusError{Status: resp.StatusCode, Text: strings.TrimSpace(string(text))}
	if mediaType(resp) == "text/html" {
		e.Text = "" // the page of a proxy
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.RetryAfter = min(time.Duration(seconds)*time.Second, time.Hour)
	}
	var m message
	if json.Unmarshal(text, &m) == nil && m.Error != nil {
		e.Text = m.Error.Message
	}
	return e
}

func mediaType(resp *http.Response) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // "" is none that we know
	return kind
}

// whole reads a message that is a body of its own.
func whole(body io.Reader, limit int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, int64(limit)+1))
	switch {
	case len(text) > limit:
		return nil, ErrTooLarge
	case err != nil:
		return nil, &InterruptedError{err}
	default:
		return text, nil
	}
}

// pause waits, and reports whether ctx still lasts.
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

// broke is the error of a stream that ended without what it was for.
func broke(err error) error {
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the stream ended before the answer")
	}
	return &InterruptedError{err}
}
