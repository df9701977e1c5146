//go:build integration && linux

// Package conformance runs the public MCP conformance suite, which test/package-lock.json pins and
// `task peers` installs, against the project's transport and logins, and against the built program.
package conformance

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

const (
	suite = "../node_modules/@modelcontextprotocol/conformance/dist/index.js"
	node  = "../node_modules/node/bin/node"
	bound = 5 * time.Minute // a run takes six seconds on a quiet machine
	tries = 3               // the scenario sse-retry fails if a retry is 200 ms late, which happens on a busy machine
)

const program = "../../cmd/toolscript"

// build builds a program of this module.
func build(t *testing.T, pkg string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), filepath.Base(pkg))
	if pkg == program {
		if err := harness.Build(file, false); err != nil {
			t.Fatal(err)
		}
		return file
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", file, pkg).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return file
}

// run runs the suite in a mode, client, server or list, and returns its output.
func run(t *testing.T, mode string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	all := append([]string{suite, mode}, args...)
	if mode != "list" {
		all = append(all, "-o", t.TempDir())
	}
	cmd := exec.CommandContext(ctx, node, all...)
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); !strings.HasSuffix(strings.ToLower(name), "_proxy") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// until repeats the suite until it passes, or tries times.
func until(t *testing.T, args ...string) string {
	t.Helper()
	var out string
	for n := range tries {
		var err error
		if out, err = run(t, "client", args...); err == nil {
			return out
		}
		t.Logf("try %d: %v\n%s", n+1, err, out)
	}
	t.Fatalf("the suite was not content in %d tries", tries)
	return out
}

var (
	passed = regexp.MustCompile(`(?m)^✓ (\S+): `)
	failed = regexp.MustCompile(`(?m)^✗ (\S+): `)
)

// TestOwnTransport runs all scenarios for clients in each version of MCP, and those of extensions.
func TestOwnTransport(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	client := build(t, "./client")
	for name, run := range map[string]struct {
		args   []string
		enough int // minimum number of scenarios that must pass
	}{
		"2025-03-26": {[]string{"--suite", "all", "--spec-version", "2025-03-26"}, 2},
		"2025-11-25": {[]string{"--suite", "all", "--spec-version", "2025-11-25"}, 19},
		"2026-07-28": {[]string{"--suite", "all", "--spec-version", "2026-07-28"}, 33},
		"extensions": {[]string{"--suite", "extensions"}, 6},
	} {
		t.Run(name, func(t *testing.T) {
			out := until(t, append([]string{"--command", client, "--expected-failures", "baseline.yml"}, run.args...)...)
			good, bad := passed.FindAllStringSubmatch(out, -1), failed.FindAllStringSubmatch(out, -1)
			t.Logf("%d of %d scenarios pass", len(good), len(good)+len(bad))
			for _, scenario := range bad {
				t.Logf("expected to fail: %s", scenario[1])
			}
			if len(good) < run.enough {
				t.Errorf("%d scenarios pass, want %d at least\n%s", len(good), run.enough, out)
			}
		})
	}
}

// TestProgram runs the scenarios that need neither a user nor a login with the built
// program.
func TestProgram(t *testing.T) {
	command := build(t, "./client") + " -binary " + build(t, program)
	scenarios := [][2]string{
		{"tools_call", "2025-11-25"}, {"tools_call", "2026-07-28"}, {"initialize", "2025-11-25"}, {"sse-retry", "2025-11-25"},
		{"request-metadata", "2026-07-28"}, {"http-standard-headers", "2026-07-28"}, {"http-invalid-tool-headers", "2026-07-28"},
		{"sep-2640-client-no-prefetch"}, {"sep-2640-client-verify-digest"}, {"sep-2640-client-verify-size"}, {"sep-2640-client-verify-frontmatter"},
	}
	if testing.Short() {
		scenarios = scenarios[:2]
	}
	for _, scenario := range scenarios {
		t.Run(scenario[0]+" "+scenario[1], func(t *testing.T) {
			args := []string{"--command", command, "--scenario", scenario[0]}
			if scenario[1] != "" { // scenarios of extensions have none
				args = append(args, "--spec-version", scenario[1])
			}
			if out := until(t, args...); !strings.Contains(out, "OVERALL: PASSED") {
				t.Errorf("the suite said\n%s", out)
			}
		})
	}
}

