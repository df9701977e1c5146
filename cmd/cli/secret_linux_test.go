package cli_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/kit"
)

// secretWorld returns a world with a secret that no server gets, and a project with a server that asks for it.
func secretWorld(t *testing.T) *world {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, map[string]string{"home/.toolscript.json": `{"mcpServers": {}}`, "work/.toolscript.json": fmt.Sprintf(
		`{"mcpServers": {"github": {"command": %q, "args": ["mcp-demo"], "env": {"TOKEN": "${secret:GITHUB_TOKEN}"}}}}`, self)})
	w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+newData(t))
	if r := w.run(t, "trust", "--yes"); r.code != 0 {
		t.Fatalf("trust: %+v", r)
	}
	r := w.given(t, strings.NewReader("sesame-open-1234\n"), "secret", "set", "GITHUB_TOKEN", "--storage", "file")
	if r.code != 0 || !strings.Contains(r.stdout, "secret confirm") {
		t.Fatalf("secret set: %+v", r)
	}
	return w
}

// typing runs a command at a terminal with typed input.
func (w *world) typing(t *testing.T, typed string, args ...string) result {
	t.Helper()
	terminal := kit.NewTerminal(t, 80)
	if _, err := io.WriteString(terminal.Keyboard, typed); err != nil {
		t.Fatal(err)
	}
	return w.given(t, terminal.Screen, args...)
}

// The person at the terminal sees the definition of a server, and decides whether the server gets the secret.
func TestSecretIsConfirmedAtTheTerminal(t *testing.T) {
	w := secretWorld(t)
	list := func() string { return w.run(t, "secret", "list").stdout }
	for _, answer := range []string{"no\n", "\n"} {
		r := w.typing(t, answer, "secret", "confirm")
		if r.code != 1 || !strings.Contains(r.stderr, "you answered no") || !strings.Contains(list(), "\tgithub\n") {
			t.Errorf("answer %q: %+v\n%s", answer, r, list())
		}
	}
	r := w.typing(t, "yes\n", "secret", "confirm", "github")
	for _, shown := range []string{"github wants the secret GITHUB_TOKEN (env.TOKEN).", "the file of a project", `"TOKEN": "${secret:GITHUB_TOKEN}"`, `"args": ["mcp-demo"]`} {
		if !strings.Contains(r.stderr, shown) {
			t.Errorf("%q is not shown:\n%s", shown, r.stderr)
		}
	}
	if r.code != 0 || r.stdout != "github gets GITHUB_TOKEN\n" || !strings.Contains(list(), "GITHUB_TOKEN\tfile\tgithub\t\n") {
		t.Errorf("%+v\n%s", r, list())
	}
	if r := w.run(t, "exec", `return (await tools.github.listFiles({})).files.length >= 0`); r.code != 0 {
		t.Errorf("exec: %+v", r)
	}
	if r := w.typing(t, "", "secret", "confirm"); r.code != 0 || !strings.Contains(r.stderr, "no server of this folder waits") {
		t.Errorf("again: %+v", r)
	}

	// A changed definition needs a new confirmation; trust is not enough.
	path := filepath.Join(w.dir, ".toolscript.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), `"mcp-demo"`, `"mcp-demo", "--evil"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := w.typing(t, "y\n", "secret", "confirm", "github"); r.code != 1 || !strings.Contains(r.stderr, "not trusted") {
		t.Errorf("not trusted: %+v", r)
	}
	if r := w.run(t, "trust", "--yes"); r.code != 0 {
		t.Fatalf("trust: %+v", r)
	}
	if r := w.run(t, "exec", `return await tools.github.listFiles({})`); r.code != 1 || !strings.Contains(r.stderr, "was confirmed for another definition") {
		t.Errorf("exec: %+v", r)
	}
	if r := w.typing(t, "y\n", "secret", "confirm"); r.code != 0 || !strings.Contains(r.stderr, "IT HAD THE SECRET WITH ANOTHER DEFINITION") {
		t.Errorf("changed: %+v", r)
	}
}

// A command that an agent starts cannot confirm, even at a terminal; neither can a pipe.
func TestSecretIsNotConfirmedByAnAgent(t *testing.T) {
	w := secretWorld(t)
	refused := func(what string, r result) {
		t.Helper()
		if r.code != 1 || !strings.Contains(r.stderr, "only a person lets this definition of the server") || strings.Contains(w.run(t, "secret", "list").stdout, "\tgithub\t\n") {
			t.Errorf("%s: %+v", what, r)
		}
	}
	refused("a pipe", w.given(t, strings.NewReader("y\n"), "secret", "confirm"))
	w.env = append(w.env, "CLAUDECODE=1")
	refused("an agent", w.typing(t, "y\n", "secret", "confirm"))
	refused("an agent with --for", w.typing(t, "sesame-open-1234\ny\n", "secret", "set", "GITHUB_TOKEN", "--for", "github"))
}

// The terminal does not show the secret while the user types it.
func TestSecretIsTypedWithoutEcho(t *testing.T) {
	w := newWorld(t, nil)
	w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+newData(t))
	terminal := kit.NewTerminal(t, 80)
	var stdout kit.Buffer
	c := w.start(t, command{stdin: terminal.Screen, stdout: &stdout}, "secret", "set", "KEY", "--storage", "file")
	kit.Eventually(t, "the command asks", func() bool { return strings.Contains(c.stderr.String(), "Value of KEY: ") })
	kit.Eventually(t, "the terminal hides what is typed", func() bool { return !echoes(t, terminal.Screen) })
	if _, err := io.WriteString(terminal.Keyboard, "sesame-open-1234\n"); err != nil {
		t.Fatal(err)
	}
	if code := <-c.code; code != 0 || !strings.HasPrefix(stdout.String(), "stored KEY in the encrypted file") {
		t.Errorf("%d: %s%s", code, stdout.String(), c.stderr)
	}
	if !echoes(t, terminal.Screen) {
		t.Error("the terminal stays without echo")
	}
	if text := terminal.Text() + stdout.String() + c.stderr.String(); strings.Contains(text, "sesame") {
		t.Errorf("the value is shown: %q", text)
	}
}

// The first line of a multi-line key is not accepted as the key.
func TestTypedKeyIsRefused(t *testing.T) {
	w := newWorld(t, nil)
	w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+newData(t))
	if r := w.typing(t, "-----BEGIN PRIVATE KEY-----\nabc\n", "secret", "set", "KEY", "--storage", "file"); r.code != 1 || !strings.Contains(r.stderr, "toolscript secret set KEY < FILE") {
		t.Errorf("%+v", r)
	}
	if r := w.run(t, "secret", "list"); strings.Contains(r.stdout, "KEY") {
		t.Errorf("stored: %+v", r)
	}
}

// An interrupt at the question restores the modes of the terminal.
func TestInterruptedSecretLeavesTheTerminal(t *testing.T) {
	w := newWorld(t, nil)
	w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+newData(t))
	terminal := kit.NewTerminal(t, 80)
	c := w.start(t, command{stdin: terminal.Screen, stdout: &kit.Buffer{}}, "secret", "set", "KEY", "--storage", "file")
	kit.Eventually(t, "the terminal hides what is typed", func() bool { return !echoes(t, terminal.Screen) })
	c.signals <- os.Interrupt
	if code := <-c.code; code != 130 {
		t.Errorf("exit %d: %s", code, c.stderr)
	}
	if !echoes(t, terminal.Screen) {
		t.Error("the terminal stays without echo")
	}
	if _, err := io.WriteString(terminal.Keyboard, "\n"); err != nil { // ends the read
		t.Fatal(err)
	}
}
