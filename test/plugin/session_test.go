//go:build integration && linux

package plugin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/harness"
)

const echo = `toolscript exec - <<'TS'
const parts: string[] = await Promise.all([1, 2].map(async (n) => String(await tools.everything.echo({ message: ` + "`hello ${n}`" + ` }))));
return parts.join(", ");
TS`

// TestInstalled tests the plugin from end to end: the installation from the marketplace, a session with a
// gateway, a search, types, a script that calls a real server, the suggestion of a tool for a prompt, the
// end of the session, and the uninstallation.
func TestInstalled(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": everything},
		bash("toolscript search 'echo a message' --output types"), bash("toolscript get-types everything__echo"), bash(echo), say("done"))
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	w.manage(t, "plugin", "marketplace", "add", root)
	w.manage(t, "plugin", "install", "toolscript@toolscript")
	s := w.start(t)
	if r := s.prompt(t, "go"); r.Result != "done" || r.IsError || len(r.Denials) > 0 {
		t.Errorf("result = %+v", r)
	}
	results := w.model.results(t)
	if len(results) != 3 {
		t.Fatalf("results = %+v", results)
	}
	for i, want := range []string{"everything", "echo(", `"Echo: hello 1, Echo: hello 2"`} {
		if results[i].error || !strings.Contains(results[i].text, want) {
			t.Errorf("result %d = %+v, want %q in it", i, results[i], want)
		}
	}
	if said := s.messages(t, "SessionStart"); len(said) > 0 {
		t.Errorf("the person reads %q, want nothing", said)
	}
	if strings.Contains(w.model.shown(), "SessionStart hook additional context") {
		t.Error("the hook has put a text into the model's context")
	}
	s.suggested(t)
	gateway := w.gateway(t)
	below := harness.Descendants(gateway.PID)
	if len(below) == 0 {
		t.Error("the gateway has no server")
	}
	s.end(t)
	ended(t, gateway.PID)
	for _, p := range below {
		ended(t, p.PID)
	}
	w.uninstalled(t)
}

// suggested checks that the model is shown a tool together with the prompt that needs it, once in the
// session, and no tool with other prompts.
func (s *session) suggested(t *testing.T) {
	t.Helper()
	const head, prompt = "MCP tools of toolscript that may fit", "Use the echo tool of the everything server to say hello"
	if strings.Contains(s.world.model.shown(), head) {
		t.Error("tools were suggested for a prompt that needs none")
	}
	for range 2 {
		if r := s.prompt(t, prompt); r.IsError {
			t.Errorf("result = %+v", r)
		}
	}
	last := string(s.world.model.lastRequest(t).bytes)
	if strings.Count(last, prompt) != 2 || strings.Count(last, head) != 1 || !strings.Contains(last, "tools.everything.echo") {
		t.Errorf("the model was shown %.20000q", last)
	}
}

// uninstalled uninstalls the plugin and checks that the user's settings do not name it.
func (w *world) uninstalled(t *testing.T) {
	t.Helper()
	w.manage(t, "plugin", "uninstall", "toolscript@toolscript")
	text, err := os.ReadFile(filepath.Join(w.home, ".claude", "settings.json"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "toolscript@toolscript") || strings.Contains(string(text), "Bash(") || strings.Contains(string(text), `"hooks"`) {
		t.Errorf("left in the settings: %s", text)
	}
}

// TestValidate checks the plugin and the marketplace with the client's own validator.
func TestValidate(t *testing.T) {
	w := newWorld(t, nil)
	for _, path := range []string{pluginRoot, repository} {
		absolute, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		w.manage(t, "plugin", "validate", absolute, "--strict")
	}
}
