package clients_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/cmd/clients"
)

var entry = clients.Entry{Command: "/opt/tool script/toolscript", Args: []string{"mcp"}}

// connect returns the change that registers toolscript in a client.
func (s *scene) connect(client string, project bool) (*clients.Change, error) {
	s.Helper()
	return clients.Connect(s.find(client), s.places, project, entry)
}

// connected registers toolscript in a client.
func (s *scene) connected(client string, project bool) *clients.Change {
	s.Helper()
	change, err := s.connect(client, project)
	if err != nil {
		s.Fatal(err)
	}
	s.apply("connect", []*clients.Change{change})
	return change
}

func TestConnect(t *testing.T) {
	for _, tt := range []struct {
		name, client, path, before, after string
		project                           bool
	}{
		{
			name: "new file", client: "claude-desktop", path: "$HOME/.config/Claude/claude_desktop_config.json",
			after: "{\n  \"mcpServers\": {\n    \"toolscript\": {\n      \"command\": \"/opt/tool script/toolscript\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
		},
		{
			name: "comments", client: "vscode", path: "$HOME/.config/Code/User/mcp.json",
			before: "// mine\n{\n\t\"servers\": {\n\t\t// the first\n\t\t\"a\": {\"command\": \"x\"} /* one */, // last\n\t\t// and no more\n\t},\n\t\"inputs\": [],\n}\n",
			after: "// mine\n{\n\t\"servers\": {\n\t\t// the first\n\t\t\"a\": {\"command\": \"x\"} /* one */, // last\n\t\t\"toolscript\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"/opt/tool script/toolscript\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t},\n" +
				"\t\t// and no more\n\t},\n\t\"inputs\": [],\n}\n",
		},
		{
			name: "comma behind a comment", client: "vscode", project: true, path: "$PROJECT/.vscode/mcp.json",
			before: "{\n  \"servers\": {\n    \"a\": {\"command\": \"x\"} // one\n  }\n}",
			after:  "{\n  \"servers\": {\n    \"a\": {\"command\": \"x\"}, // one\n    \"toolscript\": {\n      \"type\": \"stdio\",\n      \"command\": \"/opt/tool script/toolscript\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}",
		},
		{
			name: "one line", client: "cursor", path: "$HOME/.cursor/mcp.json",
			before: `{"mcpServers": {"a": {"command": "x"}}, "z": 1}`,
			after:  "{\"mcpServers\": {\"a\": {\"command\": \"x\"}, \"toolscript\": {\n  \"command\": \"/opt/tool script/toolscript\",\n  \"args\": [\"mcp\"]\n}}, \"z\": 1}",
		},
		{
			name: "no servers yet", client: "gemini", path: "$HOME/.gemini/settings.json",
			before: "{\n    \"theme\": \"Dracula\"\n}\n",
			after:  "{\n    \"theme\": \"Dracula\",\n    \"mcpServers\": {\n        \"toolscript\": {\n            \"command\": \"/opt/tool script/toolscript\",\n            \"args\": [\"mcp\"]\n        }\n    }\n}\n",
		},
		{
			name: "comment alone in an object", client: "cursor", path: "$HOME/.cursor/mcp.json",
			before: "{\n  \"mcpServers\": {\n    // none\n  }\n}\n",
			after:  "{\n  \"mcpServers\": {\n    // none\n    \"toolscript\": {\n      \"command\": \"/opt/tool script/toolscript\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
		},
		{
			name: "another path of ours", client: "claude-code", path: "$HOME/.claude.json",
			before: `{"mcpServers": {"toolscript": {"type": "stdio", "command": "/old/toolscript", "args": ["mcp"]}, "b": {"command": "y"}}}`,
			after:  "{\"mcpServers\": {\"toolscript\": {\n  \"type\": \"stdio\",\n  \"command\": \"/opt/tool script/toolscript\",\n  \"args\": [\"mcp\"]\n}, \"b\": {\"command\": \"y\"}}}",
		},
		{
			name: "TOML", client: "codex", path: "$HOME/.codex/config.toml",
			before: "model = \"gpt-5\" # mine\n\n[mcp_servers.a]\ncommand = \"x\"",
			after:  "model = \"gpt-5\" # mine\n\n[mcp_servers.a]\ncommand = \"x\"\n\n[mcp_servers.toolscript]\ncommand = \"/opt/tool script/toolscript\"\nargs = [\"mcp\"]\n",
		},
		{
			name: "TOML with a byte order mark", client: "codex", path: "$HOME/.codex/config.toml",
			before: "\ufeffmodel = \"gpt-5\"\n",
			after:  "\ufeffmodel = \"gpt-5\"\n\n[mcp_servers.toolscript]\ncommand = \"/opt/tool script/toolscript\"\nargs = [\"mcp\"]\n",
		},
		{
			name: "TOML with another path of ours", client: "codex", path: "$HOME/.codex/config.toml",
			before: "[mcp_servers.\"toolscript\"] # ours\ncommand = \"toolscript\"\nargs = [\"mcp\"]\n\n[profiles.a]\nx = 1\n",
			after:  "[mcp_servers.toolscript]\ncommand = \"/opt/tool script/toolscript\"\nargs = [\"mcp\"]\n\n[profiles.a]\nx = 1\n",
		},
		{
			name: "a list with comments", client: "opencode", path: "$HOME/.config/opencode/opencode.jsonc",
			before: "{\n  // mine\n  \"mcp\": {\n    \"a\": {\"type\": \"local\", \"command\": [\"x\"]}, // one\n  },\n}\n",
			after:  "{\n  // mine\n  \"mcp\": {\n    \"a\": {\"type\": \"local\", \"command\": [\"x\"]}, // one\n    \"toolscript\": {\n      \"type\": \"local\",\n      \"command\": [\"/opt/tool script/toolscript\", \"mcp\"],\n      \"enabled\": true\n    },\n  },\n}\n",
		},
		{
			name: "a list of ours with another path", client: "kilo", project: true, path: "$PROJECT/.kilo/kilo.json",
			before: `{"mcp": {"toolscript": {"type": "local", "command": ["toolscript", "mcp"], "enabled": true}}}`,
			after:  "{\"mcp\": {\"toolscript\": {\n  \"type\": \"local\",\n  \"command\": [\"/opt/tool script/toolscript\", \"mcp\"],\n  \"enabled\": true\n}}}",
		},
		{
			name: "Qwen Code", client: "qwen", path: "$HOME/.qwen/settings.json",
			after: "{\n  \"mcpServers\": {\n    \"toolscript\": {\n      \"command\": \"/opt/tool script/toolscript\",\n      \"args\": [\"mcp\"],\n      \"alwaysLoadTools\": true\n    }\n  }\n}\n",
		},
		{
			name: "Copilot CLI", client: "copilot", project: true, path: "$PROJECT/.github/mcp.json",
			after: "{\n  \"mcpServers\": {\n    \"toolscript\": {\n      \"type\": \"local\",\n      \"command\": \"/opt/tool script/toolscript\",\n      \"args\": [\"mcp\"],\n      \"tools\": [\"*\"]\n    }\n  }\n}\n",
		},
		{
			name: "Cline", client: "cline", path: "$HOME/.cline/data/settings/cline_mcp_settings.json",
			before: "{\n  \"mcpServers\": {}\n}\n",
			after:  "{\n  \"mcpServers\": {\n    \"toolscript\": {\n      \"command\": \"/opt/tool script/toolscript\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
		},
		{
			name: "a key with a dot", client: "amp", path: "$HOME/.config/amp/settings.json",
			before: "{\n  \"amp.showCosts\": true\n}\n",
			after:  "{\n  \"amp.showCosts\": true,\n  \"amp.mcpServers\": {\n    \"toolscript\": {\n      \"command\": \"/opt/tool script/toolscript\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
		},
		{
			name: "Zed", client: "zed", path: "$HOME/.config/zed/settings.json",
			before: "// Zed\n{\n  \"theme\": \"One Dark\",\n}\n",
			after:  "// Zed\n{\n  \"theme\": \"One Dark\",\n  \"context_servers\": {\n    \"toolscript\": {\n      \"command\": \"/opt/tool script/toolscript\",\n      \"args\": [\"mcp\"]\n    }\n  },\n}\n",
		},
		{
			name: "YAML", client: "goose", path: "$HOME/.config/goose/config.yaml",
			before: "# mine\nextensions: # all\n    developer:\n        type: builtin # one\n        enabled: true\nGOOSE_MODE: auto\n",
			after: "# mine\nextensions: # all\n    toolscript:\n      type: \"stdio\"\n      name: \"toolscript\"\n      enabled: true\n      cmd: \"/opt/tool script/toolscript\"\n      args: [\"mcp\"]\n      timeout: 300\n" +
				"    developer:\n        type: builtin # one\n        enabled: true\nGOOSE_MODE: auto\n",
		},
		{
			name: "YAML with another path of ours", client: "goose", path: "$HOME/.config/goose/config.yaml",
			before: "extensions:\n  a: {type: builtin}\n  toolscript:\n    type: stdio\n    cmd: toolscript\n    args:\n      - mcp\n\n  # the last\n  z: {type: builtin}\n",
			after:  "extensions:\n  a: {type: builtin}\n  toolscript:\n    type: \"stdio\"\n    name: \"toolscript\"\n    enabled: true\n    cmd: \"/opt/tool script/toolscript\"\n    args: [\"mcp\"]\n    timeout: 300\n\n  # the last\n  z: {type: builtin}\n",
		},
		{
			name: "YAML without servers", client: "goose", path: "$HOME/.config/goose/config.yaml",
			before: "GOOSE_MODE: auto\r\nextensions: {}\r\n",
			after:  "GOOSE_MODE: auto\r\nextensions:\r\n  toolscript:\r\n    type: \"stdio\"\r\n    name: \"toolscript\"\r\n    enabled: true\r\n    cmd: \"/opt/tool script/toolscript\"\r\n    args: [\"mcp\"]\r\n    timeout: 300\r\n",
		},
		{
			name: "a new file of YAML", client: "goose", path: "$HOME/.config/goose/config.yaml",
			after: "extensions:\n  toolscript:\n    type: \"stdio\"\n    name: \"toolscript\"\n    enabled: true\n    cmd: \"/opt/tool script/toolscript\"\n    args: [\"mcp\"]\n    timeout: 300\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			if tt.before != "" {
				s.write(tt.path, tt.before)
			}
			s.connected(tt.client, tt.project)
			if diff := cmp.Diff(tt.after, s.read(tt.path)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if again, err := s.connect(tt.client, tt.project); again != nil || err != nil {
				t.Errorf("a second time: %v, %v, want nothing to do", again, err)
			}
			if _, err := s.backups.Undo("connect"); err != nil {
				t.Fatal(err)
			}
			if tt.before == "" {
				if _, err := os.Stat(s.path(tt.path)); err == nil {
					t.Error("the new file is still there")
				}
			} else if diff := cmp.Diff(tt.before, s.read(tt.path)); diff != "" {
				t.Errorf("undo: -want +got:\n%s", diff)
			}
		})
	}
}

