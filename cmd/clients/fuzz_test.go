package clients_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolscript/toolscript/cmd/clients"
)

// FuzzConnect edits any text as a file of VS Code. All its bytes except white space
// stay in their order, and an undo restores the text.
func FuzzConnect(f *testing.F) {
	for _, text := range []string{
		"", "{}", "// a\n", "{\"servers\": {}, // b\n}", "{\"servers\": {\"a\": {\"command\": \"x\"} /* , */ , }}", "\ufeff{\r\n\t\"a\": [1,],\r\n}",
		`{"servers": {"a": {}, "a": null}}`, "{\"servers\": { // x\n}}", "{\"a\":1\n// c\n,}", `{"servers": {"toolscript": {"command": "toolscript", "args": ["mcp"]}}}`, "{,}", "[[[", `{"\ud800": "//"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := newScene(t)
		s.write("$HOME/.config/Code/User/mcp.json", string(text))
		change, err := s.connect("vscode", false)
		if err != nil || change == nil {
			return
		}
		_ = change.Diff()
		s.apply("connect", []*clients.Change{change})
		got := s.read("$HOME/.config/Code/User/mcp.json")
		if !strings.Contains(string(text), `toolscript`) && utf8.Valid(text) && !isSubsequence(string(text), got) {
			t.Errorf("of %q something is missing in %q", text, got)
		}
		if again, err := s.connect("vscode", false); again != nil || err != nil {
			t.Errorf("%q is not read as it was written: %v", got, err)
		}
		s.write("$HOME/.config/Code/User/mcp.json", got+"\n")
		if _, err := s.backups.Undo("connect"); err != nil && !strings.Contains(err.Error(), "had another value before") {
			t.Errorf("undo of %q: %v", got, err)
		}
	})
}

// isSubsequence reports whether the characters of text, except white space, occur in of in the same order.
func isSubsequence(text, of string) bool {
	for _, r := range text {
		if strings.ContainsRune(" \t\r\n", r) {
			continue
		}
		at := strings.IndexRune(of, r)
		if at < 0 {
			return false
		}
		of = of[at+utf8.RuneLen(r):]
	}
	return true
}

// FuzzConnectTOML is like FuzzConnect, for a file of Codex.
func FuzzConnectTOML(f *testing.F) {
	for _, text := range []string{
		"", "a = 1", "[mcp_servers.toolscript]\ncommand = \"toolscript\"\nargs = [\"mcp\"]\n[b]\n", "mcp_servers = {}", "a = \"\"\"\n[mcp_servers.toolscript]\n\"\"\"\n",
		"[[a]]\nb = 1979-05-27\n[a.c]\n", "a = nan", "[mcp_servers]\ntoolscript.command = \"toolscript\"\ntoolscript.args = [\"mcp\"]\n", "\r\n[x]\r\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := newScene(t)
		s.write("$HOME/.codex/config.toml", string(text))
		change, err := s.connect("codex", false)
		if err != nil || change == nil {
			return
		}
		_ = change.Diff()
		s.apply("connect", []*clients.Change{change})
		got := s.read("$HOME/.codex/config.toml")
		if !strings.Contains(string(text), "mcp_servers") && !strings.HasPrefix(got, string(text)) {
			t.Errorf("%q has become %q", text, got)
		}
		if again, err := s.connect("codex", false); again != nil || err != nil {
			t.Errorf("%q is not read as it was written: %v", got, err)
		}
	})
}

// FuzzConnectYAML is like FuzzConnect, for a file of Goose, and also disables the servers in it.
func FuzzConnectYAML(f *testing.F) {
	for _, text := range []string{
		"", "a: 1", "extensions:\n  toolscript:\n    type: stdio\n    cmd: toolscript\n    args: [mcp]\nb: 2\n", "extensions: {}", "extensions:\n", "- a\n", "extensions: {a: {type: stdio}}",
		"a: |\n  extensions:\n    toolscript: x\nextensions:\n- b\n", "extensions:\n  a: &x\n    type: stdio\n    cmd: y\n  # two\n  b: *x\n", "\ufeff# c\r\nextensions:\r\n    a:\r\n        type: stdio\r\n        cmd: y",
		"extensions:\n  ? a\n  : type: stdio\n    cmd: y\n", "--- # x\nextensions:\n  a: !!map {type: stdio, cmd: y}\n...\n", "extensions:\n  a:\n    type: stdio\n    cmd: y\n    enabled:\n      true\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		const path = "$HOME/.config/goose/config.yaml"
		s := newScene(t)
		s.write("$HOME/.toolscript.json", `{"mcpServers": {"a": {"command": "y"}, "b": {"command": "y"}}}`)
		s.write(path, string(text))
		change, err := s.connect("goose", false)
		if err != nil || change == nil {
			return
		}
		goose := s.find("goose")
		doubled, err := goose.Doubled(s.places, s.targets)
		if err != nil {
			return
		}
		changes, err := goose.Disable([]*clients.Change{change}, doubled)
		if err != nil {
			return
		}
		_ = change.Diff()
		s.apply("connect", changes)
		if again, err := s.connect("goose", false); again != nil || err != nil {
			t.Errorf("%q is not read as it was written: %v", s.read(path), err)
		}
		if again, err := goose.Doubled(s.places, s.targets); len(again) > 0 || err != nil {
			t.Errorf("%q: %+v are not off: %v", s.read(path), again, err)
		}
		if _, err := s.backups.Undo("connect"); err != nil || s.read(path) != string(text) {
			t.Errorf("undo of %q: %q, %v", text, s.read(path), err)
		}
	})
}

// FuzzImport imports any text as the file of each client. toolscript must be able to
// read the result.
func FuzzImport(f *testing.F) {
	for _, text := range []string{
		`{"mcpServers": {"a": {"command": "x", "args": ["--token", "abc", 1, null], "env": {"A": 1, "B": "${env:C}"}}}}`,
		`{"mcpServers": {"a": {"serverUrl": "https://u:p@h/${file:x}?key=1#", "headers": {"Authorization": "Bearer ${input:a b}"}, "oauth": {"scopes": ["a"]}}}}`,
		`{"mcpServers": {"": 1, "a": null, "b": {}, "c": {"type": 7}}}`, `{"mcpServers": {"a": {"url": "$X://", "httpUrl": "$Y", "auth": {"scopes": 1}}}}`,
		`[mcp_servers.a]` + "\nurl = \"https://h\"\nenv_vars = [\"A\", {name = \"B\"}]\ntool_timeout_sec = 1.5\n", `{"mcpServers": {"a": {"command": "${A:-${B}}", "env": 3}}}`,
		`{"mcp": {"a": {"type": "local", "command": ["x", 1], "environment": {"A": "{env:B}{file:c}"}, "timeout": 1.5}, "b": {"command": []}, "excluded": [1]}}`,
		`{"mcpServers": {"a": {"transport": {"type": "sse", "url": "http://x"}, "timeout": "1"}}, "mcp": {"allowed": ["["]}}`,
		`{"context_servers": {"a": {"command": {"path": 1, "args": 2}}, "b": {"settings": {}}}, "amp.mcpServers": {"c": {"url": 1}}}`,
		"extensions:\n  a: {type: stdio, cmd: [x], envs: 1, timeout: x}\n  b: {type: streamable_http, uri: \"http://x\", env_keys: y}\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := newScene(t)
		for _, path := range []string{"$HOME/.cursor/mcp.json", "$PROJECT/.mcp.json", "$HOME/.gemini/settings.json", "$HOME/.codeium/windsurf/mcp_config.json", "$HOME/.codex/config.toml",
			"$HOME/.config/opencode/opencode.json", "$HOME/.copilot/mcp-config.json", "$HOME/.cline/data/settings/cline_mcp_settings.json", "$HOME/.config/amp/settings.json",
			"$HOME/.config/zed/settings.json", "$HOME/.config/goose/config.yaml", "$PROJECT/.qwen/settings.json"} {
			s.write(path, string(text))
		}
		for _, from := range clients.Names() {
			plan := s.plan(from)
			for _, c := range plan.Changes {
				_ = c.Diff()
			}
			s.apply("import", plan.Changes)
		}
		if _, err := s.load(); err != nil {
			t.Errorf("toolscript does not read what was imported of %q: %v", text, err)
		}
	})
}
