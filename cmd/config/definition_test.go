package config_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
)

const (
	local  = `{"command": "server", "args": ["a", "b"], "env": {"TOKEN": "${TOKEN}", "X": "1"}}`
	remote = `{"url": "https://example.com/mcp", "headers": {"Authorization": "${TOKEN}"}, "oauth": {"clientId": "c"}}`
)

func servers(local, remote string) string {
	return `{"mcpServers": {"local": ` + local + `, "remote": ` + remote + `}}`
}

// TestTrustIsAboutDefinitions changes a trusted file, and checks which servers then need trust again.
func TestTrustIsAboutDefinitions(t *testing.T) {
	inLocal := func(fields string) string { return servers(strings.Replace(local, "{", "{"+fields+", ", 1), remote) }
	inRemote := func(fields string) string { return servers(local, strings.Replace(remote, "{", "{"+fields+", ", 1)) }
	replaced := func(old, by string) string { return strings.Replace(servers(local, remote), old, by, 1) }
	for name, test := range map[string]struct {
		file string
		want []string
	}{
		"another format": {strings.ReplaceAll(servers(local, remote), ", ", "\n\t,\n"), nil},
		"another order": {`{"mcpServers": {"remote": {"oauth": {"clientId": "c"}, "headers": {"Authorization": "${TOKEN}"}, "url": "https://example.com/mcp"},
			"local": {"env": {"X": "1", "TOKEN": "${TOKEN}"}, "args": ["a", "b"], "command": "server"}}}`, nil},
		"the type written out":  {inLocal(`"type": "stdio"`), nil},
		"what is absent anyway": {inLocal(`"inheritEnv": false`), nil},
		"an empty list":         {inRemote(`"args": [], "env": {}`), nil},
		"settings":              {replaced(`{"mcpServers"`, `{"limits": {"memoryMb": 7}, "mcpServers"`), nil},
		"a server gone":         {`{"mcpServers": {"local": ` + local + `}}`, nil},
		"a server more":         {replaced(`"local"`, `"more": {"command": "x"}, "local"`), []string{"more"}},
		"a server renamed":      {replaced(`"local"`, `"lokal"`), []string{"lokal"}},
		"a variable":            {replaced(`"TOKEN": "${TOKEN}"`, `"TOKEN": "${OTHER}"`), []string{"local"}},
		"its default":           {replaced(`"TOKEN": "${TOKEN}"`, `"TOKEN": "${TOKEN:-x}"`), []string{"local"}},
		"arguments in order":    {replaced(`["a", "b"]`, `["b", "a"]`), []string{"local"}},
		"two arguments in one":  {replaced(`["a", "b"]`, `["a\", \"b"]`), []string{"local"}},
		"no access at all":      {inLocal(`"confine": {}`), []string{"local"}},
		// A later version may interpret a field that this program does not know.
		"an unknown field":  {inLocal(`"preload": "./evil.so"`), []string{"local"}},
		"an unknown object": {inRemote(`"proxy": {"url": "http://evil.example"}`), []string{"remote"}},
		"both":              {servers(`{"command": "evil"}`, `{"url": "https://evil.example.com"}`), []string{"local", "remote"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.env["TOKEN"], s.env["OTHER"] = "t", "o"
			s.write(s.project, servers(local, remote))
			s.trust()
			s.write(s.project, test.file)
			c := s.load()
			if diff := cmp.Diff(test.want, c.Untrusted); diff != "" {
				t.Errorf("Untrusted (-want +got):\n%s", diff)
			}
			for name, server := range c.Servers {
				if refused := toolscript.KindOf(server.Problem) == toolscript.Forbidden; refused != slices.Contains(test.want, name) {
					t.Errorf("problem of %s: %v", name, server.Problem)
				}
			}
			if review := s.review(""); review.Trusted != (len(test.want) == 0) || (review.Diff == "") != review.Trusted {
				t.Errorf("review: Trusted %t, diff %q", review.Trusted, review.Diff)
			}
		})
	}
}

