package api_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/api"
)

func TestModule(t *testing.T) {
	type asked struct {
		filter  string
		compact bool
	}
	questions := make(chan asked, 1)
	catalog := toolscript.NewCatalog(1, []string{"a", "b"}, []toolscript.Tool{{Server: "b", Name: "c"}})
	l := serve(t, &fake{catalog: catalog, types: func(_ context.Context, f toolscript.Filter, compact bool) (toolscript.Module, error) {
		questions <- asked{f.String(), compact}
		return toolscript.Module{Text: "export const tools = {};\n", ETag: "abc", Generation: 7}, nil
	}})
	for query, want := range map[string]asked{
		"":                                 {"", false},
		"?_t=x-7":                          {"", false},
		"?filter=a,%20b__c&compact=true":   {"a,b__c", true},
		"?filter=a&compact=1&_t=1&wait=1s": {"a", true},
		"?compact=false":                   {"", false},
	} {
		got := l.ask(t, http.MethodGet, "/runtime/tools.ts"+query, "")
		if got.status != 200 || got.body != "export const tools = {};\n" {
			t.Fatalf("GET tools.ts%s = %d %s", query, got.status, got.body)
		}
		if q := kit.Receive(t, questions); q != want {
			t.Errorf("GET tools.ts%s asked for %+v, want %+v", query, q, want)
		}
		for name, value := range map[string]string{"Content-Type": "application/typescript", "Etag": `"abc"`, "Cache-Control": "no-cache"} {
			if got.header.Get(name) != value {
				t.Errorf("%s = %q, want %q", name, got.header.Get(name), value)
			}
		}
	}
}

// distantListener makes connections from this machine look like those from another one.
type distantListener struct{ net.Listener }

type distantConn struct{ *net.TCPConn }

func (l distantListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return distantConn{c.(*net.TCPConn)}, nil
}

func (distantConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1} }

func serveDistant(t *testing.T, b api.Backend) *live {
	t.Helper()
	return serve(t, b, func(o *api.Options) { o.Listener = distantListener{o.Listener} })
}

// TestModuleIsNotCompressedOverLoopback: over loopback, compression would take longer than sending.
func TestModuleIsNotCompressedOverLoopback(t *testing.T) {
	text := strings.Repeat("export type T = { a?: string };\n", 4000)
	l := serve(t, &fake{types: func(context.Context, toolscript.Filter, bool) (toolscript.Module, error) {
		return toolscript.Module{Text: text, ETag: "abc"}, nil
	}})
	got := l.ask(t, http.MethodGet, "/runtime/tools.ts", "", header("Accept-Encoding", "gzip"))
	if got.body != text || got.header.Get("Content-Encoding") != "" || got.header.Get("Etag") != `"abc"` {
		t.Errorf("%d bytes of encoding %q, ETag %s", len(got.body), got.header.Get("Content-Encoding"), got.header.Get("Etag"))
	}
}

// TestModuleCompressed: a long module is compressed for remote clients that accept gzip. The
// ETag of the compressed form is the weak one of the same text.
func TestModuleCompressed(t *testing.T) {
	long := strings.Repeat("export type T = { a?: string };\n", 4000)
	text := long
	l := serveDistant(t, &fake{types: func(context.Context, toolscript.Filter, bool) (toolscript.Module, error) {
		return toolscript.Module{Text: text, ETag: "abc"}, nil
	}})
	got := l.ask(t, http.MethodGet, "/runtime/tools.ts", "", header("Accept-Encoding", "gzip"))
	unpacked, err := gzip.NewReader(strings.NewReader(got.body))
	if err != nil {
		t.Fatalf("%d bytes of %q: %v", len(got.body), got.header.Get("Content-Encoding"), err)
	}
	plain, err := io.ReadAll(unpacked)
	if err != nil || string(plain) != long || len(got.body) > len(long)/10 {
		t.Errorf("%d bytes unpack to %d, want %d of a tenth (%v)", len(got.body), len(plain), len(long), err)
	}
	if tag := got.header.Get("Etag"); tag != `W/"abc"` || got.header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("ETag %s, Vary %q", tag, got.header.Get("Vary"))
	}
	for accepted, tag := range map[string]string{"gzip": `W/"abc"`, "identity": `"abc"`} {
		got := l.ask(t, http.MethodGet, "/runtime/tools.ts", "", header("If-None-Match", `W/"abc"`), header("Accept-Encoding", accepted))
		if got.status != 304 || got.header.Get("Etag") != tag || got.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("asked again for %s = %d, ETag %s, want 304 and %s", accepted, got.status, got.header.Get("Etag"), tag)
		}
	}
	if got := l.ask(t, http.MethodGet, "/runtime/tools.ts", "", header("Accept-Encoding", "identity")); got.body != long || got.header.Get("Content-Encoding") != "" {
		t.Errorf("identity = %d bytes of %q", len(got.body), got.header.Get("Content-Encoding"))
	}
	text = "short"
	if got := l.ask(t, http.MethodGet, "/runtime/tools.ts", "", header("Accept-Encoding", "gzip")); got.body != text {
		t.Errorf("a short module = %q", got.body)
	}
}

