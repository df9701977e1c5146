package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const askingConfig = `{"mcpServers": {"demo": {"command": "toolscript", "args": ["mcp-demo"]}},
  "approvals": {"rules": [{"match": ["demo__read_file"], "action": "ask"}, {"match": ["demo__tree"], "action": "deny"}], "timeout": "1h"}}`

// TestPreToolUseAsks: the client asks its user about a script that names a tool under approval,
// inline, on standard input or in a file, even if the user's rules may allow commands of this form.
func TestPreToolUseAsks(t *testing.T) {
	w := newWorld(t, map[string]string{
		"home/.toolscript.json": askingConfig, "work/a.txt": "one\n",
		"work/asks.ts": `const { readFile } = tools.demo; await readFile({ path: "a.txt" })`, "work/free.ts": `return tools.demo.listFiles({})`,
	})
	w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+newData(t))
	saved := filepath.Join(filepath.Dir(w.dir), "home", ".toolscript", "scripts")
	if err := os.MkdirAll(saved, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]string{"asking": `readFile({ path: "a.txt" })`, "free": "listFiles({})"} {
		code := "export default async function () { return tools.demo." + call + " }\n"
		if err := os.WriteFile(filepath.Join(saved, name+".ts"), []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if r := w.run(t, "list-tools", "demo"); r.code != 0 { // so that the tools are cached
		t.Fatalf("list-tools: %+v", r)
	}
	for command, want := range map[string]string{
		`toolscript exec 'return tools.demo.readFile({path: "a.txt"})'`:             "demo__read_file",
		`X=1; toolscript exec "return tools.demo.readFile({})" > out`:               "demo__read_file",
		"toolscript exec - <<'EOF'\nawait tools['demo'].readFile({path: 'x'})\nEOF": "demo__read_file",
		"toolscript call demo.readFile path=a.txt":                                  "demo__read_file",
		"toolscript call demo__read_file path=a.txt":                                "demo__read_file",
		"toolscript call demo.listFiles":                                            "",
		"toolscript run asking a=b":                                                 "demo__read_file",
		"toolscript run free":                                                       "",
		"toolscript asks.ts":                                                        "demo__read_file",
		"toolscript exec -f ./asks.ts":                                              "demo__read_file",
		"toolscript exec --file=asks.ts -- free.ts":                                 "demo__read_file",
		"toolscript free.ts":                                                        "",
		`toolscript exec 'return tools.demo.listFiles({})'`:                         "",
		"toolscript get-types --filter demo__read_file":                             "",
		"cat asks.ts": "",
		`toolscript exec 'return tools.demo.tree({})'`: "", // denied by the gateway, without a question
	} {
		decision, reason := w.decision(t, w.bash(t, command, nil))
		if asks := decision == "ask"; asks != (want != "") || asks && !strings.Contains(reason, want) {
			t.Errorf("%s: %s (%s), want a question about %q", command, decision, reason, want)
		}
	}
}
