package clients_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/cmd/clients"
)

// replaced connects a client and disables the servers in it that toolscript also has.
func replaced(s *scene, name string) (names []string) {
	s.Helper()
	c := s.find(name)
	change, err := s.connect(name, false)
	if err != nil {
		s.Fatal(err)
	}
	doubled, err := c.Doubled(s.places, s.targets)
	if err != nil {
		s.Fatal(err)
	}
	for _, d := range doubled {
		names = append(names, d.Name)
	}
	changes, err := c.Disable([]*clients.Change{change}, doubled)
	if err != nil {
		s.Fatal(err)
	}
	s.apply("connect", changes)
	return names
}

// For each client, connect disables the servers that toolscript also has, as that client expects, and
// an undo restores them, even if the client has changed its file since.
func TestReplace(t *testing.T) {
	const ours = `{"mcpServers": {"a": {"command": "x", "env": {"T": "${A_TOKEN}"}}, "c": {"command": "other"}, "off": {"command": "off", "disabled": true}}}`
	const servers = `"a": {"command": "x", "env": {"T": "ghp_0123456789abcdefghijklmnopqrstuvwxyz"}}, "b": {"command": "y"}, "c": {"command": "z"}, "off": {"command": "off"}`
	list := strings.NewReplacer(`"command": "x"`, `"command": ["x"]`, `"env"`, `"environment"`, `"command": "y"`, `"command": ["y"]`, `"command": "z"`, `"command": ["z"]`, `"command": "off"`, `"command": ["off"]`)
	for _, tt := range []struct{ client, path, before, want string }{
		{"claude-code", "$HOME/.claude.json", `{"mcpServers": {` + servers + `}}`, `!"a":`},
		{"cursor", "$HOME/.cursor/mcp.json", `{"mcpServers": {` + servers + `}}`, `!"a":`},
		{"cline", "$HOME/.cline/data/settings/cline_mcp_settings.json", `{"mcpServers": {` + servers + `}}`, `"disabled": true`},
		{"amp", "$HOME/.config/amp/settings.json", `{"amp.mcpServers": {` + servers + `}}`, `"disabled": true`},
		{"zed", "$HOME/.config/zed/settings.json", `{"context_servers": {` + strings.Replace(servers, `"command": "x"`, `"enabled": true, "command": "x"`, 1) + `}}`, `"enabled": false`},
		{"opencode", "$HOME/.config/opencode/opencode.json", `{"mcp": {` + list.Replace(servers) + `}}`, `"enabled": false`},
		{"kilo", "$HOME/.config/kilo/kilo.jsonc", `{"mcp": {` + list.Replace(servers) + `}} // mine`, `"enabled": false`},
		{"gemini", "$HOME/.gemini/settings.json", `{"mcp": {}, "mcpServers": {` + servers + `}}`, `"excluded": ["a"]`},
		{"qwen", "$HOME/.qwen/settings.json", `{"mcp": {"excluded": ["x"]}, "mcpServers": {` + servers + `}}`, `"excluded": ["x", "a"]`},
	} {
		t.Run(tt.client, func(t *testing.T) {
			s := newScene(t)
			s.write("$HOME/.toolscript.json", ours)
			s.write(tt.path, tt.before)
			if got := fmt.Sprint(replaced(s, tt.client)); got != "[a]" {
				t.Errorf("twice: %s", got)
			}
			want, gone := strings.CutPrefix(tt.want, "!")
			if got := s.read(tt.path); strings.Contains(got, want) == gone || !strings.Contains(got, `"toolscript"`) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if got := replacedAgain(s, tt.client); len(got) > 0 {
				t.Errorf("the second time: %+v", got)
			}
			s.write(tt.path, strings.Replace(s.read(tt.path), `"y"`, `"y2"`, 1))
			if _, err := s.backups.Undo("connect"); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(plainJSON(t, strings.Replace(tt.before, `"y"`, `"y2"`, 1)), plainJSON(t, s.read(tt.path))); diff != "" {
				t.Errorf("undo: -want +got:\n%s", diff)
			}
		})
	}
}

func replacedAgain(s *scene, client string) []clients.Doubled {
	s.Helper()
	doubled, err := s.find(client).Doubled(s.places, s.targets)
	if err != nil {
		s.Fatal(err)
	}
	return doubled
}

// plainJSON returns a text without blanks, comments, and the commas that a removed member leaves.
func plainJSON(t *testing.T, text string) string {
	t.Helper()
	text = strings.Join(strings.Fields(text), "")
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(`{}[],`, r) })
	seen := map[string]int{}
	for _, part := range parts {
		seen[part]++
	}
	return fmt.Sprint(seen)
}

// Copilot CLI has its switches in another file.
func TestReplaceInAnotherFile(t *testing.T) {
	const path, switches = "$HOME/.copilot/mcp-config.json", "$HOME/.copilot/settings.json"
	s := newScene(t)
	s.write("$HOME/.toolscript.json", `{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}`)
	s.write(path, `{"mcpServers": {"a": {"type": "local", "command": "x", "tools": ["*"]}, "b": {"command": "y"}}}`)
	s.write(switches, `{"model": "m", "disabledMcpServers": ["b"]}`)
	if got := fmt.Sprint(replaced(s, "copilot")); got != "[a]" {
		t.Errorf("twice: %s", got)
	}
	if got := s.read(switches); got != `{"model": "m", "disabledMcpServers": ["b", "a"]}` {
		t.Errorf("got %s", got)
	}
	if got := replacedAgain(s, "copilot"); len(got) > 0 {
		t.Errorf("the second time: %+v", got)
	}
	s.write(switches, `{"model": "n", "disabledMcpServers": ["b", "a"]}`)
	if _, err := s.backups.Undo("connect"); err != nil || s.read(switches) != `{"model": "n", "disabledMcpServers": ["b"]}` || strings.Contains(s.read(path), "toolscript") {
		t.Errorf("undo: %v, %s, %s", err, s.read(switches), s.read(path))
	}
}

