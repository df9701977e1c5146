//go:build integration && linux

package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/harness"
)

// scripts are the tools that the scenarios for tasks call. The arguments of a call are the constant input.
var scripts = map[string]string{
	"greet":          `return "Hello, " + input.name + "!"`,
	"slow_compute":   `await new Promise((done) => setTimeout(done, input.seconds * 1000)); return "computed"`,
	"failing_job":    `await new Promise((done) => setTimeout(done, 1500)); throw new Error("the job has failed")`,
	"confirm_delete": `return await tools.suite.confirm({ question: "Delete " + input.filename + "?" })`,
	"multi_input":    `return await Promise.all(["one", "two"].map((question) => tools.suite.confirm({ question })))`,
}

// TestServedTaskScenarios runs the scenarios of the suite for tasks against /mcp of a gateway, whose only tool
// that becomes a task is run_script.
func TestServedTaskScenarios(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	p := harness.Program{Bin: build(t, program), Home: t.TempDir()}
	config := p.Configured(t, fmt.Sprintf(`{"output": {"taskAfter": "500ms"}, "mcpServers": {"suite": {"command": %q, "protocol": "2025-11-25"}}}`, build(t, "./server")))
	g := p.Serve(t, "--config", config)
	at := scripting(t, g.URL)
	for _, scenario := range taskScenarios {
		t.Run(scenario, func(t *testing.T) {
			var out string
			var err error
			for range tries { // on a busy machine, a script that ends at once may take longer than taskAfter
				if out, err = run(t, "server", "--url", at+"/mcp", "--scenario", scenario); err == nil && strings.Contains(out, "0 failed") {
					return
				}
			}
			t.Errorf("%v\n%s", err, out)
		})
	}
}

// scripting returns the address of a proxy that makes calls of the tools of the suite calls of run_script,
// and their results the values of the scripts.
func scripting(t *testing.T, gateway string) string {
	t.Helper()
	to, err := url.Parse(gateway)
	if err != nil {
		t.Fatal(err)
	}
	base := strings.TrimSuffix(to.Path, "/")
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.URL.Path = to.Scheme, to.Host, base+r.In.URL.Path
		r.Out.Host = to.Host
		body, err := io.ReadAll(r.In.Body)
		if err != nil {
			return
		}
		var tool string
		if body, tool = asScript(body); r.In.Header.Get("Mcp-Name") == tool {
			r.Out.Header.Set("Mcp-Name", "run_script")
		}
		r.Out.Body, r.Out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}, ModifyResponse: func(r *http.Response) error {
		if r.Header.Get("Content-Type") != "application/json" {
			return nil
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		body = withValue(body)
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		return nil
	}}
	front := httptest.NewServer(proxy)
	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
	})
	return front.URL
}

// asScript makes a call of a tool of the suite a call of run_script, and returns the tool.
func asScript(body []byte) (changed []byte, tool string) {
	var m map[string]any
	if json.Unmarshal(body, &m) != nil || m["method"] != "tools/call" {
		return body, ""
	}
	params, _ := m["params"].(map[string]any)
	tool, _ = params["name"].(string)
	code, known := scripts[tool]
	if !known {
		return body, ""
	}
	input, err := json.Marshal(params["arguments"])
	if err != nil {
		return body, ""
	}
	params["name"] = "run_script"
	params["arguments"] = map[string]any{"code": "const input: any = " + string(input) + ";\n" + code}
	if changed, err = json.Marshal(m); err != nil {
		return body, ""
	}
	return changed, tool
}

// withValue makes the value of a script the text of the result of its call.
func withValue(body []byte) []byte {
	var m map[string]any
	if json.Unmarshal(body, &m) != nil {
		return body
	}
	result, _ := m["result"].(map[string]any)
	content, _ := result["content"].([]any)
	if len(content) == 0 {
		return body
	}
	block, _ := content[0].(map[string]any)
	text, _ := block["text"].(string)
	var run struct{ Value string }
	if json.Unmarshal([]byte(text), &run) != nil || run.Value == "" {
		return body
	}
	block["text"] = run.Value
	changed, err := json.Marshal(m)
	if err != nil {
		return body
	}
	return changed
}
