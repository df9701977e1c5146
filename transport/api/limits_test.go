package api_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/api"
)

// wantRefusal checks the common parts of a refusal.
func wantRefusal(t *testing.T, what string, got answer, status int, kind toolscript.Kind) {
	t.Helper()
	if got.status != status || got.kind() != kind || got.failure().Error == "" {
		t.Errorf("%s = %d %q, want %d %s", what, got.status, got.body, status, kind)
	}
	if got.header.Get("X-Request-Id") == "" || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("%s has the headers %v", what, got.header)
	}
}

func TestBodyLimit(t *testing.T) {
	l := serve(t, &fake{})
	const limit = 32 << 20
	body := func(size int) io.Reader {
		return strings.NewReader(`{"a":"` + strings.Repeat("x", size-8) + `"}`)
	}
	if got := ask(t, http.MethodPost, l.URL()+"/tools/a__b", body(limit)); got.status != 200 {
		t.Errorf("a body of 32 MB = %d %s", got.status, got.body)
	}
	wantRefusal(t, "a body of 32 MB and a byte", ask(t, http.MethodPost, l.URL()+"/tools/a__b", body(limit+1)), 413, toolscript.TooLarge)
	chunked := func(r *http.Request) { r.ContentLength = -1 }
	wantRefusal(t, "a chunked one", ask(t, http.MethodPost, l.URL()+"/tools/a__b", body(limit+1), chunked), 413, toolscript.TooLarge)
}

// TestRefusalReachesASlowSender: a client that sends its whole body first can still read the
// answer. Closing the connection immediately would prevent that.
func TestRefusalReachesASlowSender(t *testing.T) {
	l := serve(t, &fake{})
	conn := l.dial(t)
	const size = 33 << 20
	if _, err := fmt.Fprintf(conn, "POST /%s/tools/a__b HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", l.token, l.address(), size); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(make([]byte, size)); err != nil {
		t.Fatalf("the gateway did not take what the client was sending: %v", err)
	}
	wantRefusal(t, "33 MB", readAnswer(t, conn), 413, toolscript.TooLarge)
}

func TestHeaderLimit(t *testing.T) {
	l := serve(t, &fake{})
	if got := l.ask(t, http.MethodGet, "/tools?filter="+strings.Repeat("a", 50_000), ""); got.status != 200 {
		t.Errorf("a URL of 50,000 bytes = %d", got.status)
	}
	wantRefusal(t, "a URL of 70,000 bytes", l.ask(t, http.MethodGet, "/tools?filter="+strings.Repeat("a", 70_000), ""), 431, toolscript.TooLarge)
	long := header("X-Long", strings.Repeat("a", 70_000))
	wantRefusal(t, "a header of 70,000 bytes", l.ask(t, http.MethodGet, "/tools", "", long), 431, toolscript.TooLarge)
}

// TestCompressedBodies: compressed bodies are refused, because a small body could expand a thousandfold.
func TestCompressedBodies(t *testing.T) {
	l := serve(t, &fake{})
	for _, encoding := range []string{"gzip", "br", "deflate", "gzip, gzip"} {
		got := l.ask(t, http.MethodPost, "/tools/a__b", "{}", header("Content-Encoding", encoding))
		wantRefusal(t, encoding, got, 415, toolscript.Unsupported)
	}
}

func TestUnknownMethods(t *testing.T) {
	l := serve(t, &fake{})
	for path, allow := range map[string]string{"/exec": "POST", "/tools": "GET, HEAD", "/runs/r1": "GET, HEAD, DELETE"} {
		got := l.ask(t, http.MethodPut, path, "")
		wantRefusal(t, "PUT "+path, got, 405, toolscript.Invalid)
		if got.header.Get("Allow") != allow {
			t.Errorf("Allow of %s = %q, want %q", path, got.header.Get("Allow"), allow)
		}
	}
	wantRefusal(t, "OPTIONS", l.ask(t, http.MethodOptions, "/exec", ""), 405, toolscript.Invalid)
	wantRefusal(t, "a method that does not exist", l.ask(t, "BREW", "/tools", ""), 400, toolscript.Invalid)
}

func TestHead(t *testing.T) {
	l := serve(t, &fake{})
	if got := l.ask(t, http.MethodHead, "/tools", ""); got.status != 200 || got.body != "" {
		t.Errorf("HEAD /tools = %d %q", got.status, got.body)
	}
}

// TestMalformedRequests: errors do not quote the request, whose path contains the capability, as
// those of fasthttp do.
func TestMalformedRequests(t *testing.T) {
	l := serve(t, &fake{})
	for _, request := range []string{
		"/" + l.token + "/tools\r\n\r\n",
		"GET /" + l.token + "/tools HTTP/1.1\r\nHost: " + l.address() + "\r\nBad Header: " + l.token + "\r\n\r\n",
		"POST /" + l.token + "/exec HTTP/1.1\r\nHost: " + l.address() + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz" + l.token + "\r\n",
	} {
		got := l.raw(t, request)
		wantRefusal(t, fmt.Sprintf("%q", request), got, 400, toolscript.Invalid)
		if strings.Contains(got.body, l.token) {
			t.Errorf("%q is answered with the capability: %s", request, got.body)
		}
	}
	if strings.Contains(l.log.String(), l.token) {
		t.Errorf("the log holds the capability:\n%s", l.log)
	}
}

// TestSlowLoris: a complete request must arrive within the read time-out.
func TestSlowLoris(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	l := serve(t, &fake{}, func(o *api.Options) { o.ReadTimeout = 20 * time.Millisecond })
	for name, begun := range map[string]string{
		"nothing":       "",
		"half a line":   "GET /hea",
		"half a header": "GET /health HTTP/1.1\r\nHost: ",
		"half a body":   "POST /" + l.token + "/exec HTTP/1.1\r\nHost: " + l.address() + "\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
	} {
		got := l.raw(t, begun)
		wantRefusal(t, name, got, 408, toolscript.Timeout)
	}
}

func TestRequestIDs(t *testing.T) {
	l := serve(t, &fake{})
	seen := map[string]bool{}
	for _, path := range []string{"/health", "/nothing", "/tools", "/runs"} {
		got := l.ask(t, http.MethodGet, path, "", header("X-Request-Id", "mine"))
		id := got.header.Get("X-Request-Id")
		if id == "" || id == "mine" || seen[id] {
			t.Errorf("X-Request-Id of %s = %q; want one of its own", path, id)
		}
		seen[id] = true
		if line := l.log.line(t, "request", id); line["status"] != float64(got.status) {
			t.Errorf("log line of %s = %v", id, line)
		}
	}
}

// TestPipelinedRequests: bytes of a next request do not count as a disconnect.
func TestPipelinedRequests(t *testing.T) {
	l := serve(t, &fake{})
	conn := l.dial(t)
	one := "GET /health HTTP/1.1\r\nHost: " + l.address() + "\r\n\r\n"
	last := strings.Replace(one, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1)
	if _, err := io.WriteString(conn, one+one+last); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("200 OK")); n != 3 {
		t.Errorf("%d of 3 answers:\n%s", n, text)
	}
}