// serverScenarios are the server scenarios that apply to /mcp of a gateway, by version of MCP. The others are
// in baseline.yml.
var serverScenarios = map[string][]string{
	"2025-11-25": {
		"server-initialize", "server-session-lifecycle", "ping", "completion-complete", "tools-list", "resources-list", "resources-read-text",
		"resources-read-binary", "resources-templates-read", "prompts-list", "prompts-get-simple", "prompts-get-with-args",
		"prompts-get-embedded-resource", "prompts-get-with-image", "server-sse-multiple-streams", "dns-rebinding-protection",
		"resources-subscribe", "resources-unsubscribe", "logging-set-level",
	},
	"2026-07-28": {
		"completion-complete", "tools-list", "resources-list", "resources-read-text", "resources-read-binary",
		"resources-templates-read", "sep-2164-resource-not-found", "prompts-list", "prompts-get-simple", "prompts-get-with-args",
		"prompts-get-embedded-resource", "prompts-get-with-image", "caching", "http-header-validation", "dns-rebinding-protection",
		"server-sse-multiple-streams",
	},
	"extension": {"sep-2640-skills-enumeration", "sep-2640-skills-manifest"},
}

// taskScenarios are the server scenarios of the extension for tasks that apply to /mcp. They see the tools of
// the suite, which are scripts; see scripting.
var taskScenarios = []string{
	"tasks-capability-negotiation", "tasks-wire-fields", "tasks-request-state-removal", "tasks-request-headers",
	"tasks-dispatch-and-envelope", "tasks-mrtr-input",
}

// TestServer runs the server scenarios against /mcp of a gateway, behind which is a server with the
// prompts and resources of the suite. Its skills are two saved scripts.
func TestServer(t *testing.T) {
	if testing.Short() {
		t.Skip("the inspector tests the server, too")
	}
	p := harness.Program{Bin: build(t, program), Home: t.TempDir()}
	config := p.Configured(t, fmt.Sprintf(`{"mcpServers": {"suite": {"command": %q}}}`, build(t, "./server")))
	scripts := filepath.Join(filepath.Dir(config), ".toolscript", "scripts")
	if err := os.MkdirAll(scripts, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"weeklyReport", "openIssues"} {
		code := "/** The script " + name + ": it adds. */\nexport default (input: { days: number }) => input.days + 1;\n"
		if err := os.WriteFile(filepath.Join(scripts, name+".ts"), []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g := p.Serve(t, "--config", config)
	at := prefixing(t, g.URL)
	for version, scenarios := range serverScenarios {
		for _, scenario := range scenarios {
			t.Run(scenario+" "+version, func(t *testing.T) {
				url := at
				if scenario == "dns-rebinding-protection" { // it forges hosts
					url = g.URL
				}
				args := []string{"--url", url + "/mcp", "--scenario", scenario}
				if version != "extension" {
					args = append(args, "--spec-version", version)
				}
				out, err := run(t, "server", args...)
				if err != nil || !strings.Contains(out, "0 failed") {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	}
}

var listed = regexp.MustCompile(`(?m)^  - (\S+) \[(\S+)\]$`)

// TestEveryServerScenario: each scenario of the suite for servers is run, or baseline.yml says why not.
func TestEveryServerScenario(t *testing.T) {
	out, err := run(t, "list")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, rest, found := strings.Cut(out, "Server scenarios")
	servers, _, ends := strings.Cut(rest, "Client scenarios")
	baseline, err := os.ReadFile("baseline.yml")
	if err != nil || !found || !ends {
		t.Fatalf("%v, in\n%s", err, out)
	}
	_, leftOut, _ := strings.Cut(string(baseline), "\nserver:\n")
	all := listed.FindAllStringSubmatch(servers, -1)
	if len(all) < 60 {
		t.Fatalf("%d scenarios in\n%s", len(all), servers)
	}
	for _, scenario := range all {
		left := strings.Contains(leftOut, "  - "+scenario[1]+"\n")
		if slices.Contains(taskScenarios, scenario[1]) && left {
			t.Errorf("%s is run and left out", scenario[1])
		}
		for version, runs := range serverScenarios {
			if version == "extension" {
				runs = slices.Concat(runs, taskScenarios)
			}
			applies := strings.Contains(scenario[2], version)
			if is := slices.Contains(runs, scenario[1]); applies && is == left {
				t.Errorf("%s in %s: run %t, left out %t", scenario[1], version, is, left)
			}
		}
	}
}

// prefixing returns the address of a proxy that gives the prompts of the suite the names that they
// have in a gateway: the suite asks for test_simple_prompt, and the gateway has suite__test_simple_prompt.
func prefixing(t *testing.T, gateway string) string {
	t.Helper()
	to, err := url.Parse(gateway)
	if err != nil {
		t.Fatal(err)
	}
	base := strings.TrimSuffix(to.Path, "/")
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.URL.Path = to.Scheme, to.Host, base+r.In.URL.Path
		r.Out.Host = to.Host
		if name := r.In.Header.Get("Mcp-Name"); strings.HasPrefix(name, "test_") {
			r.Out.Header.Set("Mcp-Name", "suite__"+name)
		}
		body, err := io.ReadAll(r.In.Body)
		if err != nil {
			return
		}
		body = bytes.ReplaceAll(body, []byte(`"name":"test_`), []byte(`"name":"suite__test_`))
		r.Out.Body, r.Out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}}
	front := httptest.NewServer(proxy)
	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
	})
	return front.URL
}
