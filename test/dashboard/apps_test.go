//go:build integration && linux

package dashboard

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/toolscript/toolscript/cmd/confirm"
	"github.com/toolscript/toolscript/test/kit"
)

// board is the page of both servers with a board.
const board = "ui://board/page.html"

// TestApps shows apps of real servers in a web page that is a host: the bridge of ext-apps, a client of the
// SDK, and frames. The gateway is between them and the servers. Two of the servers have a page with one URI
// and some tools with one name.
func TestApps(t *testing.T) {
	c := newChromium(t)
	server, err := filepath.Abs("apps_server.mjs")
	if err != nil {
		t.Fatal(err)
	}
	program, err := filepath.Abs(node)
	if err != nil {
		t.Fatal(err)
	}
	clock, err := filepath.Abs("node_modules/@modelcontextprotocol/server-basic-vanillajs/dist/index.js")
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, fmt.Sprintf(`{
		"mcpServers": {
			"clock": {"command": %[1]q, "args": [%[3]q, "--stdio"]},
			"one": {"command": %[1]q, "args": [%[2]q, "one"], "excludeTools": ["left_out_one"]},
			"two": {"command": %[1]q, "args": [%[2]q, "two"], "includeTools": ["show", "count_two", "common"]}
		},
		"approvals": {"rules": [{"match": ["one__erase_*"], "action": "ask"}], "timeout": "1h"}
	}`, program, server, clock))
	if err := d.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	script := bundle(t)
	modes := []string{"auto", "legacy"}
	if testing.Short() {
		modes = modes[:1]
	}
	for round, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			c.t, d.t = t, t
			c.goTo(newHost(t, d, script, mode))
			c.wait("body[data-ready]")
			t.Logf("the version of MCP is %s", c.eval("document.body.dataset.version"))
			lists(c)
			example(c)
			boards(c)
			approves(c, d, round+1)
		})
	}
	c.t, d.t = t, t
	scripts(d)
}

// bundle returns the script of the host with its packages.
func bundle(t *testing.T) string {
	t.Helper()
	built := api.Build(api.BuildOptions{
		EntryPoints: []string{"apps_host.mjs"}, Bundle: true, Format: api.FormatESModule, Platform: api.PlatformBrowser, Target: api.ES2022,
	})
	if len(built.Errors) > 0 || len(built.OutputFiles) != 1 {
		t.Fatalf("the host cannot be built: %+v", built.Errors)
	}
	return string(built.OutputFiles[0].Contents)
}

// newHost serves the page of the host, and at /mcp the gateway. It returns the address of the page. The sandbox
// has another origin, and the content security policy for a page that declares no domains.
func newHost(t *testing.T, d *desk, script, mode string) string {
	t.Helper()
	sandbox := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'")
		http.ServeFile(w, r, "apps_sandbox.html")
	}))
	t.Cleanup(func() { sandbox.CloseClientConnections(); sandbox.Close() })
	to, err := url.Parse(d.URL)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := json.Marshal(map[string]string{"sandbox": sandbox.URL, "mode": mode})
	if err != nil {
		t.Fatal(err)
	}
	routes := http.NewServeMux()
	routes.Handle("/mcp", &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		for name := range r.Out.Header { // the gateway refuses requests of web pages
			if name == "Origin" || name == "Referer" || strings.HasPrefix(name, "Sec-") {
				r.Out.Header.Del(name)
			}
		}
	}})
	routes.HandleFunc("/host.mjs", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write([]byte(script)) // the browser has gone
	})
	routes.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `<!doctype html><meta charset="utf-8"><title>host</title><body><script>window.settings = %s</script><script type="module" src="/host.mjs"></script>`, settings)
	})
	host := httptest.NewServer(routes)
	t.Cleanup(func() { host.CloseClientConnections(); host.Close() }) // the browser listens to events
	return host.URL
}

// evalInto evaluates code and decodes its value.
func (c *chromium) evalInto(into any, code string) {
	c.t.Helper()
	if err := json.Unmarshal(c.do("eval", "code", code), into); err != nil {
		c.t.Fatal(err)
	}
}

// answerTo clicks a button of the app, and returns the answer that the app shows.
func (c *chromium) answerTo(button string) (text string) {
	c.t.Helper()
	c.do("app", "selector", "#"+button, "click", true)
	if err := json.Unmarshal(c.do("app", "selector", "#answer:not(:empty)"), &text); err != nil {
		c.t.Fatal(err)
	}
	return text
}

