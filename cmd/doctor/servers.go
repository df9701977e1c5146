package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/runner/confined"
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/upstream"
)

// probeTime bounds the start of all servers.
const probeTime = actors.DefaultConnectTimeout + 5*time.Second

// ServerFound is a configured server.
type ServerFound struct {
	Name   string                 `json:"name"`
	Type   string                 `json:"type"`
	Shared string                 `json:"shared,omitempty"` // host or project: a hub runs the server
	State  toolscript.ServerState `json:"state,omitempty"`  // only with Probe
	Tools  int                    `json:"tools,omitempty"`  // only with Probe
	Hosts  []string               `json:"hosts,omitempty"`  // for type fleet, with Probe: hosts whose hubs offer the server
}

// servers examines the configured servers without starting them. With Probe, it then starts
// them.
func (x *examination) servers(ctx context.Context) {
	if x.loaded == nil {
		return
	}
	logins := x.Host.Logins(slog.New(slog.DiscardHandler))
	keyring := false
	failing := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(x.loaded.Servers)) {
		c := x.loaded.Servers[name]
		x.Servers = append(x.Servers, ServerFound{Name: name, Type: c.Type, Shared: c.Shared})
		if c.Disabled || slices.Contains(x.loaded.Untrusted, name) {
			continue
		}
		if c.Confine != nil {
			if missing := confined.Missing(confined.Parts(c.Confine.Net)); len(missing) > 0 {
				x.warn("server "+name, "run it on Linux 6.12 or newer, or without secrets of yours", "it is not confined as configured: %s", strings.Join(missing, "; "))
			}
		}
		keyring = keyring || c.OAuth.Storage == oauth.StorageKeyring
		if fix, problem := x.serverProblem(logins, name, c); problem != nil {
			x.broken("server "+name, fix, "%s", toolscript.TextOf(problem))
			failing[name] = true
			continue
		}
		x.documented(name, c)
	}
	if keyring {
		if err := oauth.CheckKeyring(); err != nil {
			x.broken("keyring", `start or unlock the keyring, or set oauth.storage to "file"`, "%v", err)
		}
	}
	if x.Probe && (len(x.loaded.Servers) > 0 || x.loaded.Settings.Fleet.All()) {
		x.probe(ctx, failing)
	}
}

// waits reports whether a server lacks secrets. Its problem already names the command to run.
func (x *examination) waits(server string) bool {
	return slices.ContainsFunc(x.loaded.Waiting, func(r config.SecretRequest) bool { return r.Server == server })
}

// serverProblem returns why a server cannot work, as far as that is known without starting
// it, and what to do. problem is nil if no reason is known.
func (x *examination) serverProblem(logins *oauth.Sessions, name string, c upstream.Config) (fix string, problem error) {
	switch kind := c.Kind(); {
	case c.Problem != nil:
		if wrong := new(config.Misconfigured); errors.As(c.Problem, &wrong) {
			return validate, errors.New(wrong.What())
		}
		if kind.Hub || x.waits(name) {
			return "", c.Problem
		}
		return "export the variable, or write a default in " + c.Source + ": ${NAME:-default}", c.Problem
	case kind.Missing != nil:
		advice, problem := kind.Missing(x.Env, c)
		return advice + " of " + name + " in " + c.Source, problem
	case c.Local():
		return "", nil
	default:
		session, err := logins.Session(name, c.URL, c.OAuth)
		if err != nil {
			return `correct "oauth" of ` + name + " in " + c.Source, err
		}
		if status, why := session.Status(); status == oauth.Failed {
			return toolscript.Command("auth", name), fmt.Errorf("its login has failed: %s", why)
		}
		return "", nil
	}
}

// probe starts the servers and ends them again. Servers in failing already have a finding.
func (x *examination) probe(ctx context.Context, failing map[string]bool) {
	own, err := x.Host.Start(x.awake(), daemon.Options{
		Trust: x.Trust, Logger: slog.New(slog.DiscardHandler),
		Search: func(s *config.Search) { s.Lexical = true },
	})
	if err != nil {
		x.broken("servers", "", "the servers cannot be started: %v", err)
		return
	}
	defer func() {
		if err := own.Stop(); err != nil {
			x.warn("servers", "", "not all servers ended in time: %v", err)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	own.Await(ctx, nil)
	states, err := own.Servers(context.WithoutCancel(ctx))
	if err != nil {
		x.broken("servers", "", "the servers were not examined: %v", err)
		return
	}
	own.AddHosts(context.WithoutCancel(ctx), states)
	for _, s := range states {
		i := slices.IndexFunc(x.Servers, func(known ServerFound) bool { return known.Name == s.Name })
		if i < 0 { // a server that only the fleet offers
			i = len(x.Servers)
			x.Servers = append(x.Servers, ServerFound{Name: s.Name, Type: s.Type})
		}
		x.Servers[i].State, x.Servers[i].Tools, x.Servers[i].Hosts = s.State, s.Tools, s.Hosts
		x.pins(s)
		if failing[s.Name] || s.State == toolscript.Ready || s.Disabled || slices.Contains(x.loaded.Untrusted, s.Name) {
			continue
		}
		fix := "toolscript list-servers --verbose"
		if s.State == toolscript.NeedsAuth {
			fix = toolscript.Command("auth", s.Name)
		}
		x.broken("server "+s.Name, fix, "%s", cmp.Or(s.Error, fmt.Sprintf("it did not connect within %s", actors.DefaultConnectTimeout)))
	}
}

// awake returns the configuration without idle times, because only a running server can be
// examined.
func (x *examination) awake() *config.Config {
	loaded := *x.loaded
	loaded.Servers = maps.Clone(loaded.Servers)
	for name, c := range loaded.Servers {
		c.Idle = 0
		loaded.Servers[name] = c
	}
	return &loaded
}
