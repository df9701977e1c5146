package mcpclient_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// kinds maps names of kinds of servers to their type and switches.
var kinds = map[string][]string{
	"plain":                  {upstream.Stdio},
	"ignores what it lacks":  {upstream.Stdio, "strict"},
	"prints text":            {upstream.Stdio, "chatty"},
	"prints on stderr":       {upstream.Stdio, "noise=100"},
	"byte order mark":        {upstream.Stdio, "mark"},
	"ids are integers":       {upstream.Stdio, "integers"},
	"ids are texts":          {upstream.Stdio, "texts"},
	"pages":                  {upstream.Stdio, "pages"},
	"difficult names":        {upstream.Stdio, "names"},
	"invalid tools":          {upstream.Stdio, "malformed"},
	"resources and prompts":  {upstream.Stdio, "offers"},
	"slow start":             {upstream.Stdio, "hang=20ms"},
	"streams":                {upstream.HTTP},
	"streams without ids":    {upstream.HTTP, "noids"},
	"streams, ids are texts": {upstream.HTTP, "texts"},
	"streams, resources":     {upstream.HTTP, "offers"},
	"bodies":                 {upstream.HTTP, "json"},
	"bodies, pages":          {upstream.HTTP, "json", "pages"},
}

// memory remembers the version that a server speaks, as a gateway does.
type memory struct {
	mu     sync.Mutex
	spoken upstream.Spoken
}

func (m *memory) events() upstream.Events {
	m.mu.Lock()
	defer m.mu.Unlock()
	return upstream.Events{Spoken: m.spoken, Speaks: func(s upstream.Spoken) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.spoken = s
	}}
}

func (m *memory) version() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spoken.Version
}

// started returns the configuration of a server, and the server if it is one over HTTP.
func started(t *testing.T, kind ...string) (upstream.Config, *mcpserver.HTTP) {
	t.Helper()
	if kind[0] == upstream.Stdio {
		return config(t, kind[1:]...), nil
	}
	h, cfg := overHTTP(t, kind[0], kind[1:]...)
	return cfg, h
}

// TestKindsInBothGenerations connects to every kind of server, with and without the handshake. Then it
// connects again with the version that the first connection has found.
func TestKindsInBothGenerations(t *testing.T) {
	t.Parallel()
	for name, kind := range kinds {
		for generation, want := range map[string]string{"": upstream.Handshake, "modern": upstream.Stateless, "dual": upstream.Stateless} {
			t.Run(name+" "+generation, func(t *testing.T) {
				t.Parallel()
				kind := slices.DeleteFunc(append(slices.Clone(kind), generation), func(name string) bool { return name == "" })
				cfg, h := started(t, kind...)
				known := &memory{}
				for range 2 {
					c := dial(t, cfg, known.events())
					if got := c.Info(); got.Protocol != want || got.Title != "Test server" || got.Instructions == "" {
						t.Errorf("info %+v, want protocol %s", got, want)
					}
					checkTools(t, c)
					if slices.Contains(kind, "offers") {
						page, err := c.Fetch(kit.Within(t), toolscript.FetchRequest{ID: toolscript.ListPrompts}, nil)
						if err != nil || !strings.Contains(string(page), "greet/all") {
							t.Errorf("prompts %s, %v", page, err)
						}
					}
				}
				if got := known.version(); got != want {
					t.Errorf("remembered %q, want %q", got, want)
				}
				if h != nil && want == upstream.Handshake && (h.Seen("server/discover") > 1 || h.Seen("initialize") != 2) {
					t.Errorf("%d requests of the newest version and %d handshakes, want at most 1 and 2", h.Seen("server/discover"), h.Seen("initialize"))
				}
				if h != nil && want == upstream.Stateless && h.Seen("initialize") > 0 {
					t.Errorf("%d handshakes", h.Seen("initialize"))
				}
			})
		}
	}
}

func checkTools(t *testing.T, c *mcpclient.Conn) {
	t.Helper()
	tools, err := c.ListTools(kit.Within(t))
	if err != nil || len(tools) < 20 {
		t.Fatalf("%d tools, %v", len(tools), err)
	}
	if got := text(t, c, "echo", `{"text":"a\nb 日本"}`); got != "a\nb 日本" {
		t.Errorf("echo = %q", got)
	}
	if r := sentCall(t, c, "struct", `{}`); string(r.StructuredContent) != `{"n":12345678901234567890}` {
		t.Errorf("struct = %s", r.StructuredContent)
	}
	_, err = c.CallTool(kit.Within(t), "rpcerror", nil, nil)
	var e *toolscript.Error
	if !errors.As(err, &e) || e.Kind != toolscript.ToolFailed || e.RPCCode != -32042 {
		t.Errorf("rpcerror: %v", err)
	}
}

// Servers of the Rust SDK end if they get another request before the handshake. Dial starts them again, once.
func TestServerThatEndsAtTheNewestVersion(t *testing.T) {
	cfg, known := config(t, "dies"), &memory{}
	for _, remembered := range []string{"", upstream.Handshake} {
		if got := known.version(); got != remembered {
			t.Errorf("remembered %q, want %q", got, remembered)
		}
		if got := text(t, dial(t, cfg, known.events()), "echo", `{"text":"hi"}`); got != "hi" {
			t.Errorf("echo = %q", got)
		}
	}
	cfg.Protocol = upstream.Handshake
	if got := text(t, dial(t, cfg, upstream.Events{}), "echo", `{"text":"hi"}`); got != "hi" {
		t.Errorf("echo = %q", got)
	}
}