// TestEveryFieldOfAServer checks that for every field of the schema it is decided whether trust
// covers the field.
func TestEveryFieldOfAServer(t *testing.T) {
	trusted := map[string]string{
		"type": `"sse"`, "command": `"other"`, "args": `["x"]`, "cwd": `"sub"`, "env": `{"X": "2"}`, "inheritEnv": `["X"]`, "confine": `"project"`,
		"url": `"https://other.example.com"`, "headers": `{"X": "2"}`, "oauth": `{"clientId": "other"}`,
		"root": `"other"`, "tools": `"all"`, "exec": `{"network": true}`, "web": `{"allowHosts": ["10.0.0.0/8"]}`, "agents": `{"turns": 1000}`,
		"shared": "true", "fleet": "true", "commands": `{"a": {"run": ["b"]}}`, "spec": `"other.yaml"`, "baseUrl": `"https://other.example.com"`, "auth": `{"type": "none"}`, "overrides": `{"a": {"annotations": {"readOnlyHint": true}}}`,
		"protocol": `"2026-07-28"`, "stateless": "true", "accounts": `["work", "home"]`,
	}
	free := map[string]string{
		"timeout": `"5s"`, "startupTimeout": `"5s"`, "concurrency": "2", "includeTools": `["a"]`, "excludeTools": `["b"]`,
		"disabled": "false", "rateLimit": `{"calls": 1, "per": "1s"}`, "idle": `"1m"`, "operations": `["a"]`,
	}
	var schema struct {
		Defs struct {
			Server struct {
				Properties map[string]any `json:"properties"`
			} `json:"server"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(config.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	for _, field := range slices.Sorted(maps.Keys(schema.Defs.Server.Properties)) {
		t.Run(field, func(t *testing.T) {
			value, asks := trusted[field]
			if !asks {
				var known bool
				if value, known = free[field]; !known {
					t.Fatal("decide whether a change of this field must be trusted again")
				}
			}
			before := map[string]json.RawMessage{"command": json.RawMessage(`"server"`)}
			if slices.Contains([]string{"type", "url", "headers", "oauth"}, field) {
				before = map[string]json.RawMessage{"url": json.RawMessage(`"https://example.com"`)}
			}
			s := newScene(t)
			s.write(s.project, servers(mustJSON(t, before), remote))
			s.trust()
			before[field] = json.RawMessage(value)
			if field == "fleet" {
				delete(before, "command") // the hubs of the fleet define the server
			}
			s.write(s.project, servers(mustJSON(t, before), remote))
			c := s.load()
			if got := len(c.Untrusted) > 0; got != asks {
				t.Errorf("untrusted %q, want it asked again: %t", c.Untrusted, asks)
			}
		})
	}
}

// TestTrustOfTheSearch: the search settings need trust, because an endpoint receives the names of
// all tools and a key, and a library runs code.
func TestTrustOfTheSearch(t *testing.T) {
	const file = `{"mcpServers": {"local": ` + local + `}, "search": {"limit": 5, "remote": {"url": "https://good.example.com", "model": "m", "key": "${KEY}"}}}`
	s := newScene(t)
	s.env["KEY"], s.env["TOKEN"] = "k", "t"
	s.write(s.project, file)
	wantText(t, s.review("").Diff, `+     "key": "${KEY}"`, `+   "limit": 5`)
	s.trust()
	if got := s.load().Settings.Search; got.Remote.Key != "k" || got.Limit != 5 {
		t.Errorf("trusted: %+v", got)
	}
	s.write(s.project, strings.NewReplacer("good", "evil", `"limit": 5`, `"limit": 6, "library": "./lib"`).Replace(file))
	c := s.load()
	if got := c.Settings.Search; got.Remote != (config.Remote{}) || got.Library != "" || got.Limit != 6 {
		t.Errorf("changed: %+v, want only the limit", got)
	}
	if c.Servers["local"].Problem != nil || len(c.Warnings) != 1 {
		t.Errorf("problem %v, warnings %q", c.Servers["local"].Problem, c.Warnings)
	}
	wantText(t, c.Warnings[0], "search.model, search.library, search.remote", "toolscript trust")
	wantText(t, s.review("").Diff, "-     \"url\": \"https://good.example.com\"\n+     \"url\": \"https://evil.example.com\"")
}

func TestDistrust(t *testing.T) {
	s := newScene(t)
	path := s.write(s.project, servers(local, remote))
	s.env["TOKEN"] = "t"
	s.trust()
	for _, want := range []bool{true, false} {
		file, was, err := config.Distrust(s.options, "")
		if err != nil || file != path || was != want {
			t.Errorf("Distrust = %q, %t, %v; want %q, %t", file, was, err, path, want)
		}
		if got := len(s.load().Untrusted); got != 2 {
			t.Errorf("%d servers are untrusted, want 2", got)
		}
	}
}

// TestTrustedServerThatIsNotConfiguredStaysTrusted: a trusted server that is missing for a while
// stays trusted, because branches of a repository have different servers.
func TestTrustedServerThatIsNotConfiguredStaysTrusted(t *testing.T) {
	s := newScene(t)
	s.env["TOKEN"] = "t"
	s.write(s.project, servers(local, remote))
	s.trust()
	s.write(s.project, `{"mcpServers": {"third": {"command": "third"}}}`)
	s.trust()
	s.write(s.project, servers(local, remote))
	if got := s.load().Untrusted; len(got) > 0 {
		t.Errorf("untrusted: %q", got)
	}
}

func TestNamedFilesMustExist(t *testing.T) {
	s := newScene(t)
	s.options.Config = "missing.json"
	_, err := config.Load(s.options)
	if toolscript.KindOf(err) != toolscript.NotFound {
		t.Fatalf("Load = %v, want kind not_found", err)
	}
	wantText(t, err.Error(), s.project, "missing.json", "--config")
}