// TestConnectPassesVariables: connect tells Codex to pass the variables that toolscript needs, in
// addition to those that Codex always passes and those that the user has added.
func TestConnectPassesVariables(t *testing.T) {
	const path = "$HOME/.codex/config.toml"
	s := newScene(t)
	connect := func(client string) {
		t.Helper()
		needed := clients.Entry{Command: "/bin/toolscript", Args: []string{"mcp"}, Variables: []string{"GITHUB_TOKEN", "HOME", "KUBECONFIG"}}
		change, err := clients.Connect(s.find(client), s.places, false, needed)
		if err != nil {
			t.Fatal(err)
		}
		s.apply("connect", []*clients.Change{change})
		if again, err := clients.Connect(s.find(client), s.places, false, needed); again != nil || err != nil {
			t.Errorf("%s, a second time: %v, %v, want nothing to do", client, again, err)
		}
	}
	connect("codex")
	want := "[mcp_servers.toolscript]\ncommand = \"/bin/toolscript\"\nargs = [\"mcp\"]\nenv_vars = [\"GITHUB_TOKEN\",\"KUBECONFIG\"]\n"
	if diff := cmp.Diff(want, s.read(path)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	s.write(path, strings.Replace(want, `"KUBECONFIG"`, `"MINE"`, 1))
	connect("codex")
	if got := s.read(path); !strings.Contains(got, `env_vars = ["GITHUB_TOKEN","KUBECONFIG","MINE"]`) {
		t.Errorf("with a variable of the user: %s", got)
	}
	connect("cursor")
	if got := s.read("$HOME/.cursor/mcp.json"); strings.Contains(got, "GITHUB_TOKEN") {
		t.Errorf("Cursor has no such field: %s", got)
	}
}

// TestPass: the advice names the setting by which the client passes variables.
func TestPass(t *testing.T) {
	for program, want := range map[string]string{
		"codex":                     "Codex passes only the variables in env_vars of toolscript on: set A, B in the shell that starts Codex, and run: toolscript connect codex",
		"@openai/codex":             "toolscript connect codex",
		"@anthropic-ai/claude-code": `Claude Code, which started toolscript, does not pass A, B on: set it in the shell that starts Claude Code, or add "env": {"A": "${A}", "B": "${B}"} to toolscript`,
		"@kilocode/cli":             `"environment": {"A": "{env:A}", "B": "{env:B}"}`,
		"cursor-agent":              `"env": {"A": "${env:A}", "B": "${env:B}"}`,
		"another":                   "the client that started toolscript does not pass A, B on",
	} {
		if got := clients.OfProgram(program).Pass([]string{"A", "B"}); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", program, got, want)
		}
	}
}