// TestModuleCompressedOnce: the compressed form is cached by ETag, because an ETag identifies one text.
func TestModuleCompressedOnce(t *testing.T) {
	asked := 0
	l := serveDistant(t, &fake{types: func(context.Context, toolscript.Filter, bool) (toolscript.Module, error) {
		asked++
		return toolscript.Module{Text: strings.Repeat(fmt.Sprintln("export type T =", asked), 4000), ETag: fmt.Sprint(asked / 2)}, nil
	}})
	var bodies []string
	for range 4 {
		bodies = append(bodies, l.ask(t, http.MethodGet, "/runtime/tools.ts", "", header("Accept-Encoding", "gzip")).body)
	}
	if bodies[1] != bodies[2] || bodies[0] == bodies[1] || bodies[2] == bodies[3] {
		t.Error("the compressed text does not follow the ETag")
	}
}

// TestModuleAcceptEncoding: gzip is sent only to clients that accept it.
func TestModuleAcceptEncoding(t *testing.T) {
	l := serveDistant(t, &fake{types: func(context.Context, toolscript.Filter, bool) (toolscript.Module, error) {
		return toolscript.Module{Text: strings.Repeat("export type T = {};\n", 4000), ETag: "abc"}, nil
	}})
	for accepted, want := range map[string]string{
		"gzip": "gzip", "GZIP": "gzip", "br,gzip": "gzip", "deflate, gzip;q=1.0, *;q=0.5": "gzip", "gzip ; q=0.1": "gzip",
		"gzip;q=0": "", "br;q=1, gzip;q=0.0": "", "identity": "", "x-gzipped": "", "*": "", "gzip;q=x": "", "": "",
	} {
		got := l.ask(t, http.MethodGet, "/runtime/tools.ts", "", header("Accept-Encoding", accepted))
		if encoding := got.header.Get("Content-Encoding"); got.status != 200 || encoding != want {
			t.Errorf("Accept-Encoding %q: %d, encoding %q, want %q", accepted, got.status, encoding, want)
		}
	}
}

// TestModuleForms: declarations are a form of their own, and a request for two forms is invalid.
func TestModuleForms(t *testing.T) {
	l := serve(t, &fake{catalog: someTools})
	if got := l.ask(t, http.MethodGet, "/runtime/tools.ts?declarations=true&filter=github", ""); got.status != 200 || got.body != "declarations of github" {
		t.Errorf("declarations = %d %s", got.status, got.body)
	}
	for _, query := range []string{"declarations=1&compact=1", "declarations=yes"} {
		if got := l.ask(t, http.MethodGet, "/runtime/tools.ts?"+query, ""); got.status != 400 {
			t.Errorf("%s = %d %s, want 400", query, got.status, got.body)
		}
	}
}

func TestModuleNotModified(t *testing.T) {
	l := serve(t, &fake{types: func(context.Context, toolscript.Filter, bool) (toolscript.Module, error) {
		return toolscript.Module{Text: "text", ETag: "abc"}, nil
	}})
	for sent, want := range map[string]int{
		`"abc"`: 304, `W/"abc"`: 304, `"x", "abc"`: 304, `*`: 304, `"x"`: 200, `abc`: 200, `"ABC"`: 200, ``: 200,
	} {
		got := l.ask(t, http.MethodGet, "/runtime/tools.ts", "", header("If-None-Match", sent))
		if got.status != want || (want == 304 && (got.body != "" || got.header.Get("Etag") != `"abc"`)) {
			t.Errorf("If-None-Match %s = %d %q %q, want %d", sent, got.status, got.header.Get("Etag"), got.body, want)
		}
	}
}