// TestModernServerLogs: a server of the newest version sends log messages only if the request asks for them.
func TestModernServerLogs(t *testing.T) {
	for _, kind := range [][]string{{upstream.Stdio, "modern"}, {upstream.HTTP, "modern"}} {
		cfg, _ := started(t, kind...)
		c := dial(t, cfg, upstream.Events{})
		if got := text(t, c, "echo", `{"text":"(_meta)"}`); !strings.Contains(got, `"io.modelcontextprotocol/logLevel":"info"`) {
			t.Errorf("%q: the request has %s", kind, got)
		}
	}
}

// TestRememberedGenerationIsWrong: if the remembered version is wrong, because the server was replaced, Dial asks again.
func TestRememberedGenerationIsWrong(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string][]string{"stdio": {upstream.Stdio}, "http": {upstream.HTTP}} {
		for was, is := range map[string]string{upstream.Handshake: upstream.Stateless, upstream.Stateless: upstream.Handshake} {
			t.Run(name+" is "+is, func(t *testing.T) {
				t.Parallel()
				kind := slices.Clone(kind)
				if is == upstream.Stateless {
					kind = append(kind, "modern")
				}
				cfg, _ := started(t, kind...)
				known := &memory{spoken: upstream.Spoken{Version: was, Server: "1.0.0"}}
				if got := dial(t, cfg, known.events()).Info().Protocol; got != is {
					t.Errorf("protocol %s, want %s", got, is)
				}
				if got := known.version(); got != is {
					t.Errorf("remembered %q, want %q", got, is)
				}
			})
		}
	}
}

// If a server reports another version of itself, the next connection asks it again for its versions of MCP.
func TestUpdatedServerIsAskedAgain(t *testing.T) {
	cfg, _ := started(t, upstream.Stdio, "dual")
	known := &memory{spoken: upstream.Spoken{Version: upstream.Handshake, Server: "1.0.0"}}
	for _, want := range []string{upstream.Handshake, upstream.Stateless} {
		if got := dial(t, cfg, known.events()).Info().Protocol; got != want {
			t.Errorf("protocol %s, want %s", got, want)
		}
	}
}

// A temporary error says nothing about the versions of a server.
func TestPassingErrorIsNotRemembered(t *testing.T) {
	cfg, h := started(t, upstream.HTTP, "dual")
	h.Refuse(http.StatusServiceUnavailable, 1)
	known := &memory{}
	for _, want := range []string{upstream.Handshake, upstream.Stateless} {
		if got := dial(t, cfg, known.events()).Info().Protocol; got != want {
			t.Errorf("protocol %s, want %s", got, want)
		}
	}
}

// If a server refuses the newest version and names another one without a handshake, Dial uses that one.
func TestNamedModernVersion(t *testing.T) {
	var mu sync.Mutex
	var methods []string
	front := serve(t, answering(func(w http.ResponseWriter, a asked) string {
		mu.Lock()
		defer mu.Unlock()
		if methods = append(methods, a.Method); len(methods) == 1 {
			w.WriteHeader(http.StatusBadRequest)
			return a.failure(`{"code":-32022,"message":"no","data":{"supported":["2026-07-28"],"requested":"2026-07-28"}}`)
		}
		if a.Method == "server/discover" {
			return a.result(`{"supportedVersions":["2026-07-28"],"capabilities":{}}`)
		}
		return ""
	}))
	if got := dial(t, upstream.Config{Type: upstream.HTTP, URL: front}, upstream.Events{}).Info().Protocol; got != upstream.Stateless {
		t.Errorf("protocol %s", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if slices.Contains(methods, "initialize") {
		t.Errorf("requests %q: a handshake for a server that has named a version without one", methods)
	}
}

// BenchmarkStartOfAnOlderServer measures how much longer a start takes because of the request of the newest
// version, for a server that does not support it.
func BenchmarkStartOfAnOlderServer(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	stdio := upstream.Config{Type: upstream.Stdio, Command: self, Env: map[string]string{serverRole: "server"}}
	front := httptest.NewServer(mcpserver.NewHTTP("json"))
	b.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
	})
	for wire, cfg := range map[string]upstream.Config{"stdio": stdio, "http": {Type: upstream.HTTP, URL: front.URL + "/mcp"}} {
		for name, known := range map[string]upstream.Spoken{"unknown": {}, "remembered": {Version: upstream.Handshake}} {
			b.Run(wire+" "+name, func(b *testing.B) {
				for b.Loop() {
					c, err := mcpclient.Dialer{}.Dial(b.Context(), "srv", cfg, upstream.Events{Spoken: known})
					if err != nil {
						b.Fatal(err)
					}
					b.StopTimer()
					if err := c.Close(); err != nil {
						b.Error(err)
					}
					b.StartTimer()
				}
			})
		}
	}
}
