//go:build linux

package bounds

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

// mostAbove is the maximum memory that an attack may add to a gateway, in MB.
const mostAbove = 600

// attack runs attackers of a gateway, and checks the memory of the gateway.
func attack(t *testing.T, pid int, attackers ...func()) {
	t.Helper()
	idle := settled(t, pid, 0)
	resetPeak(t, pid)
	var group sync.WaitGroup
	for _, a := range attackers {
		group.Go(a)
	}
	group.Wait()
	peak := peakOf(t, pid)
	after := settled(t, pid, idle+mostLeft)
	t.Logf("%.0f MB before, %.0f MB at most, %.0f MB within 10 s", idle, peak, after)
	if peak > idle+mostAbove {
		t.Errorf("the gateway held %.0f MB, want at most %.0f", peak, idle+mostAbove)
	}
	if after > idle+mostLeft {
		t.Errorf("10 s later the gateway holds %.0f MB, want at most %.0f", after, idle+mostLeft)
	}
}

// compressed returns a compressed body that is 60 MB long when decompressed.
func compressed(t *testing.T, head, tail string, fill byte) []byte {
	t.Helper()
	var body bytes.Buffer
	to := gzip.NewWriter(&body)
	block := bytes.Repeat([]byte{fill}, 1<<20)
	_, _ = io.WriteString(to, head)
	for range answer >> 20 {
		_, _ = to.Write(block)
	}
	_, _ = io.WriteString(to, tail)
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return body.Bytes()
}

// TestCompressedAnswers runs four scripts at once, each of which makes 16 calls of an API that sends
// answers of 60 MB compressed to 60 KB. Calls that get no memory in time fail.
func TestCompressedAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("it moves gigabytes")
	}
	const document = `{"openapi":"3.1.0","info":{"title":"a","version":"1"},"paths":{"/big":{"get":{"operationId":"big","responses":{"200":{"description":"d"}}}}}}`
	for name, tt := range map[string]struct {
		media, head, tail string
		fill              byte
	}{
		"OpenAPI JSON":   {"application/json", `["`, `"]`, 'x'},
		"OpenAPI text":   {"text/plain", "", "", '\n'},
		"OpenAPI bytes":  {"image/png", "", "", 0},
		"GraphQL":        {"application/json", `{"data":{"big":"`, `"}}`, 'x'},
		"GraphQL errors": {"application/json", `{"errors":[{"message":"`, `"}]}`, 'x'},
	} {
		t.Run(name, func(t *testing.T) {
			body := compressed(t, tt.head, tt.tail, tt.fill)
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.media)
				w.Header().Set("Content-Encoding", "gzip")
				_, _ = w.Write(body)
			}))
			defer api.Close()
			spec := filepath.Join(t.TempDir(), "spec")
			server, text := fmt.Sprintf(`"type":"openapi","baseUrl":%q`, api.URL), document
			if strings.HasPrefix(name, "GraphQL") {
				server, text = fmt.Sprintf(`"type":"graphql","url":%q`, api.URL), "type Query { big: String }"
			}
			if err := os.WriteFile(spec, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			g := start(t, bin, fmt.Sprintf(`{"mcpServers":{"large":{%s,"spec":%q,"timeout":"20s"}}}`, server, spec))
			if _, err := g.Exec(t.Context(), map[string]any{"code": "return 1"}); err != nil {
				t.Fatal(err)
			}
			script := func() {
				code := `import { tools } from "toolscript";
					await Promise.allSettled(Array.from({ length: 16 }, () => tools.large.big({})));
					return 1;`
				if events, err := g.Exec(t.Context(), map[string]any{"code": code}); err != nil || len(events) == 0 || events[len(events)-1]["ok"] != true {
					t.Errorf("a script ended with %v, %v", events, err)
				}
			}
			attack(t, g.PID(), script, script, script, script)
		})
	}
}

// TestMessagesToTheGateway sends messages to the MCP server of a gateway that would keep or need much memory.
func TestMessagesToTheGateway(t *testing.T) {
	g := start(t, bin, `{"mcpServers":{}}`)
	long := strings.Repeat("x", 8<<20-200)
	send := func(times int, body string) func() {
		return func() {
			for range times {
				post(t, g, body)
			}
		}
	}
	for name, body := range map[string]string{
		"initialize":  `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"` + long + `","version":"1"}}}`,
		"long texts":  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_tools","arguments":{"query":"` + long + `"}}}`,
		"many values": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_tools","arguments":{"query":[` + strings.Repeat("[],", 8<<20/3-100) + `1]}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "many values" {
				t.Skip("it is slow")
			}
			times := 25
			if testing.Short() {
				times = 10
			}
			one := send(times, body)
			attack(t, g.PID(), one, one, one, one, one, one, one, one, one, one, one, one, one, one, one, one)
			mustAnswer(t, g)
		})
	}
}

func post(t *testing.T, g *harness.Gateway, body string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
}

// TestLineOfAClient sends one line of 3 GB, or of 1 GB in the short form, to toolscript mcp.
func TestLineOfAClient(t *testing.T) {
	p := harness.Program{Bin: bin, Home: t.TempDir()}
	config, err := p.Config("config.json", `{"mcpServers":{}}`)
	if err != nil {
		t.Fatal(err)
	}
	cmd := p.Command(context.WithoutCancel(t.Context()), "mcp", "--config", config)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the program ended with %v", err)
		}
		if !strings.Contains(out.String(), "more than 8 MB") || !strings.Contains(out.String(), `"id":"after"`) {
			t.Errorf("it wrote %.1000s", out.String())
		}
	}()
	attack(t, cmd.Process.Pid, func() {
		block := bytes.Repeat([]byte("x"), 1<<20)
		blocks := 3 << 10
		if testing.Short() {
			blocks = 1 << 10
		}
		for range blocks {
			if _, err := in.Write(block); err != nil {
				t.Error(err)
				return
			}
		}
		_, _ = io.WriteString(in, "\n"+`{"jsonrpc":"2.0","id":"after","method":"ping"}`+"\n")
	})
}
