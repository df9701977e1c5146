package api_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"testing"
)

// tracing returns a context that records for each request whether its connection was
// reused.
func tracing(t *testing.T, reused *[]bool) context.Context {
	t.Helper()
	return httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) { *reused = append(*reused, info.Reused) },
	})
}

// TestUnverifiedConnectionsCloseNoVerifiedOnes opens the maximum number of connections without
// a capability. The idle connection of a client with a capability stays open, because closing
// it would free no slot and would make the client's next request fail.
func TestUnverifiedConnectionsCloseNoVerifiedOnes(t *testing.T) {
	l := serve(t, &fake{})
	var reused []bool
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	t.Cleanup(client.CloseIdleConnections)
	ask := func() {
		t.Helper()
		req, err := http.NewRequestWithContext(tracing(t, &reused), http.MethodGet, l.URL()+"/tools", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	ask()
	const maxUnverified = 256
	for range maxUnverified + 1 { // the last one waits for a free slot
		conn := l.dial(t)
		if _, err := io.WriteString(conn, "G"); err != nil {
			t.Fatal(err)
		}
	}
	stranger := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := stranger.Get(l.URL() + "/health")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	ask()
	if len(reused) != 2 || !reused[1] {
		t.Errorf("connections reused: %v, want the second", reused)
	}
}
