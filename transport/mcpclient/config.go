package mcpclient

import (
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/transport/oauth"
)

// DefaultTimeout bounds a tool call of a server that configures no other time.
const DefaultTimeout = time.Minute

// DefaultConcurrency bounds the calls in flight on a server that configures no
// other number.
const DefaultConcurrency = 64

// The types of server.
const (
	Stdio = "stdio" // a process of ours, spoken to over its standard input and output
	HTTP  = "http"  // streamable HTTP
	SSE   = "sse"   // HTTP with server-sent events, the transport of MCP before 2025-03-26
)

// The generations of MCP.
const (
	Handshake = mcp.LATEST_LEGACY_PROTOCOL_VERSION // the newest version that begins with "initialize"
	Stateless = mcp.LATEST_PROTOCOL_VERSION        // the oldest one that has neither that nor sessions
)

// Config is how one server is reached. A Config is not changed once it has been
// loaded; whoever holds one may read it from several goroutines.
type Config struct {
	Type string // Stdio, HTTP or SSE; empty only together with a Problem

	// Of Stdio. Env is set on top of what the environment allow-list lets
	// through; InheritEnv lets everything through but our own secrets, and
	// InheritNames lets these variables through in addition to the list.
	Command      string
	Args         []string
	Env          map[string]string
	InheritEnv   bool
	InheritNames []string
	Dir          string // working directory of the process; empty is that of the gateway

	// Of HTTP and SSE.
	URL     string
	Headers map[string]string
	OAuth   oauth.Config

	// Protocol is the newest version of MCP to offer; empty means Handshake. With
	// Stateless the server is asked first whether it speaks that, which a server
	// that ignores what it does not know makes the connecting a second longer for.
	Protocol string

	// IncludeTools and ExcludeTools choose among the server's tools; see Selects.
	IncludeTools []string
	ExcludeTools []string

	// Timeout bounds one tool call and starts anew with every progress message
	// of the server. 0 means DefaultTimeout.
	Timeout time.Duration

	// Concurrency bounds the calls in flight; more wait for their turn. 0 means
	// DefaultConcurrency.
	Concurrency int

	// Problem is why the server must not be started: a variable of its
	// configuration is not set, or the file that names it is not trusted. The
	// other fields are then as written and not to be used.
	Problem error
}

// String names the server's type alone: its environment, its headers, its
// arguments and even its address can hold secrets.
func (c Config) String() string { return "mcp server (" + c.Type + ")" }

// GoString keeps secrets out of %#v.
func (c Config) GoString() string { return c.String() }

// LogValue keeps secrets out of the log.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Selects reports whether the configuration lets a tool of the server be seen
// and called: IncludeTools names it or is empty, and ExcludeTools does not name
// it. An entry is a tool's exact name, or a pattern in which * stands for any
// characters and ? for one.
func (c Config) Selects(tool string) bool {
	if len(c.IncludeTools) > 0 && !matchAny(c.IncludeTools, tool) {
		return false
	}
	return !matchAny(c.ExcludeTools, tool)
}

// Unmatched returns the entries of IncludeTools and ExcludeTools that name none
// of the server's tools, in the order they are written: most likely a spelling
// mistake, or a tool that the server has renamed.
func (c Config) Unmatched(names []string) []string {
	var out []string
	for _, entry := range slices.Concat(c.IncludeTools, c.ExcludeTools) {
		matches := func(name string) bool { return match(entry, name) }
		if !slices.ContainsFunc(names, matches) && !slices.Contains(out, entry) {
			out = append(out, entry)
		}
	}
	return out
}

func matchAny(entries []string, name string) bool {
	return slices.ContainsFunc(entries, func(entry string) bool { return match(entry, name) })
}

// match reports whether an entry names a tool. It is not path.Match, whose *
// stops at a slash, which MCP allows in the names of tools, and whose [ makes a
// pattern that can be malformed.
func match(entry, name string) bool {
	if entry == name {
		return true
	}
	if !strings.ContainsAny(entry, "*?") {
		return false
	}
	return glob([]rune(entry), []rune(name))
}

// glob keeps the last star and where it began to match: going back only there is
// enough and bounds the work by the product of the lengths.
func glob(pattern, name []rune) bool {
	p, n := 0, 0
	star, from := -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
