package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDoctorOnThePlugin(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"on", empty, "plugin      not installed; it allows safe commands"},
		{"off", `{"mcpServers": {}, "plugin": {"autoAllow": false}}`, "plugin      not installed; it asks for each command (plugin.autoAllow"},
		{"broken", "{", "plugin      not installed; it asks for each command, because"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"home/.toolscript.json": tt.file})
			if r := w.run(t, "doctor"); !strings.Contains(r.stdout, tt.want) || !strings.Contains(r.stdout, `"Bash(toolscript search *)"`) || strings.Contains(r.stdout, "Bash(toolscript exec") {
				t.Errorf("doctor = %+v, want %q", r, tt.want)
			}
		})
	}
}

const empty = `{"mcpServers": {}}`

// TestDoctorOnTheSettingsOfClaudeCode: doctor warns of a missing or disabled plugin and of rules
// that stop the agent, and says how to repair them.
func TestDoctorOnTheSettingsOfClaudeCode(t *testing.T) {
	const installed = `{"version": 2, "plugins": {"toolscript@toolscript": [{"version": "0.1.0"}]}}`
	const list, user, project, local = "home/.claude/plugins/installed_plugins.json", "home/.claude/settings.json", "work/.claude/settings.json", "work/.claude/settings.local.json"
	for _, tt := range []struct {
		name        string
		files       map[string]string
		wants, nots []string
	}{
		{"no client", nil, nil, []string{": plugin: "}},
		{"no plugin", map[string]string{user: "{}"}, []string{"warning: plugin: Claude Code is installed here, and toolscript is not", "claude plugin install toolscript@toolscript", "toolscript connect claude-code"}, nil},
		{"an MCP server instead", map[string]string{user: "{}", "home/.claude.json": `{"mcpServers": {"toolscript": {"command": "/bin/toolscript", "args": ["mcp"]}}}`}, nil, []string{": plugin: "}},
		{"a plugin", map[string]string{list: installed, user: `{"enabledPlugins": {"toolscript@toolscript": true}}`}, nil, []string{": plugin: "}},
		{"enabled and not installed", map[string]string{user: `{"enabledPlugins": {"toolscript@toolscript": true}}`}, []string{"the plugin is enabled in", "and not installed", "claude plugin install toolscript@toolscript"}, nil},
		{"no folder", map[string]string{list: strings.Replace(installed, `"0.1.0"`, `"0.1.0", "installPath": "/nonexistent/toolscript"`, 1)}, []string{"its folder /nonexistent/toolscript does not exist", "claude plugin install toolscript@toolscript"}, nil},
		{"a disabled plugin", map[string]string{list: installed, user: `{"enabledPlugins": {"toolscript@toolscript": false}}`}, []string{"the plugin is installed and disabled in", "claude plugin enable toolscript"}, nil},
		{"enabled in the project", map[string]string{list: installed, user: `{"enabledPlugins": {"toolscript@x": false}}`, project: `{"enabledPlugins": {"toolscript@x": true}}`}, nil, []string{": plugin: "}},
		{"no hooks", map[string]string{list: installed, local: `{"disableAllHooks": true}`}, []string{"hooks are switched off in", "settings.local.json"}, nil},
		{"denied", map[string]string{list: installed, user: `{"permissions": {"deny": ["Bash(toolscript:*)"]}} // mine`}, []string{`the rule "Bash(toolscript:*)" of`, "denies every command of toolscript", "remove the rule from permissions.deny of"}, nil},
		{"all of Bash", map[string]string{list: installed, project: `{"permissions": {"deny": ["Bash"]}}`}, []string{`the rule "Bash" of`, "denies every command of toolscript"}, nil},
		{"one command", map[string]string{list: installed, local: `{"permissions": {"ask": ["Bash(toolscript exec *)"]}}`}, []string{"ask you about every toolscript exec, whatever", "permissions.ask of"}, nil},
		{"the MCP server", map[string]string{list: installed, user: `{"permissions": {"deny": ["mcp__toolscript"], "ask": ["mcp__toolscript__run_script"]}}`}, []string{`"mcp__toolscript" of`, "ask you about every call of toolscript"}, nil},
		{"the skill", map[string]string{list: installed, user: `{"permissions": {"deny": ["Skill(toolscript:*)"]}}`}, []string{"denies the skill of toolscript"}, nil},
		{"other rules", map[string]string{list: installed, user: `{"permissions": {"deny": ["Bash(rm *)", "Read(./.env)", "mcp__github", "Bash(toolscript trust:*)", "Skill(pdf)"], "ask": ["Bash(git push:*)", "Bash(toolscript gateway *)"], "allow": ["Bash(toolscript:*)"]}}`}, nil, []string{": plugin: "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, nil)
			for name, text := range tt.files {
				path := filepath.Join(filepath.Dir(w.dir), name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r := w.run(t, "doctor")
			shown := strings.Join(strings.Fields(r.stdout), " ")
			for _, want := range tt.wants {
				if !strings.Contains(shown, want) {
					t.Errorf("doctor does not say %q:\n%s", want, r.stdout)
				}
			}
			for _, not := range tt.nots {
				if strings.Contains(shown, not) {
					t.Errorf("doctor says %q:\n%s", not, r.stdout)
				}
			}
		})
	}
}
