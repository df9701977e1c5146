package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/api"
)

// TestForeignRequests checks that web pages cannot call tools, with and without a token.
func TestForeignRequests(t *testing.T) {
	var calls atomic.Int64
	backend := &fake{callTool: func(context.Context, toolscript.Call) (json.RawMessage, error) {
		calls.Add(1)
		return json.RawMessage(`{}`), nil
	}}
	for name, change := range map[string]func(*api.Options){"token": func(*api.Options) {}, "no token": noToken} {
		t.Run(name, func(t *testing.T) {
			l := serve(t, backend, change)
			port := l.address()[strings.LastIndex(l.address(), ":"):]
			tests := []struct {
				header, value string
				want          int
			}{
				{"Host", "127.0.0.1" + port, 200},
				{"Host", "localhost" + port, 200},
				{"Host", "LOCALHOST" + port, 200},
				{"Host", "[::1]" + port, 200},
				{"Host", "evil.example" + port, 403},
				{"Host", "evil.example", 403},
				{"Host", "127.0.0.1", 403},
				{"Host", "127.0.0.1:1", 403},
				{"Host", "127.0.0.1.evil.example" + port, 403},
				{"Host", "localhost." + port, 403},
				{"Host", "0.0.0.0" + port, 403},
				{"Origin", "http://127.0.0.1" + port, 200},
				{"Origin", "http://localhost" + port, 200},
				{"Origin", "https://127.0.0.1" + port, 403},
				{"Origin", "http://127.0.0.1:1", 403},
				{"Origin", "http://evil.example", 403},
				{"Origin", "http://evil.example" + port, 403},
				{"Origin", "null", 403},
				{"Origin", "file://", 403},
				{"Sec-Fetch-Site", "none", 200},
				{"Sec-Fetch-Site", "same-origin", 200},
				{"Sec-Fetch-Site", "same-site", 403},
				{"Sec-Fetch-Site", "cross-site", 403},
				{"X-Forwarded-Host", "evil.example", 200}, // ignored
				{"Content-Type", "application/json; charset=utf-8", 200},
				{"Content-Type", "APPLICATION/JSON", 200},
				{"Content-Type", "text/plain", 415},
				{"Content-Type", "text/plain; application/json", 415},
				{"Content-Type", "application/x-www-form-urlencoded", 415},
				{"Content-Type", "multipart/form-data; boundary=x", 415},
				{"Content-Type", "application/jsonx", 415},
				{"Content-Type", "", 415},
				{"Content-Encoding", "gzip", 415},
				{"Content-Encoding", "identity", 200},
			}
			for _, tt := range tests {
				before := calls.Load()
				got := l.ask(t, http.MethodPost, "/tools/a__b", `{}`, header(tt.header, tt.value))
				if got.status != tt.want {
					t.Errorf("%s: %q = %d, want %d", tt.header, tt.value, got.status, tt.want)
				}
				if called := calls.Load() != before; called != (tt.want == 200) {
					t.Errorf("%s: %q called the tool: %t", tt.header, tt.value, called)
				}
				if got.header.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s: %q got a CORS header", tt.header, tt.value)
				}
			}
		})
	}
}

// TestHostIsCheckedBeforeAnyRoute: a page that uses DNS rebinding gets no information.
func TestHostIsCheckedBeforeAnyRoute(t *testing.T) {
	l := serve(t, &fake{})
	for _, path := range []string{"/health", "/tools", "/nothing"} {
		got := l.ask(t, http.MethodGet, path, "", header("Host", "evil.example"))
		if got.status != 403 || got.kind() != toolscript.Forbidden {
			t.Errorf("GET %s of a foreign host = %d %s, want 403 forbidden", path, got.status, got.kind())
		}
	}
	forwarded := func(r *http.Request) { r.Host = "evil.example"; r.Header.Set("X-Forwarded-Host", l.address()) }
	if got := l.ask(t, http.MethodGet, "/health", "", forwarded); got.status != 403 {
		t.Errorf("X-Forwarded-Host made a foreign host = %d, want 403", got.status)
	}
}

// TestHostInRequestLine: the host in the request line is checked, because fasthttp prefers it.
func TestHostInRequestLine(t *testing.T) {
	l := serve(t, &fake{})
	for line, want := range map[string]int{
		"GET http://evil.example/health HTTP/1.1\r\nHost: " + l.address():        403,
		"GET http://" + l.address() + "/health HTTP/1.1\r\nHost: evil.example":   403,
		"GET http://" + l.address() + "/health HTTP/1.1\r\nHost: " + l.address(): 200,
		"GET /health HTTP/1.0":                    403,
		"GET /health HTTP/1.1\r\nHost:":           403,
		"FOO /health HTTP/1.1\r\nHost: evil.test": 403,
	} {
		if got := l.raw(t, line+"\r\nConnection: close\r\n\r\n"); got.status != want {
			t.Errorf("%q = %d, want %d", line, got.status, want)
		}
	}
}

func TestEmptyBodyNeedsContentTypeToo(t *testing.T) {
	l := serve(t, &fake{})
	if got := l.ask(t, http.MethodPost, "/tools/a__b", "", header("Content-Type", "")); got.status != 415 {
		t.Errorf("POST without body and type = %d, want 415", got.status)
	}
	if got := l.ask(t, http.MethodPost, "/tools/a__b", ""); got.status != 200 {
		t.Errorf("POST of an empty JSON body = %d, want 200", got.status)
	}
}

func TestListenBeyondThisMachine(t *testing.T) {
	ln, err := api.Listen("0.0.0.0", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := api.New(&fake{}, api.Options{Listener: ln}); toolscript.KindOf(err) != toolscript.Forbidden {
		t.Errorf("New on %s without a token = %v, want forbidden", ln.Addr(), err)
	}
	l := serve(t, &fake{}, func(o *api.Options) {
		_ = o.Listener.Close() // the listener of this test replaces it
		o.Listener = ln
	})
	if want := "http://127.0.0.1:"; !strings.HasPrefix(l.BaseURL(), want) {
		t.Errorf("BaseURL = %s, want %s…", l.BaseURL(), want)
	}
	for host, want := range map[string]int{l.address(): 200, strings.Replace(l.address(), "127.0.0.1", "mybox", 1): 403} {
		if got := l.ask(t, http.MethodGet, "/tools", "", header("Host", host)); got.status != want {
			t.Errorf("Host %s = %d, want %d", host, got.status, want)
		}
	}
}

func TestWeakTokensAreRefused(t *testing.T) {
	ln, err := api.Listen("", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	for _, token := range []string{"short", strings.Repeat("a", 21), strings.Repeat("a/", 20), strings.Repeat("%41", 20)} {
		if _, err := api.New(&fake{}, api.Options{Listener: ln, Token: token}); toolscript.KindOf(err) != toolscript.Invalid {
			t.Errorf("New with token %q = %v, want invalid", token, err)
		} else if strings.Contains(fmt.Sprint(err), token) {
			t.Errorf("the error holds the token: %v", err)
		}
	}
}
