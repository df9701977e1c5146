package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/api"
)

// TestRefusedBodyIsNotAwaited: a refusal is sent after the header of a request, without asking
// the client for the body.
func TestRefusedBodyIsNotAwaited(t *testing.T) {
	l := serve(t, &fake{}, func(o *api.Options) { o.ReadTimeout = time.Hour })
	const size = "Content-Type: application/json\r\nContent-Length: 33554432\r\n"
	good, path := "Host: "+l.address()+"\r\n", "/"+l.token+"/tools/a__b"
	for name, tt := range map[string]struct {
		head   string
		status int
		kind   toolscript.Kind
	}{
		"no capability":        {"POST /tools/a__b HTTP/1.1\r\n" + good + size, 404, toolscript.NotFound},
		"a wrong capability":   {"POST /" + api.NewToken() + "/tools/a__b HTTP/1.1\r\n" + good + size, 404, toolscript.NotFound},
		"a wrong bearer":       {"POST /tools/a__b HTTP/1.1\r\n" + good + "Authorization: Bearer x\r\n" + size, 404, toolscript.NotFound},
		"health":               {"POST /health HTTP/1.1\r\n" + good + size, 404, toolscript.NotFound},
		"another host":         {"POST " + path + " HTTP/1.1\r\nHost: evil.example\r\n" + size, 403, toolscript.Forbidden},
		"another origin":       {"POST " + path + " HTTP/1.1\r\n" + good + "Origin: http://evil.example\r\n" + size, 403, toolscript.Forbidden},
		"another site":         {"POST " + path + " HTTP/1.1\r\n" + good + "Sec-Fetch-Site: cross-site\r\n" + size, 403, toolscript.Forbidden},
		"Expect":               {"POST /tools/a__b HTTP/1.1\r\n" + good + "Expect: 100-continue\r\n" + size, 404, toolscript.NotFound},
		"GET":                  {"GET /tools HTTP/1.1\r\n" + good + size, 404, toolscript.NotFound},
		"chunks":               {"POST /tools/a__b HTTP/1.1\r\n" + good + "Transfer-Encoding: chunked\r\n", 404, toolscript.NotFound},
		"an unknown method":    {"BREW " + path + " HTTP/1.1\r\nHost: evil.example\r\n" + size, 403, toolscript.Forbidden},
		"too large":            {"POST " + path + " HTTP/1.1\r\n" + good + "Content-Length: 33554433\r\n", 413, toolscript.TooLarge},
		"too large and Expect": {"POST " + path + " HTTP/1.1\r\n" + good + "Expect: 100-continue\r\nContent-Length: 33554433\r\n", 413, toolscript.TooLarge},
	} {
		for _, begun := range []string{"", "{"} {
			if begun != "" && name == "chunks" {
				begun = "1\r\n{"
			}
			got := l.last(t, tt.head+"\r\n"+begun)
			wantRefusal(t, name, got, tt.status, tt.kind)
		}
	}
}

// last sends bytes and reads one answer, and checks that the connection then ends.
func (l *live) last(t *testing.T, request string) answer {
	t.Helper()
	conn := l.dial(t)
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(conn)
	resp, err := http.ReadResponse(answers, nil)
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	if rest, _ := io.ReadAll(answers); len(rest) > 0 || !resp.Close {
		t.Errorf("%q: the connection may be used again, and this came: %q", request, rest)
	}
	return answer{resp.StatusCode, resp.Header, string(body)}
}

// TestFraming: a request with an ambiguous host or length is refused, because a proxy might
// interpret it differently.
func TestFraming(t *testing.T) {
	called := make(chan struct{}, 1)
	l := serve(t, &fake{callTool: func(context.Context, toolscript.Call) (json.RawMessage, error) {
		called <- struct{}{}
		return json.RawMessage(`{}`), nil
	}})
	line, host := "POST /"+l.token+"/tools/a__b HTTP/1.1\r\nContent-Type: application/json\r\n", "Host: "+l.address()+"\r\n"
	for name, request := range map[string]string{
		"two hosts":               line + host + host + "Content-Length: 2\r\n\r\n{}",
		"a foreign host first":    line + "Host: evil.example\r\n" + host + "Content-Length: 2\r\n\r\n{}",
		"a foreign host last":     line + host + "hOST: evil.example\r\nContent-Length: 2\r\n\r\n{}",
		"both lengths":            line + host + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"both lengths, reversed":  line + host + "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}",
		"a length twice":          line + host + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
		"an encoding twice":       line + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"another encoding":        line + host + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
		"both lengths of a GET":   "GET /health HTTP/1.1\r\n" + host + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"two hosts of a GET":      "GET /health HTTP/1.1\r\n" + host + host + "\r\n",
		"identity and a length":   line + host + "Content-Length: 2\r\nTransfer-Encoding: identity\r\n\r\n{}",
		"a stranger with lengths": "POST /x HTTP/1.1\r\n" + host + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	} {
		got := l.last(t, request+"GET /health HTTP/1.1\r\n"+host+"\r\n")
		wantRefusal(t, name, got, 400, toolscript.Invalid)
	}
	select {
	case <-called:
		t.Error("a tool was called")
	default:
	}
}

// TestUnreadBodyEndsTheConnection: an unread body is not parsed as the next request.
func TestUnreadBodyEndsTheConnection(t *testing.T) {
	l := serve(t, &fake{})
	inner := "GET /" + l.token + "/tools HTTP/1.1\r\nHost: " + l.address() + "\r\n\r\n"
	body := strings.Repeat(" ", 20_000) + inner
	conn := l.dial(t)
	head := "POST /" + l.token + "/tools/a__b HTTP/1.1\r\nHost: " + l.address() + "\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
	if _, err := io.WriteString(conn, head+"6000\r\n"+body); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "HTTP/1.1 "); n != 1 || !strings.HasPrefix(string(text), "HTTP/1.1 415 ") {
		t.Errorf("%d answers, want one of 415:\n%s", n, text)
	}
}

// TestBodiesOnOneConnection: bodies of every size are read completely over one connection.
func TestBodiesOnOneConnection(t *testing.T) {
	sizes := make(chan int, 1)
	l := serve(t, &fake{callTool: func(_ context.Context, call toolscript.Call) (json.RawMessage, error) {
		sizes <- len(call.Args)
		return json.RawMessage(`{}`), nil
	}})
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	t.Cleanup(client.CloseIdleConnections)
	for _, size := range []int{10, 8 << 10, 8<<10 + 1, 64 << 10, 64<<10 + 1, 3 << 20} {
		for _, chunked := range []bool{false, true} {
			text := `{"a":"` + strings.Repeat("x", size-8) + `"}`
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, l.URL()+"/tools/a__b", strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			if chunked {
				req.ContentLength = -1
			}
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 || resp.Close {
				t.Errorf("a body of %d bytes, chunked %t = %d, close %t, %v", size, chunked, resp.StatusCode, resp.Close, err)
			}
			_ = resp.Body.Close()
			if got := kit.Receive(t, sizes); got != size {
				t.Errorf("a body of %d bytes, chunked %t, has come as %d", size, chunked, got)
			}
		}
	}
}
