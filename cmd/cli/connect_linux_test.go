package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConnectOffersToReplace: at a terminal, connect asks about the servers that the client would
// then have twice, and then about the whole change.
func TestConnectOffersToReplace(t *testing.T) {
	const servers = `{"mcpServers": {"demo": {"command": "toolscript", "args": ["mcp-demo"]}, "theirs": {"command": "theirs"}}}`
	for _, tt := range []struct {
		name, typed string
		gone        bool // whether the server is removed from the client
		written     bool
	}{
		{"yes", "y\ny\n", true, true},
		{"no", "n\ny\n", false, true},
		{"nothing at all", "y\nn\n", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig, "home/.claude.json": servers})
			w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+newData(t))
			r := w.typing(t, tt.typed, "connect", "claude-code")
			if r.code != 0 || !strings.Contains(r.stderr, "demo: in Claude Code twice") || !strings.Contains(r.stderr, "Disable them in Claude Code? [y/N]") {
				t.Fatalf("connect: %+v", r)
			}
			file := filepath.Join(filepath.Dir(w.dir), "home", ".claude.json")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if gone, written := !strings.Contains(string(text), `"demo"`), strings.Contains(string(text), `"toolscript": {`); gone != tt.gone || written != tt.written {
				t.Errorf("the file is %s\n%+v", text, r)
			}
			if !tt.written {
				return
			}
			// Claude Code writes its file often, here between two steps of toolscript.
			if err := os.WriteFile(file, []byte(strings.Replace(string(text), "{", `{"numStartups": 2, `, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			if r := w.run(t, "connect", "claude-code", "--undo"); r.code != 0 {
				t.Fatalf("undo: %+v", r)
			}
			if text, err = os.ReadFile(file); err != nil || !strings.Contains(string(text), `"demo"`) || strings.Contains(string(text), `"toolscript": {`) || !strings.Contains(string(text), "numStartups") {
				t.Errorf("after the undo: %s, %v", text, err)
			}
		})
	}
}
