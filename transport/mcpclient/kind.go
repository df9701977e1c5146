package mcpclient

import (
	_ "embed"

	"github.com/toolscript/toolscript/transport/upstream"
)

//go:embed stdio.json
var stdioKeys string

//go:embed http.json
var httpKeys string

// Kinds are the kinds of MCP servers, by their transports.
var Kinds = []upstream.Kind{
	{
		Type: upstream.Stdio, Page: "configuration.md", Implied: "command", Required: `"required": ["command"]`, Schema: stdioKeys,
		Keys:    []string{"command", "args", "env", "inheritEnv", "confine", "cwd", "protocol", "shared", "stateless", "startupTimeout", "idle"},
		Paths:   [][]string{{"cwd"}, {"confine", "read", "*"}, {"confine", "write", "*"}},
		Process: true, MCP: true, Dial: dialOf,
		Missing: func(env []string, cfg upstream.Config) (string, error) {
			return `install the program, or correct "command"`, FindProgram(env, cfg)
		},
	},
	{
		Type: upstream.HTTP, Words: []string{"streamable-http"}, Page: "configuration.md", Implied: "url", Required: `"required": ["url"]`, Schema: httpKeys,
		Keys: httpEffects, Paths: httpPaths, MCP: true, Dial: dialOf,
	},
	{Type: upstream.SSE, Page: "configuration.md", Required: `"required": ["url"]`, Keys: httpEffects, Paths: httpPaths, MCP: true, Dial: dialOf},
}

var (
	httpEffects = []string{"url", "headers", "protocol", "oauth", "shared", "stateless", "startupTimeout"}
	httpPaths   = [][]string{{"oauth", "assertionFile"}}
)

func dialOf(h upstream.Host) upstream.Dial {
	return upstream.DialWith(Dialer(h).Dial)
}
