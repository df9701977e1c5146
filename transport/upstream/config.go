package upstream

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/oauth"
)

// DefaultTimeout is the time limit of a tool call if the configuration sets none.
const DefaultTimeout = time.Minute

// DefaultConcurrency is the maximum number of calls in flight on one server if the
// configuration sets none.
const DefaultConcurrency = 64

// Values of Config.Type, for those who make a Config. The others ask Config.Kind.
const (
	Stdio = "stdio" // a child process; messages go over its standard input and output
	HTTP  = "http"  // streamable HTTP
	SSE   = "sse"   // HTTP+SSE, the transport of MCP before 2025-03-26

	Builtin   = "builtin"   // the built-in tools, in the gateway itself; see package builtin
	Scripts   = "scripts"   // the saved scripts. No file configures such a server
	Command   = "command"   // programs that the configuration declares; see package commands
	OpenAPI   = "openapi"   // the operations of an OpenAPI document; see package openapi
	GraphQL   = "graphql"   // the queries and mutations of a GraphQL endpoint; see package graphql
	InProcess = "inprocess" // Go functions; see package upstream. No file configures such a server

	Fleet = "fleet" // a server that the hubs of a fleet define and run
)

// Values of Config.Protocol: versions of MCP.
const (
	Handshake = "2025-11-25" // the newest version with the "initialize" handshake
	Stateless = "2026-07-28" // the oldest version without handshake and sessions
)

// Values of Config.Shared.
const (
	SharedHost    = "host"    // one server for all gateways of this user on this host
	SharedProject = "project" // one server for all gateways of one folder
)

// Config describes how to reach one server. It is immutable after loading, so it may
// be read concurrently.
type Config struct {
	Type     string // the type of a Kind; may be empty if Problem or Disabled is set
	Disabled bool   // the server is listed but not started

	// Fields for Stdio. Env is set on top of the inherited variables. By default the
	// allow list decides which variables are inherited; InheritNames adds names to
	// it. InheritEnv inherits every variable except toolscript's own.
	Command      string
	Args         []string
	Env          map[string]string
	InheritEnv   bool
	InheritNames []string
	Dir          string // working directory of the process; empty means Dialer.Dir

	// Confine is what the process may reach; nil means everything that its user may reach.
	Confine *Confine `json:",omitempty"` // nil is left out of the key of a shared server

	// Trial replaces Confine while "confine suggest" watches the process. It is not part of the
	// server's identity, so the server's pins stay valid.
	Trial *Confine `json:"-"`

	// Environ is the complete environment of the process as NAME=value; nothing is
	// inherited. If it is nil, the fields above decide. Only a hub sets it.
	Environ []string

	// Fields for HTTP and SSE.
	URL     string
	Headers map[string]string
	OAuth   oauth.Config
	Account string // name under which logins are stored; empty means the name of the server. Only a hub sets it

	// Accounts are the accounts of the server, the default first, if it has accounts. Its name then
	// ends with one of them; see toolscript.CutAccount.
	Accounts []string `json:"-"`

	// Fields for Builtin: the absolute path of the folder that the tools work in, the
	// names of the tools, and the settings of some of them.
	Root     string
	Tools    []string
	Settings BuiltinSettings

	// Commands contains the commands of a server of type Command, as JSON; see package commands.
	// Root is the folder that their programs work in and may write to.
	Commands json.RawMessage `json:",omitempty"` // nil is left out of the key of a shared server

	// API contains the settings of a server whose Kind has Settings, as a JSON object; see its package.
	// Headers and OAuth apply as well.
	API json.RawMessage `json:",omitempty"`

	// Shared says which gateways share one instance of the server, which a hub runs.
	// Empty means that the gateway has its own instance. Host.Dial decides by it.
	Shared string

	// Stateless reports whether several hubs of a fleet may offer the server at the same time.
	// Only the hubs of a fleet read it.
	Stateless bool

	// Scripts are the saved scripts of a server of type Scripts.
	Scripts []toolscript.SavedScript

	// Protocol is the newest version of MCP to offer. If it is empty, Stateless is tried first,
	// unless Events.Spoken says that the server does not have it. A server that ignores unknown
	// requests takes half a second longer to connect, once.
	Protocol string

	// IncludeTools and ExcludeTools select the server's tools; see Selects.
	IncludeTools []string
	ExcludeTools []string

	// Overrides replaces parts of tools. The keys are the server's own tool names; see Present.
	Overrides map[string]toolscript.Override `json:",omitempty"` // if empty, not in the key of a shared server

	// Timeout is the time limit of one tool call. Each progress notification restarts
	// it. 0 means DefaultTimeout.
	Timeout time.Duration

	// StartupTimeout is how long callers wait for the server to start. After this time, a starting
	// process is ended if it does nothing. 0 means the default of the gateway.
	StartupTimeout time.Duration `json:",omitempty"` // 0 is left out of the key of a shared server

	// Idle is the time without a call after which the gateway ends the process of the server;
	// the next call starts it again. 0 means never. See Rests.
	Idle time.Duration `json:",omitempty"` // 0 is left out of the key of a shared server

	// Concurrency is the maximum number of calls in flight; further calls wait. 0
	// means DefaultConcurrency.
	Concurrency int

	// RateLimit bounds how often calls begin; further calls wait. The zero value is no
	// limit.
	RateLimit RateLimit

	// Source is the path of the configuration file, empty if there is none.
	Source string

	// Written identifies the definition in the user's own file, before variables are expanded. It is
	// empty for servers of other files.
	Written string `json:"-"`

	// Project is the folder of a project, beneath which Dir, Root, the paths of Confine and Settings, and
	// the files of API are resolved; zero if none of them is in a project.
	Project files.Folder `json:",omitzero"` // the zero value is left out of the key of a shared server

	// Secrets maps placeholders such as "${NAME}" to the values of the variables that
	// the configuration refers to. Logs and errors show the placeholder in place of
	// the value.
	Secrets map[string]string

	// Problem, if not nil, is the reason why the server must not be started: a
	// variable of its configuration is not set, or its file is not trusted. The other
	// fields then hold the text of the file and must not be used.
	Problem error
}