// lists checks what the host is told about the tools and pages.
func lists(c *chromium) {
	c.t.Helper()
	var tools []struct {
		Name, Page string
		Hidden     bool
	}
	c.evalInto(&tools, "host.tools()")
	got := map[string]string{}
	for _, tool := range tools {
		got[tool.Name] = fmt.Sprint(tool.Page, " ", tool.Hidden)
	}
	const one, two, clock = "ui://one/board/page.html", "ui://two/board/page.html", "ui://clock/get-time/mcp-app.html"
	want := map[string]string{
		"search_tools": " false", "describe_tools": " false", "run_script": " false",
		"clock__get-time": clock + " false", "get-time": clock + " true",
		"one__show": one + " false", "two__show": two + " false", "one__secret": one + " false",
		"one__count_one": one + " true", "count_one": one + " true", "two__count_two": two + " true", "count_two": two + " true",
		"one__erase_one": " true", "erase_one": " true", "plain_one": " true",
	}
	for name, is := range want {
		if got[name] != is {
			c.t.Errorf("%s: %q, want %q", name, got[name], is)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		c.t.Errorf("further tools: %v", got)
	}
	var uris []string
	c.evalInto(&uris, "host.resources()")
	if all := strings.Join(uris, " "); !strings.Contains(all, one) || !strings.Contains(all, clock) || strings.Contains(all, board+" ") {
		c.t.Errorf("resources: %s", all)
	}
}

// example has the app of the example server, which uses the SDK, ask for the time.
func example(c *chromium) {
	c.t.Helper()
	c.eval(`host.show("clock__get-time", {})`)
	first := string(c.do("app", "selector", "#server-time:not(:text('Loading'))"))
	if !strings.Contains(first, "Z") {
		c.t.Fatalf("the app shows %s", first)
	}
	c.do("app", "selector", "#get-time-btn", "click", true)
	c.do("app", "selector", fmt.Sprintf("#server-time:not(:text-is(%s))", first))
}

// boards shows the apps of both servers.
func boards(c *chromium) {
	c.t.Helper()
	for _, name := range []string{"one", "two"} {
		var meta struct {
			UI struct {
				Csp         struct{ ConnectDomains []string }
				Permissions map[string]any
			}
		}
		c.evalInto(&meta, fmt.Sprintf(`host.show("%s__show", {})`, name))
		if len(meta.UI.Csp.ConnectDomains) != 1 || meta.UI.Csp.ConnectDomains[0] != "https://"+name+".example" || meta.UI.Permissions["camera"] == nil {
			c.t.Errorf("the _meta of the page of %s: %+v", name, meta)
		}
		if text := string(c.do("app", "selector", "h1")) + string(c.do("app", "selector", "#result:not(:empty)")); text != fmt.Sprintf(`"%s""shown by %[1]s"`, name) {
			c.t.Errorf("the app of %s shows %s", name, text)
		}
		if text := c.answerTo("count"); !strings.HasPrefix(text, `["`+name+" ") || !strings.Contains(text, `{"count":`) || !strings.Contains(text, `{"board/private":"`+name+`"}`) {
			c.t.Errorf("count of %s: %s", name, text)
		}
		for button, want := range map[string]string{"common": "the host knows no tool common", "left_out": "the host knows no tool left_out_"} {
			if text := c.answerTo(button); !strings.Contains(text, want) {
				c.t.Errorf("%s of %s: %s", button, name, text)
			}
		}
	}
	for _, tt := range []struct{ code, want string }{
		{`host.call("one__plain_one", {})`, `there is no tool \"one__plain_one\"`},
		{`host.call("left_out_one", {})`, `there is no tool`},
		{`host.call("one__left_out_one", {})`, `there is no tool`},
		{`host.call("two__erase_two", {})`, `there is no tool`},
		{`host.call("common", {})`, `several servers have a tool \"common\": one__common, two__common`},
		{`host.call("one__secret", {})`, `"text":"secret"`},
		{`host.call("secret", {})`, `there is no tool`},
		{`host.read("` + board + `")`, `several servers have this page: one, two`},
		{`host.read("ui://none/board/page.html")`, `-32`},
		{`host.read("ui://get-time/mcp-app.html")`, `"uri":"ui://get-time/mcp-app.html"`},
	} {
		if got := c.eval(tt.code); !strings.Contains(got, tt.want) {
			c.t.Errorf("%s: %.300s, want %s", tt.code, got, tt.want)
		}
	}
}

// approves: the call of an app waits for the approval of a person. Each round has two calls, and a code for each.
func approves(c *chromium, d *desk, round int) {
	t := d.t
	t.Helper()
	c.eval(`host.show("one__show", {})`)
	answer := func(action string) {
		t.Helper()
		var pending []struct{ ID, Tool string }
		kit.Eventually(t, "the request", func() bool {
			pending = nil
			status, err := d.Get(t.Context(), "/approvals", &pending)
			return err == nil && status == http.StatusOK && len(pending) == 1
		})
		body := map[string]any{"action": action}
		if action == "allow" {
			body["code"] = d.codeOf(2 * round)
		}
		if status, err := d.Post(t.Context(), "/approvals/"+pending[0].ID, body, nil); err != nil || status != http.StatusNoContent || pending[0].Tool != "one__erase_one" {
			t.Errorf("the answer to %+v: %d, %v", pending, status, err)
		}
	}
	c.do("app", "selector", "#erase", "click", true)
	answer("deny")
	if text := string(c.do("app", "selector", "#answer:not(:empty)")); !strings.Contains(text, "denied") {
		t.Errorf("the denied call: %s", text)
	}
	if agent := confirm.AgentAbove(os.Getpid()); agent != "" {
		t.Logf("no call is allowed: this test runs below an agent (%s), and the gateway shows no code", agent)
		return
	}
	c.do("app", "selector", "#erase", "click", true)
	answer("allow")
	if text := string(c.do("app", "selector", "#answer:not(:empty)")); !strings.Contains(text, "erase_one was called") {
		t.Errorf("the allowed call: %s", text)
	}
}

// scripts: a script gets the plain result of a tool with a page, and does not see tools for apps.
func scripts(d *desk) {
	d.t.Helper()
	for code, want := range map[string]string{
		`return await tools.one.show({})`:                                                               "map[value:shown by one]",
		`return Object.keys(tools.two).join()`:                                                          "map[value:common,show]",
		`return await tools.one.count_one({})`:                                                          "count_one",
		`return await (tools as any).one["count_one"]({})`:                                              "tools.one.count_one does not exist",
		`return (await tools.$resources.read({ server: "two", uri: "` + board + `" })).contents[0].uri`: "map[value:" + board + "]",
	} {
		end := <-d.exec(map[string]any{"code": code})
		got := fmt.Sprint(end)
		if v, ok := end["value"]; ok {
			got = fmt.Sprint(map[string]any{"value": v})
		}
		if !strings.Contains(got, want) {
			d.t.Errorf("%s: %s\nwant %s", code, got, want)
		}
	}
}
