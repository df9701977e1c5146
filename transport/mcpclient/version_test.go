package mcpclient_test

import (
	"encoding/json"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestRefusedVersion: if a server refuses the version and names others, the client uses the newest of them.
func TestRefusedVersion(t *testing.T) {
	onEveryWire(t, func(t *testing.T, _ string, cfg upstream.Config) {
		t.Helper()
		for _, protocol := range []string{"", upstream.Stateless} {
			cfg.Protocol = protocol
			c := dial(t, cfg, upstream.Events{})
			if got := c.Info().Protocol; got != "2025-03-26" {
				t.Errorf("with protocol %q: version %s, want 2025-03-26", protocol, got)
			}
			if got := text(t, c, "echo", `{"text":"hi"}`); got != "hi" {
				t.Errorf("echo = %q", got)
			}
		}
	}, "only=2024-11-05,2025-03-26,1999-12-31")
}

// TestUnsupportedVersions: if no version is common, the error names those of both sides.
func TestUnsupportedVersions(t *testing.T) {
	onEveryWire(t, func(t *testing.T, _ string, cfg upstream.Config) {
		t.Helper()
		_, err := mcpclient.Dialer{}.Dial(kit.Within(t), "srv", cfg, upstream.Events{})
		if toolscript.KindOf(err) != toolscript.Unsupported {
			t.Fatalf("Dial = %v, want unsupported", err)
		}
		wantText(t, "error", err.Error(), "refuses MCP version 2025-11-25", "supports 1999-12-31", "toolscript supports 2026-07-28, 2025-11-25")
	}, "only=1999-12-31")
}

// TestOlderVersion: protocol selects an older version for a server that supports no other version.
func TestOlderVersion(t *testing.T) {
	cfg := config(t, "only=2024-11-05")
	cfg.Protocol = "2024-11-05"
	if got := dial(t, cfg, upstream.Events{}).Info().Protocol; got != "2024-11-05" {
		t.Errorf("version %s", got)
	}
}

// TestVersionRefusedByStatus: the TypeScript SDK refuses a version once with status 400 and an error
// in the body; the client must not take that for the HTTP+SSE transport of 2024.
func TestVersionRefusedByStatus(t *testing.T) {
	for code, wanted := range map[string]string{"-32602": "2025-06-18", "-32022": "2025-06-18", "-32000": "2025-06-18"} {
		var tries, others atomic.Int32
		front := serve(t, answering(func(w http.ResponseWriter, a asked) string {
			var m struct {
				Params struct{ ProtocolVersion string }
			}
			_ = json.Unmarshal([]byte(a.text), &m) // answering has read it
			switch {
			case a.Method != "initialize":
				others.Add(1)
				w.WriteHeader(http.StatusMethodNotAllowed)
				return "not here"
			case m.Params.ProtocolVersion != wanted:
				tries.Add(1)
				w.WriteHeader(http.StatusBadRequest)
				return a.failure(`{"code":` + code + `,"message":"no","data":{"supported":["2024-11-05","2025-06-18"]}}`)
			}
			tries.Add(1)
			return a.result(greeting(wanted, "null"))
		}))
		c := dial(t, upstream.Config{Type: upstream.HTTP, URL: front}, upstream.Events{})
		if got := c.Info().Protocol; got != wanted || tries.Load() != 2 {
			t.Errorf("code %s: version %s after %d tries and %d other requests", code, got, tries.Load(), others.Load())
		}
	}
}

// marking writes a byte order mark before each answer.
type marking struct {
	http.ResponseWriter
	begun bool
}

func (m *marking) Write(text []byte) (int, error) {
	if !m.begun {
		m.begun = true
		_, _ = io.WriteString(m.ResponseWriter, "\ufeff") // if this fails, the next write fails, too
	}
	return m.ResponseWriter.Write(text)
}

// Flush implements http.Flusher.
func (m *marking) Flush() { _ = http.NewResponseController(m.ResponseWriter).Flush() }

// TestByteOrderMark: a server on Windows may begin its output, or each body, with a byte order mark.
func TestByteOrderMark(t *testing.T) {
	check := func(t *testing.T, cfg upstream.Config) {
		t.Helper()
		c := dial(t, cfg, upstream.Events{})
		if got := text(t, c, "echo", `{"text":"\ufeffhi"}`); got != "\ufeffhi" {
			t.Errorf("echo = %q", got)
		}
	}
	t.Run("stdio", func(t *testing.T) { check(t, config(t, "mark")) })
	for name, wire := range wires {
		if wire[0] == upstream.Stdio {
			continue
		}
		t.Run(name, func(t *testing.T) {
			h, cfg := overHTTP(t, wire[0], wire[1:]...)
			check(t, behind(t, cfg, func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(&marking{ResponseWriter: w}, r) }))
		})
	}
}