// TestParameters: unknown query parameters are errors with a hint.
func TestParameters(t *testing.T) {
	l := serve(t, &fake{types: func(context.Context, toolscript.Filter, bool) (toolscript.Module, error) {
		t.Error("a module was made")
		return toolscript.Module{}, nil
	}})
	for query, want := range map[string]string{
		"server=github":     "filter=SERVER",
		"tool=create_issue": "filter=SERVER__TOOL",
		"filtre=github":     ` "filter"?`,
		"Filter=github":     ` "filter"?`,
		"something=1":       "filter, compact, declarations, wait, _t",
		"filter=a&filter=b": "\"filter\"",
		"compact=maybe":     "\"compact\"",
		"compact=":          "\"compact\"",
		"wait=soon":         "\"wait\"",
		"wait=":             "\"wait\"",
		"wait=-1s":          "\"wait\"",
		"wait=1h":           "5m",
		"wait=9999999999":   "\"wait\"",
		"filter=%zz":        "escape",
		"filter=a;compact":  "escape",
	} {
		got := l.ask(t, http.MethodGet, "/runtime/tools.ts?"+query, "")
		if got.status != 400 || got.kind() != toolscript.Invalid || !strings.Contains(got.failure().Error, want) {
			t.Errorf("%s = %d %s, want 400 with %q", query, got.status, got.body, want)
		}
	}
	if got := l.ask(t, http.MethodGet, "/tools?server=x", ""); got.status != 400 {
		t.Errorf("GET /tools?server=x = %d, want 400", got.status)
	}
}

// TestModuleWaits: the parameter wait limits how long the request waits for connecting servers.
func TestModuleWaits(t *testing.T) {
	limits := make(chan time.Duration, 1)
	l := serve(t, &fake{await: func(ctx context.Context, f toolscript.Filter) (waitedFor, pending []string) {
		deadline, _ := ctx.Deadline()
		limits <- time.Until(deadline)
		return append(f, "slow, very"), []string{"slow, very", "日本"}
	}})
	got, err := l.client(t).Types(t.Context(), toolscript.Filter{"a"}, api.Full, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "slow, very"}, got.WaitedFor); diff != "" {
		t.Errorf("WaitedFor (-want +got):\n%s", diff)
	}
	if limit := kit.Receive(t, limits); limit <= 0 || limit > 2*time.Second {
		t.Errorf("time to wait = %s, want 2s", limit)
	}
	for text, want := range map[string]time.Duration{"300": 300 * time.Millisecond, "1m": time.Minute} {
		for _, path := range []string{"/runtime/tools.ts", "/types", "/tools", "/servers"} {
			if got := l.ask(t, http.MethodGet, path+"?filter=a&wait="+text, ""); got.status != 200 {
				t.Fatalf("GET %s?wait=%s = %d %s", path, text, got.status, got.body)
			}
			if limit := kit.Receive(t, limits); limit <= 0 || limit > want {
				t.Errorf("GET %s?wait=%s waited for %s", path, text, limit)
			}
		}
	}
}

// TestModuleNamesUnknownEntries: a comment names unknown entries, and the ETag depends on it.
func TestModuleNamesUnknownEntries(t *testing.T) {
	l := serve(t, &fake{catalog: someTools, types: func(context.Context, toolscript.Filter, bool) (toolscript.Module, error) {
		return toolscript.Module{Text: "text", ETag: "abc"}, nil
	}})
	got := l.ask(t, http.MethodGet, "/runtime/tools.ts?filter=githb,%0aa", "")
	first, rest, _ := strings.Cut(got.body, "\n")
	if !strings.HasPrefix(first, "//") || !strings.Contains(first, `"githb"`) || !strings.Contains(first, `"github"`) || !strings.HasSuffix(rest, "\ntext") || strings.Count(rest, "\n") != 1 {
		t.Errorf("GET tools.ts = %q", got.body)
	}
	if tag := got.header.Get("Etag"); tag == `"abc"` {
		t.Errorf("ETag = %s, that of another text", tag)
	}
}
