package actors_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/approval"
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/upstream"
)

// otherServers are changes of a definition after which it is another server.
var otherServers = map[string][2]upstream.Config{
	"the root of a builtin server": {
		{Type: upstream.Builtin, Root: "/project"}, {Type: upstream.Builtin, Root: "/"},
	},
	"exec.network": {
		{Type: upstream.Builtin, Root: "/project"},
		{Type: upstream.Builtin, Root: "/project", Settings: upstream.BuiltinSettings{Exec: upstream.ExecSettings{Network: true}}},
	},
	"exec.writable": {
		{Type: upstream.Builtin, Root: "/project"},
		{Type: upstream.Builtin, Root: "/project", Settings: upstream.BuiltinSettings{Exec: upstream.ExecSettings{Writable: []string{"/home"}}}},
	},
	"web.allowHosts": {
		{Type: upstream.Builtin, Root: "/project"},
		{Type: upstream.Builtin, Root: "/project", Settings: upstream.BuiltinSettings{Web: upstream.WebSettings{AllowHosts: []string{"10.0.0.0/8"}}}},
	},
	"run of a command": {
		{Type: upstream.Command, Root: "/project", Commands: json.RawMessage(`{"deploy":{"description":"Deploys.","run":["./deploy"]}}`)},
		{Type: upstream.Command, Root: "/project", Commands: json.RawMessage(`{"deploy":{"description":"Deploys.","run":["./evil"]}}`)},
	},
	"the folder of a command": {
		{Type: upstream.Command, Root: "/project", Commands: json.RawMessage(`{"deploy":{"run":["./deploy"]}}`)},
		{Type: upstream.Command, Root: "/tmp", Commands: json.RawMessage(`{"deploy":{"run":["./deploy"]}}`)},
	},
	"baseUrl": {
		{Type: upstream.OpenAPI, API: json.RawMessage(`{"spec":"/api.yaml","baseUrl":"https://api.example.com"}`)},
		{Type: upstream.OpenAPI, API: json.RawMessage(`{"spec":"/api.yaml","baseUrl":"https://evil.example"}`)},
	},
	"spec": {
		{Type: upstream.OpenAPI, API: json.RawMessage(`{"spec":"https://api.example.com/api.yaml"}`)},
		{Type: upstream.OpenAPI, API: json.RawMessage(`{"spec":"https://evil.example/api.yaml"}`)},
	},
	"the url of a graphql server": {
		{Type: upstream.GraphQL, API: json.RawMessage(`{"url":"https://api.example.com/g"}`)},
		{Type: upstream.GraphQL, API: json.RawMessage(`{"url":"https://evil.example/g"}`)},
	},
	"confine removed": {
		{Type: upstream.Stdio, Command: "serve", Confine: &upstream.Confine{Read: []string{"/data"}}}, {Type: upstream.Stdio, Command: "serve"},
	},
	"confine widened": {
		{Type: upstream.Stdio, Command: "serve", Confine: &upstream.Confine{}},
		{Type: upstream.Stdio, Command: "serve", Confine: &upstream.Confine{Net: []string{"evil.example:443"}}},
	},
	"the value of a variable": {
		{Type: upstream.Stdio, Command: "serve", Env: map[string]string{"NODE_OPTIONS": ""}},
		{Type: upstream.Stdio, Command: "serve", Env: map[string]string{"NODE_OPTIONS": "--require ./evil.js"}},
	},
	"a variable that names the program": {
		{Type: upstream.Stdio, Command: "/usr/bin/serve", Secrets: map[string]string{"${SERVE}": "/usr/bin/serve"}},
		{Type: upstream.Stdio, Command: "/tmp/evil-serve", Secrets: map[string]string{"${SERVE}": "/tmp/evil-serve"}},
	},
	"the issuer of a login": {
		{Type: upstream.HTTP, URL: "https://api.example.com/mcp", OAuth: oauth.Config{ClientID: "c", Issuer: "https://login.example.com"}},
		{Type: upstream.HTTP, URL: "https://api.example.com/mcp", OAuth: oauth.Config{ClientID: "c", Issuer: "https://evil.example"}},
	},
	"the destination of a header": {
		{Type: upstream.HTTP, URL: "https://api.example.com/mcp", Headers: map[string]string{"X-Forward-To": "a"}},
		{Type: upstream.HTTP, URL: "https://api.example.com/mcp", Headers: map[string]string{"X-Forward-To": "evil.example"}},
	},
}

