package config_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/upstream"
)

func TestFleetAddress(t *testing.T) {
	s := newScene(t)
	s.env["HOST"], s.env["PASSWORD"] = "a.example.com", "hunter2hunter2"
	s.write(s.home, `{"mcpServers": {}, "fleet": {"url": "tls://me:${PASSWORD}@${HOST}:4222,nats://token-1@b:4222", "credentials": "me.creds", "tls": {"ca": "~/ca.pem"}}}`)
	loaded := s.load()
	f := loaded.Settings.Fleet
	want := cluster.Address{
		URL: "tls://me:hunter2hunter2@a.example.com:4222,nats://token-1@b:4222", Credentials: filepath.Join(s.home, "me.creds"), CA: filepath.Join(s.home, "ca.pem"),
	}
	if got := f.Address(); got != want {
		t.Errorf("Address = %#v with %q and %q", got, got.Credentials, got.CA)
	}
	secrets := map[string]bool{}
	for _, secret := range loaded.Settings.Secrets() {
		secrets[secret] = true
	}
	if !secrets["hunter2hunter2"] || !secrets["token-1"] {
		t.Errorf("the secrets of the settings are %v, want the password and the token of fleet.url", secrets)
	}
}

// TestFleetOfAProject: a project, even a trusted one, cannot have the user's credentials sent to
// a fleet that it names.
func TestFleetOfAProject(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"mcpServers": {}, "fleet": {"url": "nats://mine:4222", "credentials": "me.creds"}}`)
	s.write(s.project, `{"mcpServers": {"a": {"fleet": true}}, "fleet": {"url": "nats://evil:4222", "credentials": "~/me.creds", "use": ["b"]}}`)
	if c := s.load().Servers["a"]; toolscript.KindOf(c.Problem) != toolscript.Forbidden {
		t.Errorf("problem of a server that is not trusted = %v", c.Problem)
	}
	if diff := s.review("").Diff; !strings.Contains(diff, `"fleet": true`) {
		t.Errorf("the review does not show the server:\n%s", diff)
	}
	s.trust()
	c := s.load()
	if got := c.Settings.Fleet; got.URL != "nats://mine:4222" || len(got.Use) > 0 {
		t.Errorf("Fleet = %+v, want the user's", got)
	}
	if warnings := strings.Join(c.Warnings, "\n"); !strings.Contains(warnings, "fleet: has no effect in a project's file") {
		t.Errorf("warnings = %q", warnings)
	}
	if got := c.Servers["a"]; got.Problem != nil || got.Type != upstream.Fleet || got.Dir != "" {
		t.Errorf("server = %q in %q, problem %v", got.Type, got.Dir, got.Problem)
	}
	s.write(s.project, `{"mcpServers": {"a": {"command": "a"}}}`)
	if c := s.load().Servers["a"]; toolscript.KindOf(c.Problem) != toolscript.Forbidden {
		t.Errorf("a server of the fleet became a command without a question: %v", c.Problem)
	}
}

// TestFleetOfNamedFiles: named files without a fleet use the connection of the user's fleet, but
// not the servers in its list.
func TestFleetOfNamedFiles(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"mcpServers": {}, "fleet": {"url": "nats://mine:4222", "use": ["b"]}}`)
	s.write(filepath.Join(s.project, "one"), `{"mcpServers": {"a": {"fleet": true}}}`)
	s.write(filepath.Join(s.project, "two"), `{"mcpServers": {}, "fleet": {"url": "nats://two:4222", "credentials": "two.creds", "use": ["c", "a"]}}`)
	for files, want := range map[string]config.Fleet{
		"one": {Source: filepath.Join(s.home, config.FileName), URL: "nats://mine:4222"},
		"two": {Source: filepath.Join(s.project, "two", config.FileName), URL: "nats://two:4222", Credentials: filepath.Join(s.project, "two", "two.creds"), Use: []string{"c", "a"}},
	} {
		s.options.Config = filepath.Join(files, config.FileName)
		if diff := cmp.Diff(want, s.load().Settings.Fleet); diff != "" {
			t.Errorf("%s (-want +got):\n%s", files, diff)
		}
	}
	s.options.Config = "one/" + config.FileName + ",two/" + config.FileName
	got := s.load().Servers
	if len(got) != 2 || got["a"].Source != filepath.Join(s.project, "one", config.FileName) || got["c"].Source != filepath.Join(s.project, "two", config.FileName) {
		t.Errorf("servers = %v, want a of the first file and c of fleet.use", got)
	}
}