// RateLimit is a token bucket. It begins with Burst tokens, gets Calls tokens in each Per,
// evenly, and holds at most Burst. A call takes one.
type RateLimit struct {
	Calls int // 0: no limit
	Per   time.Duration
	Burst int
}

// String returns the limit as text, such as "60 calls per 1m0s, burst 10".
func (r RateLimit) String() string {
	return fmt.Sprintf("%d calls per %s, burst %d", r.Calls, r.Per, r.Burst)
}

// Names returns the names of servers, sorted, with the accounts of a server as configured.
func Names(servers map[string]Config) []string {
	names := slices.Collect(maps.Keys(servers))
	slices.SortFunc(names, func(a, b string) int {
		one, account := toolscript.CutAccount(a)
		other, next := toolscript.CutAccount(b)
		all := servers[a].Accounts
		return cmp.Or(cmp.Compare(one, other), cmp.Compare(slices.Index(all, account), slices.Index(all, next)), cmp.Compare(a, b))
	})
	return names
}

// String returns the server's type only: the environment, the headers, the arguments
// and even the URL may contain secrets.
func (c Config) String() string { return "mcp server (" + c.Type + ")" }

// GoString keeps secrets out of %#v.
func (c Config) GoString() string { return c.String() }

// LogValue keeps secrets out of the log.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Local reports whether the gateway has no address of the server and no logins for it: a process,
// functions, a server of a fleet, or an API without a login.
func (c Config) Local() bool {
	k := c.Kind()
	return k.Process || k.Hub || k.Functions || len(k.Settings) > 0 && c.URL == ""
}

// Credentials names the fields of the configuration that may contain credentials; "" if there are none.
func (c Config) Credentials() string {
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		fields = append(fields, strconv.Quote("headers."+name))
	}
	if at, err := url.Parse(c.URL); err == nil && (at.User != nil || at.RawQuery != "") {
		fields = append(fields, `"url"`)
	}
	return strings.Join(fields, " and ")
}

// Authorizes reports whether the configuration alone provides the credentials, without a person's login.
func (c Config) Authorizes() bool {
	for name := range c.Headers {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return c.OAuth.Machine()
}

// HasProcess reports whether the server is a process of this gateway. A hub manages the processes
// of shared servers.
func (c Config) HasProcess() bool { return c.Kind().Process && c.Shared == "" }

// Rests reports whether the gateway ends the process of the server while it is idle.
func (c Config) Rests() bool { return c.Idle > 0 && c.HasProcess() }

// Selects reports whether the configuration makes a tool visible: IncludeTools is
// empty or matches it, and ExcludeTools does not match it. An entry is an exact name
// or a pattern, in which * matches any characters and ? matches one. For the URI of a skill, an
// entry may also have its name.
func (c Config) Selects(tool string) bool {
	if len(c.IncludeTools) > 0 && !matchAny(c.IncludeTools, tool) {
		return false
	}
	return !matchAny(c.ExcludeTools, tool)
}

// Unmatched returns the entries of IncludeTools and ExcludeTools that match none of
// the names, in the order of the configuration. The cause is usually a spelling
// mistake or a renamed tool.
func (c Config) Unmatched(names []string) []string {
	var out []string
	for _, entry := range slices.Concat(c.IncludeTools, c.ExcludeTools) {
		matches := func(name string) bool { return matchAny([]string{entry}, name) }
		if !slices.ContainsFunc(names, matches) && !slices.Contains(out, entry) {
			out = append(out, entry)
		}
	}
	return out
}

func matchAny(entries []string, name string) bool {
	skill, is := toolscript.SkillName(name)
	return slices.ContainsFunc(entries, func(entry string) bool {
		return toolscript.MatchName(entry, name) || is && toolscript.MatchName(entry, skill)
	})
}
