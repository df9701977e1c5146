//go:build integration && linux

// Package conformance runs the public MCP conformance suite, which test/package-lock.json pins and
// `task peers` installs, against the project's transport and logins, and against the built program.
package conformance

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// run runs the suite in a mode, client or server, and returns its output.
func run(t *testing.T, mode string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, append([]string{suite, mode, "-o", t.TempDir()}, args...)...)
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
		"extensions": {[]string{"--suite", "extensions"}, 2},
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
	}
	if testing.Short() {
		scenarios = scenarios[:2]
	}
	for _, scenario := range scenarios {
		t.Run(scenario[0]+" "+scenario[1], func(t *testing.T) {
			if out := until(t, "--command", command, "--scenario", scenario[0], "--spec-version", scenario[1]); !strings.Contains(out, "OVERALL: PASSED") {
				t.Errorf("the suite said\n%s", out)
			}
		})
	}
}

// serverScenarios are the server scenarios that apply to /mcp of a gateway. The others need tools, resources
// and prompts of the suite's own server, or logging, completion and subscriptions, which /mcp does not offer.
var serverScenarios = []string{"server-initialize", "ping", "tools-list", "resources-list", "server-sse-multiple-streams", "dns-rebinding-protection"}

// TestServer runs the server scenarios against /mcp of a gateway.
func TestServer(t *testing.T) {
	if testing.Short() {
		t.Skip("the inspector tests the server, too")
	}
	p := harness.Program{Bin: build(t, program), Home: t.TempDir()}
	config, err := p.Config("config.json", `{"mcpServers": {}}`)
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.StartGateway(context.WithoutCancel(t.Context()), "--config", config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Stop(); err != nil {
			t.Error(err)
		}
	})
	for _, scenario := range serverScenarios {
		t.Run(scenario, func(t *testing.T) {
			out, err := run(t, "server", "--url", g.URL+"/mcp", "--scenario", scenario)
			if err != nil || !strings.Contains(out, "0 failed") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
