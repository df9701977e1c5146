package mcpclient_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestToolsOfApps: with and without a handshake, the client tells the server that it supports apps. It reads both
// forms of the metadata of tools, and ignores invalid members.
func TestToolsOfApps(t *testing.T) {
	tools := map[string]struct {
		meta string
		want *toolscript.UI
	}{
		"page":    {`{"ui":{"resourceUri":"ui://a/b","visibility":["model","app"]}}`, &toolscript.UI{Page: "ui://a/b"}},
		"older":   {`{"ui/resourceUri":"ui://a/b"}`, &toolscript.UI{Page: "ui://a/b"}},
		"app":     {`{"ui":{"visibility":["app"]}}`, &toolscript.UI{NoModels: true}},
		"model":   {`{"ui":{"resourceUri":"ui://a","visibility":["model"]}}`, &toolscript.UI{Page: "ui://a", NoApps: true}},
		"nobody":  {`{"ui":{"visibility":[]}}`, &toolscript.UI{NoModels: true, NoApps: true}},
		"default": {`{"ui":{}}`, nil},
		"scheme":  {`{"ui":{"resourceUri":"https://a.example"}}`, nil},
		"long":    {`{"ui":{"resourceUri":"ui://` + strings.Repeat("x", 5000) + `"}}`, nil},
		"numbers": {`{"ui":{"resourceUri":7,"visibility":7}}`, nil},
		"list":    {`[]`, nil},
		"other":   {`{"openai/outputTemplate":"ui://a"}`, nil},
	}
	var entries []string
	for name, tool := range tools {
		entries = append(entries, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"},"_meta":%s}`, name, tool.meta))
	}
	list := `{"tools":[` + strings.Join(entries, ",") + `]}`
	for _, version := range []string{upstream.Handshake, upstream.Stateless} {
		t.Run(version, func(t *testing.T) {
			c := dial(t, upstream.Config{Type: upstream.HTTP, URL: serverOfApps(t, version, list)}, upstream.Events{})
			got, err := c.ListTools(kit.Within(t))
			if err != nil || len(got) != len(tools) {
				t.Fatalf("%d tools, %v", len(got), err)
			}
			for _, tool := range got {
				if diff := cmp.Diff(tools[tool.Name].want, tool.UI); diff != "" {
					t.Errorf("%s (-want +got):\n%s", tool.Name, diff)
				}
			}
		})
	}
}

// serverOfApps starts a server of one version of MCP that lists its tools only for a client with apps.
func serverOfApps(t *testing.T, version, list string) string {
	t.Helper()
	var apps atomic.Bool
	return serve(t, answering(func(_ http.ResponseWriter, a asked) string {
		declared := strings.Contains(a.text, `"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}`)
		switch {
		case a.Method == "initialize" && version == upstream.Handshake:
			apps.Store(declared)
			return a.result(greeting(version, "{}"))
		case a.Method == "server/discover" && version == upstream.Stateless:
			return a.result(`{"resultType":"complete","supportedVersions":["` + version + `"],"capabilities":{"tools":{}}}`)
		case a.Method == "tools/list" && (declared || apps.Load()):
			return a.result(list)
		}
		return ""
	}))
}
