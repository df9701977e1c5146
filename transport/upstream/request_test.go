package upstream_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestDoSaysWhetherTheRequestWasSent covers the ways in which a request to an API gets no answer.
func TestDoSaysWhetherTheRequestWasSent(t *testing.T) {
	broken := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer broken.Close()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	refusal := &toolscript.Error{Kind: toolscript.Forbidden, Err: errors.New("not there")}
	moved := httptest.NewServer(http.RedirectHandler(closed.URL, http.StatusSeeOther))
	defer moved.Close()
	for _, tt := range []struct {
		name, url string
		client    *http.Client
		kind      toolscript.Kind
		sent      toolscript.Sent
	}{
		{"nothing listens", closed.URL, http.DefaultClient, toolscript.Unavailable, toolscript.SentNo},
		{"the connection ends", broken.URL, http.DefaultClient, toolscript.Unavailable, toolscript.SentUnknown},
		{"nothing listens behind a redirect", moved.URL, http.DefaultClient, toolscript.Unavailable, toolscript.SentUnknown},
		{"a redirect is refused", moved.URL, &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return refusal }}, toolscript.Forbidden, toolscript.SentUnknown},
		{"the request is refused", moved.URL, &http.Client{Transport: refusing{refusal}}, toolscript.Forbidden, toolscript.SentNo},
	} {
		t.Run(tt.name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, tt.url+"?key=secret", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			answer, err := upstream.Do(tt.client, request, "the API")
			if err == nil {
				_ = answer.Body.Close() // the body is not needed
			}
			if toolscript.KindOf(err) != tt.kind || toolscript.SentOf(err) != tt.sent || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v: sent %q; want %s, sent %s", err, toolscript.SentOf(err), tt.kind, tt.sent)
			}
		})
	}
}

type refusing struct{ err error }

func (r refusing) RoundTrip(*http.Request) (*http.Response, error) { return nil, r.err }