// In TOML and YAML, disabling a server changes only one line.
func TestReplaceInALine(t *testing.T) {
	for _, tt := range []struct{ name, client, path, before, after string }{
		{
			"TOML", "codex", "$HOME/.codex/config.toml", "a = 1\n\n[mcp_servers.a] # mine\ncommand = \"x\"\n\n[mcp_servers.a.env]\nT = \"1\"\n",
			"a = 1\n\n[mcp_servers.a] # mine\nenabled = false\ncommand = \"x\"\n\n[mcp_servers.a.env]\nT = \"1\"\n\n[mcp_servers.toolscript]\ncommand = \"/opt/tool script/toolscript\"\nargs = [\"mcp\"]\n",
		},
		{
			"enabled TOML", "codex", "$HOME/.codex/config.toml", "[mcp_servers.a]\ncommand = \"x\"\nenabled = true # yes\nenv = {T = \"1\"}\n",
			"[mcp_servers.a]\ncommand = \"x\"\nenabled = false # yes\nenv = {T = \"1\"}\n\n[mcp_servers.toolscript]\ncommand = \"/opt/tool script/toolscript\"\nargs = [\"mcp\"]\n",
		},
		{
			"YAML", "goose", "$HOME/.config/goose/config.yaml", "extensions:\n  a:\n    type: stdio # mine\n    enabled: true\n    cmd: x\n    envs: {T: \"1\"}\n",
			"extensions:\n  toolscript:\n    type: \"stdio\"\n    name: \"toolscript\"\n    enabled: true\n    cmd: \"/opt/tool script/toolscript\"\n    args: [\"mcp\"]\n    timeout: 300\n" +
				"  a:\n    type: stdio # mine\n    enabled: false\n    cmd: x\n    envs: {T: \"1\"}\n",
		},
		{
			"YAML without the field", "goose", "$HOME/.config/goose/config.yaml", "extensions:\n  a:\n    type: stdio\n    cmd: x\n    envs: {T: \"1\"}\n",
			"extensions:\n  toolscript:\n    type: \"stdio\"\n    name: \"toolscript\"\n    enabled: true\n    cmd: \"/opt/tool script/toolscript\"\n    args: [\"mcp\"]\n    timeout: 300\n" +
				"  a:\n    enabled: false\n    type: stdio\n    cmd: x\n    envs: {T: \"1\"}\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			s.write("$HOME/.toolscript.json", `{"mcpServers": {"a": {"command": "x", "env": {"T": "1"}}}}`)
			s.write(tt.path, tt.before)
			replaced(s, tt.client)
			if diff := cmp.Diff(tt.after, s.read(tt.path)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if _, err := s.backups.Undo("connect"); err != nil || s.read(tt.path) != tt.before {
				t.Errorf("undo: %v, %s", err, s.read(tt.path))
			}
		})
	}
}

// With a secret store, tokens become secrets where a server may refer to one. A second import has
// no notes, whatever the names of the variables and of the secrets are.
func TestImportOfSecrets(t *testing.T) {
	s := newScene(t)
	const token, other = "ghp_0123456789abcdefghijklmnopqrstuvwxyz", "ghp_zyxwvutsrqponmlkjihgfedcba9876543210"
	s.write("$HOME/.cursor/mcp.json", `{"mcpServers": {
		"a": {"command": "x", "args": ["--token", "`+other+`"], "env": {"GITHUB_TOKEN": "`+token+`", "PASSWORD": "short"}},
		"b": {"url": "https://b.example.com/mcp?key=`+other+`", "headers": {"Authorization": "Bearer `+token+`"}},
		"off": {"command": "off", "disabled": true}}}`)
	taken := map[string]bool{"GITHUB_TOKEN": true}
	options := clients.Options{Store: func(name string) bool { return taken[name] }}
	plan, err := clients.Plan(s.places, s.targets, options)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, kept := range plan.Secrets {
		got = append(got, kept.Name+" for "+kept.Server+" "+kept.Value[:8])
		taken[kept.Name] = true
	}
	want := []string{"A_GITHUB_TOKEN for a ghp_0123", "B_KEY for b ghp_zyxw", "B_TOKEN for b ghp_0123"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(plan.Variables) != 2 || plan.Variables[0].Name != "A_TOKEN" || plan.Variables[1].Name != "PASSWORD" {
		t.Errorf("variables %+v, want those of an argument and of a short value", plan.Variables)
	}
	s.apply("import", plan.Changes)
	if file := s.read("$HOME/.toolscript.json"); strings.Contains(file, "ghp_") || !strings.Contains(file, `"Bearer ${secret:B_TOKEN}"`) || !strings.Contains(file, "?key=${secret:B_KEY}") {
		t.Errorf("the file is %s", file)
	}
	for name, o := range map[string]clients.Options{"secrets": options, "variables": {}} {
		again, err := clients.Plan(s.places, s.targets, o)
		if err != nil || len(again.Changes) > 0 || len(again.Told()) > 0 || len(again.Notes) > 0 || len(again.Secrets) > 0 || len(again.Variables) > 0 || again.Keepable {
			t.Errorf("a second import with %s: %v, %+v", name, err, again)
		}
		if len(again.Left) != 3 {
			t.Errorf("left out %+v", again.Left)
		}
	}
	s.env["GITHUB_TOKEN"] = "of another account"
	if again, err := clients.Plan(s.places, s.targets, clients.Options{}); err != nil || len(again.Told()) > 0 {
		t.Errorf("with another environment: %v, %+v", err, again.Told())
	}
}
