package cli_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bash returns the input of PreToolUse for a shell command in the working folder of w.
func (w *world) bash(t *testing.T, command string, more map[string]any) string {
	t.Helper()
	input := map[string]any{
		"session_id": "s", "cwd": w.dir, "hook_event_name": "PreToolUse", "permission_mode": "default",
		"tool_name": "Bash", "tool_input": map[string]any{"command": command, "description": "d"},
	}
	maps.Copy(input, more)
	text, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// decision returns what the hook decides about a call, and why; "" if it leaves the decision to the client.
func (w *world) decision(t *testing.T, input string) (decision, reason string) {
	t.Helper()
	r := w.hook(t, "pre-tool-use", input)
	if r.code != 0 {
		t.Errorf("code = %d; stderr:\n%s", r.code, r.stderr)
	}
	if r.stdout == "" {
		return "", ""
	}
	var answer struct {
		Output struct {
			Event    string `json:"hookEventName"`
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	err := json.Unmarshal([]byte(r.stdout), &answer)
	if err != nil || answer.Output.Event != "PreToolUse" || answer.Output.Decision != "allow" && answer.Output.Decision != "ask" {
		t.Errorf("stdout = %q, %v", r.stdout, err)
	}
	return answer.Output.Decision, answer.Output.Reason
}

// decides returns what the hook decides about a shell command.
func (w *world) decides(t *testing.T, command string) string {
	t.Helper()
	decision, _ := w.decision(t, w.bash(t, command, nil))
	return decision
}

func (w *world) hook(t *testing.T, event, input string) result {
	t.Helper()
	return w.given(t, strings.NewReader(input), "hook", event)
}

func permissionWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, map[string]string{"work/s.ts": "return 1", "work/.env": "SECRET=1", "work/data.json": "{}", "outside.ts": "return 1"})
	for link, target := range map[string]string{"escape.ts": "../outside.ts", "up": "..", "dangling": "../new"} {
		if err := os.Symlink(target, filepath.Join(w.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"sub", ".claude"} {
		if err := os.Mkdir(filepath.Join(w.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func TestPreToolUseAllows(t *testing.T) {
	w := permissionWorld(t)
	for _, command := range []string{
		"toolscript search 'list issues' --limit 5 --output types",
		"toolscript search x --server demo,github --read-only -o json | jq '.results'",
		"toolscript get-types demo --full", "toolscript get-types --out sub", "toolscript get-types -f demo",
		"toolscript list-servers --json", "toolscript list-tools demo 2>/dev/null",
		"toolscript exec 'return 1'", "toolscript exec -e 'return 1' --timeout 5s --tool-calls 3 --allow demo -- a b",
		"toolscript exec s.ts", "toolscript exec ./s.ts -- --since monday", "toolscript exec -f s.ts --cwd sub", "toolscript exec -",
		"toolscript exec 'return 1' --out value.json", "toolscript exec 'return 1' --out sub/value.json",
		"toolscript s.ts", "toolscript s.ts --trust", "toolscript exec s.ts -- --trust", "toolscript " + filepath.Join(w.dir, "s.ts"),
		"toolscript -g http://127.0.0.1:1/secret search x", "toolscript search x -g http://localhost:1", "toolscript search x -g 'http://[::1]:1'",
		"toolscript check s.ts --strict", "toolscript check s.ts ./s.ts", "toolscript check 'return 1'", "toolscript exec --help",
		"toolscript output run_0 --range 0-99", "toolscript output run_0 --value --out picture.png",
		"toolscript resources", "toolscript resources read demo 'file:///x'", "toolscript prompts get demo p --arg a=b",
		"toolscript call demo.readFile path=a.txt", "toolscript call demo.readFile path=@@a", `toolscript call demo.readFile '{"path":"@./a"}'`, `toolscript call demo.tree depth:=2 | jq .`, "toolscript call demo.readFile path=a --out sub/a.json", "echo '{}' | toolscript call demo.tree -",
		"toolscript run issues repo=a/b days=7", "toolscript scripts list", "toolscript scripts show issues",
		"toolscript exec --detach 'return 1'", "toolscript exec --plan 'return 1'", "toolscript runs list --last 5", "toolscript runs show run_0",
		"toolscript logs", "toolscript logs --server demo", "toolscript logs --server demo --json", "toolscript logs --hub | tail -n 5",
		"toolscript status", "toolscript status gateways", "toolscript status servers --verbose", "toolscript status runs --json", "toolscript output run_0 --task 1",
		"toolscript runs wait run_0 --timeout 30s", "toolscript runs output run_0 --follow", "toolscript runs output run_0 --out sub/",
		"toolscript search x --log-level debug", "toolscript exec - <<'TS'\nreturn `${1}`\nTS",
	} {
		if w.decides(t, command) != "allow" {
			t.Errorf("not allowed: %s", command)
		}
	}
}

func TestPreToolUseAllowsNothingElse(t *testing.T) {
	w := permissionWorld(t)
	for _, command := range []string{
		"ls", "toolscript", "toolscript --help", "toolscript version", "toolscript nope",
		"toolscript trust", "toolscript trust --yes", "toolscript auth demo", "toolscript config path", "toolscript config validate",
		"toolscript gateway start", "toolscript gateway status", "toolscript cache", "toolscript doctor", "toolscript deno install",
		"toolscript hook session-end", "toolscript mcp-demo /", "toolscript __complete exec", "toolscript completion bash", "toolscript help exec",
		"toolscript exec --trust 'return 1'", "toolscript exec 'return 1' --trust", "toolscript exec --trust=false 'return 1'", "toolscript search x --trust",
		"toolscript exec -c s.json 'return 1'", "toolscript --config s.json search x", "toolscript exec --data-dir sub 'return 1'", "toolscript search x --data-dir=/tmp",
		"toolscript search x --search-model m.gguf", "toolscript search x --search-library sub", "toolscript exec --search-library sub 'return 1'",
		"toolscript search x -g http://example.com", "toolscript search x -g http://127.0.0.1@example.com", "toolscript search x -g http://a@127.0.0.1",
		"toolscript search x -g file:///x", "toolscript search x -g 127.0.0.1:1", "toolscript -ghttp://example.com/ search x", "toolscript search x -g ''",
		"toolscript exec ../outside.ts", "toolscript exec -f ../outside.ts", "toolscript exec escape.ts", "toolscript escape.ts", "toolscript ../outside.ts",
		"toolscript check s.ts ../outside.ts", "toolscript check s.ts escape.ts", "toolscript check s.ts Makefile", "toolscript check s.ts gone.ts", "toolscript exec up/outside.ts", "toolscript exec -f .env", "toolscript exec -f data.json", "toolscript exec -f /etc/passwd", "toolscript check -f .env",
		"toolscript exec gone.ts", "toolscript gone.ts", "toolscript exec --cwd .. 'return 1'", "toolscript exec --cwd up 'return 1'",
		"toolscript exec 'return 1' --out ../value.json", "toolscript exec 'return 1' --out /tmp/value.json", "toolscript exec 'return 1' --out up/value.json",
		"toolscript exec 'return 1' --out dangling", "toolscript exec 'return 1' --out data.json", "toolscript exec 'return 1' --out s.ts",
		"toolscript exec 'return 1' --out .toolscript.json", "toolscript exec 'return 1' --out .claude/settings.json", "toolscript exec 'return 1' --out gone/value.json",
		"toolscript output run_0 --out .env", "toolscript get-types --out ..", "toolscript get-types --out .claude",
		"toolscript call --stdio 'rm -rf .' adhoc.x", "toolscript call --url http://127.0.0.1:1 adhoc.x", "toolscript call demo.tree --save x", "toolscript call demo.tree --trust",
		"toolscript call demo.readFile path=@/etc/passwd", "toolscript call demo.readFile path=@./s.ts", "toolscript call demo.readFile path:=@data.json", "toolscript call demo.readFile a=b 'path=@../outside.ts'",
		"toolscript run issues repo=@/etc/passwd", "toolscript call demo.tree - < /etc/passwd", "cat /etc/passwd | toolscript call demo.tree -",
		"toolscript call demo.tree --record", "toolscript call demo.tree --profile x", "toolscript call demo.tree --out ../a", "toolscript exec --stdio 'rm -rf .' 'return 1'",
		"toolscript run issues --trust", "toolscript save issues s.ts", "toolscript scripts remove issues", "toolscript runs abort run_0", "toolscript runs replay run_0",
		"toolscript runs output run_0 --out .claude/", "toolscript search --stdio 'rm -rf .' x",
		"toolscript exec 'return 1' --nope", "toolscript exec --timeout soon 'return 1'", "toolscript exec 'return 1' && toolscript trust",
		"toolscript exec \"$CODE\"", "toolscript exec 'return 1' > out.txt", "cd sub && toolscript search x", "toolscript search x &",
	} {
		if w.decides(t, command) == "allow" {
			t.Errorf("allowed: %s", command)
		}
	}
}

// TestPreToolUseOfOtherCalls checks the other fields of a call: its options, tool, mode and folder.
func TestPreToolUseOfOtherCalls(t *testing.T) {
	w := permissionWorld(t)
	const search, exec, script, one = "toolscript search x", "toolscript exec 'return 1'", "toolscript s.ts", "toolscript call demo.tree"
	call := func(command string, more map[string]any) map[string]any {
		input := map[string]any{"command": command}
		maps.Copy(input, more)
		return map[string]any{"tool_input": input}
	}
	for _, tt := range []struct {
		name, command string
		more          map[string]any
		want          bool
	}{
		{"every known field", search, call(search, map[string]any{"description": "d", "timeout": 1000, "run_in_background": false, "dangerouslyDisableSandbox": false}), true},
		{"no sandbox", search, call(search, map[string]any{"dangerouslyDisableSandbox": true}), false},
		{"in the background", search, call(search, map[string]any{"run_in_background": true}), false},
		{"an unknown field", search, call(search, map[string]any{"as_root": false}), false},
		{"another tool", search, map[string]any{"tool_name": "PowerShell"}, false},
		{"plan mode, search", search, map[string]any{"permission_mode": "plan"}, true},
		{"plan mode, exec", exec, map[string]any{"permission_mode": "plan"}, false},
		{"plan mode, call", one, map[string]any{"permission_mode": "plan"}, false},
		{"plan mode, saved script", "toolscript run issues", map[string]any{"permission_mode": "plan"}, false},
		{"plan mode, script", script, map[string]any{"permission_mode": "plan"}, false},
		{"no command", "", map[string]any{"tool_input": nil}, false},
		{"another folder", script, map[string]any{"cwd": filepath.Dir(w.dir)}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := w.decision(t, w.bash(t, tt.command, tt.more)); (got == "allow") != tt.want {
				t.Errorf("the hook decides %q, want allowed = %v", got, tt.want)
			}
		})
	}
}

func TestAutoAllowOff(t *testing.T) {
	for _, tt := range []struct {
		name, home, project string
		want                bool
	}{
		{"off", `{"mcpServers": {}, "plugin": {"autoAllow": false}}`, "", false},
		{"a broken file", `{"mcpServers": {}, "plugin": {"autoAllow": true}`, "", false},
		{"a project cannot switch it", `{"mcpServers": {}, "plugin": {"autoAllow": false}}`, `{"mcpServers": {}, "plugin": {"autoAllow": true}}`, false},
		{"a project cannot switch it off", `{"mcpServers": {}}`, `{"mcpServers": {}, "plugin": {"autoAllow": false}}`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"home/.toolscript.json": tt.home}
			if tt.project != "" {
				files["work/.toolscript.json"] = tt.project
			}
			w := newWorld(t, files)
			if got := w.decides(t, "toolscript search x"); (got == "allow") != tt.want {
				t.Errorf("the hook decides %q, want allowed = %v", got, tt.want)
			}
		})
	}
}

// TestPreToolUseAsksAboutTrust: because a rule of the user may allow every call of toolscript, the
// hook asks about each command by which a person says what may start, in any form.
func TestPreToolUseAsksAboutTrust(t *testing.T) {
	w := permissionWorld(t)
	for command, want := range map[string]string{
		"toolscript trust": "ask", "toolscript trust --yes": "ask", "toolscript trust sub": "ask", "toolscript --log-level debug trust": "ask",
		"cd sub && toolscript trust -y": "ask", "FOO=1 toolscript trust > out": "ask", "sh -c 'toolscript trust'": "ask", "toolscript trust &": "ask",
		"toolscript search x; toolscript trust --yes": "ask", "npx toolscript trust --yes": "ask", "toolscript trust --remove": "ask",
		"toolscript add github": "ask", "toolscript init -- node x.js": "ask", "toolscript config import --yes": "ask", "toolscript connect cursor --yes": "ask",
		"toolscript enable x --yes": "ask", "toolscript pins accept x": "ask", "toolscript approvals allow apr_1": "ask", "toolscript secret confirm": "ask",
		"toolscript add evil --yes -- sh -c x --help": "ask", "toolscript init --yes node -h": "ask", "toolscript trust --yes -- --help": "ask", "toolscript add evil -- ls -h": "ask",
		"toolscript add --help": "", "toolscript connect cursor -h": "", "toolscript init --help -- node": "",
		"cd sub && toolscript pins accept x__y": "ask", "toolscript pins": "", "toolscript approvals": "", "toolscript enable --help": "",
		"toolscript logs -f --server demo": "allow", "toolscript logs --follow --server demo --json": "allow",
		"toolscript trust --help": "", "toolscript config path": "", "toolscript doctor": "", "git log --grep trust": "", "toolscript search trust": "allow",
	} {
		if got := w.decides(t, command); got != want {
			t.Errorf("%s: the hook decides %q, want %q", command, got, want)
		}
	}
}

// TestHooksNeverBlock checks that no input ends a hook with exit code 2, which would
// block the call in the client.
func TestHooksNeverBlock(t *testing.T) {
	w := newWorld(t, nil)
	for _, tt := range []struct{ event, input string }{
		{"pre-tool-use", ""}, {"pre-tool-use", "{"}, {"pre-tool-use", "[]"}, {"unheard-of", "{}"}, {"--nope", "{}"},
	} {
		if r := w.hook(t, tt.event, tt.input); r.code != 1 || r.stdout != "" || r.stderr == "" {
			t.Errorf("%s %.20q: %+v, want exit code 1 and a reason on stderr", tt.event, tt.input, r)
		}
	}
}

// TestPreToolUseOfPowerShell: the hook asks about commands with which a person decides, and about scripts that name
// tools under approval. It allows and admits nothing.
func TestPreToolUseOfPowerShell(t *testing.T) {
	w := belowAgent(t)
	for command, want := range map[string]string{
		"toolscript trust":                            `"ask"`,
		"toolscript.exe trust; ls":                    `"ask"`,
		"toolscript search x":                         "",
		"toolscript list-servers --config other.json": "",
		"ls": "",
	} {
		r := w.hook(t, "pre-tool-use", w.bash(t, command, map[string]any{"tool_name": "PowerShell"}))
		if r.code != 0 || !strings.Contains(r.stdout, want) || want == "" && r.stdout != "" {
			t.Errorf("%s: %+v, want %q", command, r, want)
		}
	}
	if r := w.run(t, "list-servers", "--config", "other.json"); !strings.Contains(r.stderr, "a person has to run it") {
		t.Errorf("the command was admitted: %+v", r)
	}
}