func TestFleetServers(t *testing.T) {
	const fleet = `"fleet": {"url": "nats://a:4222"}`
	for _, tt := range []struct{ name, text, problem, invalid string }{
		{"a server", `{"mcpServers": {"a": {"fleet": true, "timeout": "5s"}}, ` + fleet + `}`, "", ""},
		{"no fleet", `{"mcpServers": {"a": {"fleet": true, "timeout": "5s"}}}`, `no fleet is configured; write "fleet"`, ""},
		{"a name", `{"mcpServers": {"a": {"fleet": true, "timeout": "5s"}, "a b": {"fleet": true}}, ` + fleet + `}`, "", ""},
		{"a variable", `{"mcpServers": {"a": {"fleet": true, "timeout": "5s"}}, "fleet": {"url": "nats://${UNSET}:4222"}}`, "no fleet is configured", ""},
		{"a command", `{"mcpServers": {"a": {"fleet": true, "command": "a"}}, ` + fleet + `}`, "", "a.command: is not allowed together with fleet"},
		{"shared", `{"mcpServers": {"a": {"fleet": true, "shared": true}}, ` + fleet + `}`, "", "a.shared: is not allowed together with fleet"},
		{"stateless", `{"mcpServers": {"a": {"fleet": true, "stateless": true}}, ` + fleet + `}`, "", "a.stateless: is not allowed together with fleet"},
		{"nothing", `{"mcpServers": {"a": {"fleet": false}}}`, "", `or "fleet": true`},
		{"no address", `{"mcpServers": {}, "fleet": {"use": "*"}}`, "", "fleet.url: required"},
		{"an address of HTTP", `{"mcpServers": {}, "fleet": {"url": "http://a"}}`, "", "fleet.url: must be an address such as nats://HOST:4222"},
		{"a pattern", `{"mcpServers": {}, "fleet": {"url": "nats://a:4222", "use": "git*"}}`, "", `fleet.use: must be "*" or a list`},
		{"a certificate alone", `{"mcpServers": {}, "fleet": {"url": "nats://a:4222", "tls": {"cert": "c.pem"}}}`, "", "fleet.tls: needs both cert and key"},
		{"a pool", `{"mcpServers": {}, "limits": {"pool": "swim"}}`, "", `limits.pool: must be one of "", "fleet"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			loaded, all := mistakes(t, tt.text)
			if tt.invalid != "" {
				if len(all) != 1 || !strings.Contains(all.Error(), tt.invalid) {
					t.Errorf("mistakes = %v, want %q", all, tt.invalid)
				}
				return
			}
			if len(all) > 0 {
				t.Fatal(all)
			}
			c := loaded.Servers["a"]
			if c.Type != upstream.Fleet || c.Timeout != 5*time.Second {
				t.Errorf("server = %+v", c)
			}
			if (c.Problem == nil) != (tt.problem == "") || c.Problem != nil && !strings.Contains(c.Problem.Error(), tt.problem) {
				t.Errorf("problem = %v, want %q", c.Problem, tt.problem)
			}
			if other, ok := loaded.Servers["a b"]; ok && other.Problem == nil {
				t.Error("a server has a name that no fleet allows")
			}
		})
	}
}

// TestStateless: servers in a hub's file can be stateless.
func TestStateless(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"mcpServers": {"a": {"command": "a", "stateless": true}, "b": {"command": "b"}}}`)
	if got := s.load().Servers; !got["a"].Stateless || got["b"].Stateless {
		t.Errorf("stateless: a %t, b %t", got["a"].Stateless, got["b"].Stateless)
	}
}

// TestFleetAlone: a file needs no servers if it names a fleet.
func TestFleetAlone(t *testing.T) {
	s := newScene(t)
	s.write(s.home, `{"fleet": {"url": "nats://a:4222", "use": "*"}}`)
	loaded := s.load()
	if len(loaded.Warnings) > 0 || !loaded.Settings.Fleet.All() {
		t.Errorf("Fleet = %+v, warnings %q", loaded.Settings.Fleet, loaded.Warnings)
	}
	if _, err := config.Check("f", []byte(`{"hub": {"idle": "1m"}}`)); err == nil || !strings.Contains(err.Error(), "mcpServers") {
		t.Errorf("a file without servers and without a fleet: %v", err)
	}
}