// TestApprovalOfAnotherServer: an approval for ever ends with a change of the definition of the
// server, whatever its type, and holds after a change of its limits.
func TestApprovalOfAnotherServer(t *testing.T) {
	for name, change := range otherServers {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				before, after := change[0], change[1]
				before.Source, after.Source = "file", "file"
				conn := newConn("a")
				conn.tools = []string{"echo"}
				s := startWith(t, actors.Options{
					Servers: map[string]upstream.Config{"a": before}, Dial: dialer{"a": answers(conn, nil)}.dial,
					Approvals: actors.Approvals{Policies: askAlways, Show: func(toolscript.Approval, string) {}},
				})
				synctest.Wait()
				call := toolscript.Call{ID: "a__echo", Args: json.RawMessage(`{}`)}
				first, ended := pendingCall(t, s, call)
				answer := toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow, Scope: toolscript.ScopeAlways}
				if err := s.AnswerApproval(t.Context(), first.ID, answer, true); err != nil {
					t.Fatal(err)
				}
				if err := <-ended; err != nil {
					t.Fatal(err)
				}
				limited := before
				limited.Concurrency, limited.ExcludeTools = 3, []string{"other"}
				configure(t, s, limited)
				if _, err := s.CallTool(t.Context(), call); err != nil { // a request would wait for a minute, and fail
					t.Errorf("with other limits: %v", err)
				}
				configure(t, s, after)
				again, ended := pendingCall(t, s, call)
				if !strings.Contains(again.Changed, "the definition of the server") {
					t.Errorf("request %+v does not say what has changed", again)
				}
				allowIt(t, s, again.ID)
				<-ended
			})
		})
	}
}

func configure(t *testing.T, s *actors.System, c upstream.Config) {
	t.Helper()
	if _, err := s.Configure(t.Context(), map[string]upstream.Config{"a": c}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}

// permanent is an approval.Store of several gateways.
type permanent struct{ pins []approval.Pin }

func (p *permanent) Load() ([]approval.Pin, error) { return slices.Clone(p.pins), nil }
func (p *permanent) Save(pins []approval.Pin) error {
	p.pins = pins
	return nil
}

// TestApprovalInAnotherProject: an agent that runs a gateway with another configuration file, or in
// another project, is not covered by what a person allowed for ever.
func TestApprovalInAnotherProject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &permanent{}
		start := func(source, project, root string) *actors.System {
			conn := newConn("workspace")
			conn.tools = []string{"exec"}
			s := startWith(t, actors.Options{
				Servers:   map[string]upstream.Config{"workspace": {Type: upstream.Builtin, Root: root, Source: source}},
				Dial:      dialer{"workspace": answers(conn, nil)}.dial,
				Approvals: actors.Approvals{Policies: askAlways, Show: func(toolscript.Approval, string) {}, Store: store, Project: project},
			})
			synctest.Wait()
			return s
		}
		call := toolscript.Call{ID: "workspace__exec", Args: json.RawMessage(`{}`)}
		s := start("/p/.toolscript.json", "/p", "/p")
		a, ended := pendingCall(t, s, call)
		if err := s.AnswerApproval(t.Context(), a.ID, toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow, Scope: toolscript.ScopeAlways}, true); err != nil {
			t.Fatal(err)
		}
		<-ended
		if _, err := start("/p/.toolscript.json", "/p", "/p").CallTool(t.Context(), call); err != nil {
			t.Errorf("the next gateway of the project: %v", err)
		}
		for name, other := range map[string]*actors.System{
			"another file": start("/p/other.json", "/p", "/"), "another file with the same root": start("/p/other.json", "/p", "/p"),
			"another project": start("/q/.toolscript.json", "/q", "/q"), "the same file in another project": start("/p/.toolscript.json", "/q", "/p"),
		} {
			a, ended := pendingCall(t, other, call)
			if a.Tool != "workspace__exec" {
				t.Errorf("%s: %+v", name, a)
			}
			allowIt(t, other, a.ID)
			<-ended
		}
	})
}

// TestPinOfAnotherServer: under quarantine, a changed definition of any type of server is held
// until a person accepts it.
func TestPinOfAnotherServer(t *testing.T) {
	for name, change := range otherServers {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				before, after := change[0], change[1]
				before.Source, after.Source = "file", "file"
				p := startPinning(t, toolscript.PinsQuarantine, noPins(), func(o *actors.Options) {
					o.Servers = map[string]upstream.Config{"a": before}
				}, described("a", "pay", "Pays."))
				if err := p.call(t, "a__pay"); err != nil {
					t.Fatalf("before the change: %v", err)
				}
				configure(t, p.System, after)
				got := p.changes(t, "a")
				if len(got) != 1 || got[0].Tool != "" || !got[0].Held || !slices.Equal(got[0].Parts, []string{"definition"}) || got[0].Diff == "" {
					t.Errorf("changes %+v", got)
				}
				if err := p.call(t, "a__pay"); toolscript.KindOf(err) != toolscript.Quarantined {
					t.Errorf("call: %v", err)
				}
				p.accept(t, "a", "")
				if err := p.call(t, "a__pay"); err != nil {
					t.Errorf("after it was accepted: %v", err)
				}
			})
		})
	}
}