// An undo removes only the entry of toolscript, even if the client has changed its file after toolscript did.
func TestUndoKeepsLaterChanges(t *testing.T) {
	for _, tt := range []struct{ name, client, path, before, old, later, want string }{
		{"last member", "vscode", "$HOME/.config/Code/User/mcp.json", "{\n  \"servers\": {\n    \"a\": {\"command\": \"x\"} // one\n  }\n}\n", `"x"`, `"y"`,
			"{\n  \"servers\": {\n    \"a\": {\"command\": \"y\"} // one\n  }\n}\n"},
		{"comma behind", "vscode", "$HOME/.config/Code/User/mcp.json", "{\n  \"servers\": {\n    \"a\": {\"command\": \"x\"}, // one\n  }\n}\n", `"x"`, `"y"`,
			"{\n  \"servers\": {\n    \"a\": {\"command\": \"y\"}, // one\n  }\n}\n"},
		{"first member", "cursor", "$HOME/.cursor/mcp.json", `{"mcpServers": {}}`, `["mcp"]`, `[ "mcp" ]`, `{"mcpServers": {}}`},
		{"one line", "cursor", "$HOME/.cursor/mcp.json", `{"mcpServers": {"a": {"command": "x"}}}`, `"x"`, `"y"`, `{"mcpServers": {"a": {"command": "y"}}}`},
		{"TOML", "codex", "$HOME/.codex/config.toml", "a = 1\n", "a = 1", "a = 2", "a = 2\n"},
		{"YAML", "goose", "$HOME/.config/goose/config.yaml", "extensions:\n  a: {type: builtin}\nb: 1\n", "b: 1", "b: 2", "extensions:\n  a: {type: builtin}\nb: 2\n"},
		{"the only server of YAML", "goose", "$HOME/.config/goose/config.yaml", "b: 1\n", "b: 1", "b: 2", "b: 2\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			s.write(tt.path, tt.before)
			s.connected(tt.client, false)
			s.write(tt.path, strings.Replace(s.read(tt.path), tt.old, tt.later, 1))
			if _, err := s.backups.Undo("connect"); err != nil {
				t.Fatal(err)
			}
			got := strings.Join(strings.Fields(s.read(tt.path)), " ")
			if want := strings.Join(strings.Fields(tt.want), " "); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestUndoOfAChangedEntryIsRefused(t *testing.T) {
	s := newScene(t)
	s.write("$HOME/.cursor/mcp.json", "{}")
	s.connected("cursor", false)
	s.write("$HOME/.cursor/mcp.json", `{"mcpServers": {"toolscript": {"command": "mine"}}}`)
	_, err := s.backups.Undo("connect")
	if err == nil || !strings.Contains(err.Error(), "has changed since") || !strings.Contains(err.Error(), s.backups.Folder) {
		t.Errorf("got %v, want an error that names the backup", err)
	}
}

func TestConnectRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, client, path, text, want string
		project                        bool
	}{
		{"a server of that name", "cursor", "$HOME/.cursor/mcp.json", `{"mcpServers": {"toolscript": {"command": "other"}}}`, "another server", false},
		{"no object", "cursor", "$HOME/.cursor/mcp.json", `{"mcpServers": []}`, "mcpServers is not an object", false},
		{"a list", "cursor", "$HOME/.cursor/mcp.json", `[]`, "the top is not an object", false},
		{"no JSON", "cursor", "$HOME/.cursor/mcp.json", "{\n  x\n}", "line 2, column 3", false},
		{"no TOML", "codex", "$HOME/.codex/config.toml", "a = 1\nb = \n", "line 2", false},
		{"a YAML object on one line", "goose", "$HOME/.config/goose/config.yaml", "extensions: {a: {type: builtin}}\n", "add this by hand", false},
		{"no YAML", "goose", "$HOME/.config/goose/config.yaml", "a: [\n", "this is not YAML", false},
		{"another server in a list", "opencode", "$HOME/.config/opencode/opencode.json", `{"mcp": {"toolscript": {"type": "local", "command": ["other", "mcp"]}}}`, "another server", false},
		{"an inline table", "codex", "$HOME/.codex/config.toml", "mcp_servers = { a = { command = \"x\" } }\n", "add this by hand", false},
		{"a client without projects", "claude-desktop", "$HOME/x", "", "no file for one project", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			s.write(tt.path, tt.text)
			if _, err := s.connect(tt.client, tt.project); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// A changed file keeps its mode. A new file of the user is readable by the user only.
func TestModes(t *testing.T) {
	s := newScene(t)
	s.write("$HOME/.cursor/mcp.json", "{}")
	if err := os.Chmod(s.path("$HOME/.cursor/mcp.json"), 0o640); err != nil {
		t.Fatal(err)
	}
	for client, want := range map[string]os.FileMode{"cursor": 0o640, "gemini": 0o600} {
		change := s.connected(client, false)
		info, err := os.Stat(change.File.Path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", client, info.Mode(), err, want)
		}
		left, err := filepath.Glob(filepath.Join(filepath.Dir(change.File.Path), ".*toolscript-*"))
		if err != nil || len(left) > 0 {
			t.Errorf("%s: temporary files are left: %v, %v", client, left, err)
		}
	}
}

// If a file has changed since it was read, no file is written.
func TestApplyIsAllOrNothing(t *testing.T) {
	s := newScene(t)
	s.write("$HOME/.cursor/mcp.json", "{}")
	s.write("$HOME/.gemini/settings.json", "{}")
	first, err := s.connect("cursor", false)
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.connect("gemini", false)
	if err != nil {
		t.Fatal(err)
	}
	s.write("$HOME/.gemini/settings.json", "{ }")
	if _, err := s.backups.Apply("connect", []*clients.Change{first, second}); err == nil || !strings.Contains(err.Error(), "has changed in the meantime") {
		t.Errorf("got %v, want an error", err)
	}
	if got := s.read("$HOME/.cursor/mcp.json"); got != "{}" {
		t.Errorf("the first file was written: %s", got)
	}
}

// Each undo reverts one change, beginning with the latest.
func TestUndoStep(t *testing.T) {
	s := newScene(t)
	if _, err := s.backups.Undo("import"); err == nil || !strings.Contains(err.Error(), "nothing to undo") {
		t.Errorf("got %v, want nothing to undo", err)
	}
	var texts []string
	for _, name := range []string{"a", "b"} {
		s.write("$HOME/.cursor/mcp.json", `{"mcpServers": {"`+name+`": {"command": "`+name+`"}}}`)
		s.apply("import", s.plan("").Changes)
		texts = append(texts, s.read("$HOME/.toolscript.json"))
	}
	if _, err := s.backups.Undo("import"); err != nil || s.read("$HOME/.toolscript.json") != texts[0] {
		t.Errorf("first undo: %v", err)
	}
	if _, err := s.backups.Undo("import"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.path("$HOME/.toolscript.json")); err == nil {
		t.Error("the file is there that the first import made")
	}
}

// The preview of a YAML file keeps the indentation, because it has a meaning in YAML.
func TestPreviewOfYAMLKeepsIndentation(t *testing.T) {
	s := newScene(t)
	s.write("$HOME/.config/goose/config.yaml", "extensions:\n    developer:\n        type: builtin\n")
	change, err := s.connect("goose", false)
	if err != nil {
		t.Fatal(err)
	}
	if diff := change.Diff(); !strings.Contains(diff, "+     toolscript:\n+       type: \"stdio\"\n") {
		t.Errorf("the preview is\n%s", diff)
	}
}
