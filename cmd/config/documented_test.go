package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/transport/upstream"
)

func TestDocumentedOf(t *testing.T) {
	for command, want := range map[string]string{
		"npx -y @modelcontextprotocol/server-github":                                              "GITHUB_PERSONAL_ACCESS_TOKEN",
		"npx -y @modelcontextprotocol/server-github@2025.4.8":                                     "GITHUB_PERSONAL_ACCESS_TOKEN",
		"docker run -i --rm -e GITHUB_PERSONAL_ACCESS_TOKEN ghcr.io/github/github-mcp-server:1.0": "GITHUB_PERSONAL_ACCESS_TOKEN GITHUB_HOST",
		"uvx mcp-server-git==1.0":                                                                 "SSH_AUTH_SOCK",
		"uvx mcp-server-git[x]":                                                                   "SSH_AUTH_SOCK",
		"/opt/bin/kubernetes-mcp-server":                                                          "KUBECONFIG",
		"npx -y mcp-server-gitea":                                                                 "",
		"npx -y @me/server-github":                                                                "",
		"node mcp-server-github/index.js":                                                         "",
	} {
		words := strings.Fields(command)
		d, known := config.DocumentedOf(upstream.Config{Type: upstream.Stdio, Command: words[0], Args: words[1:]})
		if got := strings.Join(d.Names(), " "); got != want || known != (want != "") {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// TestUsed: Used returns the variables in files in effect, in inheritEnv and of known packages.
func TestUsed(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"mcpServers": {
		"a": {"command": "npx", "args": ["-y", "kubernetes-mcp-server"], "env": {"A": "${ONE}-${TWO:-2}", "B": "${secret:KEY}", "C": "$NOT"}, "inheritEnv": ["THREE"]},
		"bad": {"comand": "${FOUR}"}}, "search": {"model": "${FIVE}"}}`)
	s.write(s.project, `{"mcpServers": {"b": {"command": "${SIX}"}}}`)
	if diff := cmp.Diff([]string{"FIVE", "FOUR", "KUBECONFIG", "ONE", "THREE", "TWO"}, config.Used(s.load())); diff != "" {
		t.Errorf("with a project that is not trusted (-want +got):\n%s", diff)
	}
	s.trust()
	if got := strings.Join(config.Used(s.load()), " "); !strings.Contains(got, "SIX") {
		t.Errorf("with a trusted project: %s", got)
	}
}

// TestUnset: the error about unset variables contains the caller's advice.
func TestUnset(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"mcpServers": {"a": {"command": "x", "env": {"A": "${TWO} ${ONE}", "B": "${TWO}"}}}}`)
	s.options.Unset = func(server string, names []string) string {
		return "for " + server + " set " + strings.Join(names, " and ")
	}
	err := s.load().Servers["a"].Problem
	if err == nil {
		t.Fatal("no problem")
	}
	wantText(t, err.Error(), "variable ONE is not set (env.A)", "; for a set ONE and TWO, or write a default")
}
