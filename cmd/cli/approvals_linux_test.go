package cli_test

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/confirm"
	"github.com/toolscript/toolscript/test/kit"
)

// asking starts a gateway at a terminal, and a script with a call that waits for an approval.
func asking(t *testing.T, w *world, script string) (shown func() string, c *command, stdout *kit.Buffer) {
	t.Helper()
	shown, stdout = gatewayAtTerminal(t, w), &kit.Buffer{}
	return shown, w.start(t, command{stdout: stdout}, "exec", script), stdout
}

// atTerminal starts a process of this program with a terminal. stdout is nil, or takes its output in place of the terminal.
func (w *world) atTerminal(t *testing.T, stdout io.Writer, args ...string) (*kit.Terminal, *exec.Cmd) {
	t.Helper()
	terminal := kit.NewTerminal(t, 80)
	c := exec.Command(os.Args[0], args...)
	c.Dir, c.Env = w.dir, w.env
	c.Stdin, c.Stdout, c.Stderr = terminal.Screen, terminal.Screen, terminal.Screen
	if stdout != nil {
		c.Stdout = stdout
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return terminal, c
}

var codeShown = regexp.MustCompile(`code: ([A-Z2-7]{6}) +\(toolscript approvals allow (apr_\w+)`)

// code waits for the n-th code at the terminal of the gateway and returns it with the request's id.
func code(t *testing.T, shown func() string, n int) (id, code string) {
	t.Helper()
	var all [][]string
	kit.Eventually(t, "the gateway shows a code", func() bool {
		all = codeShown.FindAllStringSubmatch(shown(), -1)
		return len(all) >= n
	})
	return all[n-1][2], all[n-1][1]
}

func (w *world) answering(t *testing.T, typed string, args ...string) result {
	t.Helper()
	return w.given(t, strings.NewReader(typed), append([]string{"approvals"}, args...)...)
}

const readFile = `return (await tools.demo.readFile({ path: "a.txt" })).lines`

// TestApprovals: the code appears only at the terminal of the gateway, and approving with that
// code allows the call.
func TestApprovals(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": askingConfig, "work/a.txt": "one\ntwo\n"})
	shown, exec, stdout := asking(t, w, readFile)
	id, code := code(t, shown, 1)
	if text := shown(); !strings.Contains(text, `demo__read_file`) || !strings.Contains(text, `{"path":"a.txt"}`) {
		t.Errorf("the terminal shows\n%s", text)
	}
	kit.Eventually(t, "exec says what it waits for", func() bool { return strings.Contains(exec.stderr.String(), "toolscript approvals allow "+id) })
	listed := w.run(t, "approvals", "--json")
	var pending []toolscript.Approval
	if err := json.Unmarshal([]byte(listed.stdout), &pending); err != nil || len(pending) != 1 || pending[0].ID != id || pending[0].Args != `{"path":"a.txt"}` {
		t.Errorf("approvals --json: %+v, %v", listed, err)
	}
	table := w.run(t, "approvals")
	if table.code != 0 || !strings.Contains(table.stdout, id+"\tdemo__read_file\trun_") {
		t.Errorf("approvals: %+v", table)
	}
	if r := w.answering(t, "AAAAAA\n", "allow", id); r.code != 1 || !strings.Contains(r.stderr, "the code is wrong") {
		t.Errorf("a wrong code: %+v", r)
	}
	if r := w.answering(t, "", "allow"); r.code != 1 || !strings.Contains(r.stderr, "no code was given") {
		t.Errorf("no code: %+v", r)
	}
	if r := w.answering(t, code+"\n", "allow", "apr_other"); r.code != 1 || !strings.Contains(r.stderr, "these wait: "+id) {
		t.Errorf("another request: %+v", r)
	}
	if r := w.answering(t, strings.ToLower(code)+"\n", "allow"); r.code != 0 || r.stdout != "Allowed demo__read_file\n" {
		t.Errorf("the code: %+v", r)
	}
	if got := <-exec.code; got != 0 || stdout.String() != "2\n" {
		t.Errorf("exec ended with %d: %q %q", got, stdout, exec.stderr)
	}
	if r := w.answering(t, code+"\n", "allow", id); r.code != 1 || !strings.Contains(r.stderr, "none waits") {
		t.Errorf("the code again: %+v", r)
	}
	if r := w.run(t, "approvals"); r.code != 0 || r.stdout != "" || !strings.Contains(r.stderr, "no call waits") {
		t.Errorf("approvals without requests: %+v", r)
	}
	for _, text := range []string{exec.stderr.String(), listed.stdout, table.stdout} {
		if strings.Contains(text, code) {
			t.Errorf("the code is not only at the terminal of the gateway:\n%s", text)
		}
	}
}

// TestApprovalsShow: lists and terminals leave out the middle of long arguments and name the
// command that shows all of them.
func TestApprovalsShow(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": askingConfig})
	shown, exec, _ := asking(t, w, `await tools.demo.readFile({ path: "first" + "x".repeat(5000) + "middle" + "y".repeat(5000) + "last" })`)
	id, _ := code(t, shown, 1)
	list := w.run(t, "approvals")
	for what, text := range map[string]string{"the terminal": shown(), "the list": list.stdout} {
		if !strings.Contains(text, "first") || strings.Contains(text, "middle") || !strings.Contains(text, "last") || !strings.Contains(text, "bytes are not shown⟩") {
			t.Errorf("%s shows %s", what, text)
		}
	}
	if !strings.Contains(shown(), "toolscript approvals show "+id) {
		t.Errorf("the terminal does not name the command: %s", shown())
	}
	all := "first" + strings.Repeat("x", 5000) + "middle" + strings.Repeat("y", 5000) + "last"
	for _, args := range [][]string{{"show"}, {"show", id}} {
		if r := w.run(t, append([]string{"approvals"}, args...)...); r.code != 0 || !strings.Contains(r.stdout, all) || !strings.Contains(r.stdout, "approvals allow "+id+" (or deny)") {
			t.Errorf("%q: %+v", args, r)
		}
	}
	var whole toolscript.Approval
	if r := w.run(t, "approvals", "show", id, "--json"); json.Unmarshal([]byte(r.stdout), &whole) != nil || whole.Args != `{"path":"`+all+`"}` || whole.Cut != 0 {
		t.Errorf("show --json: %+v", r)
	}
	if r := w.run(t, "approvals", "show", "apr_other"); r.code != 1 || !strings.Contains(r.stderr, "these wait: "+id) {
		t.Errorf("another request: %+v", r)
	}
	if r := w.answering(t, "", "deny", id); r.code != 0 {
		t.Errorf("deny: %+v", r)
	}
	<-exec.code
}

// TestApprovalsDeny: the script gets the reason of a denial. For a tool that the configuration
// denies, nobody is asked.
func TestApprovalsDeny(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": askingConfig})
	shown, exec, stdout := asking(t, w, `
		const seen = [];
		for (const call of [() => tools.demo.tree({}), () => tools.demo.readFile({ path: "a.txt" })])
			try { await call() } catch (e) { seen.push(e.name + ": " + e.message) }
		return seen`)
	id, _ := code(t, shown, 1)
	if r := w.answering(t, "", "deny", id, "--reason", "not on Fridays"); r.code != 0 || r.stdout != "Denied demo__read_file\n" {
		t.Errorf("deny: %+v", r)
	}
	if got := <-exec.code; got != 0 || stdout.String() != `["ApprovalDeniedError: demo__tree was denied: the configuration (approvals) does not allow it",`+
		`"ApprovalDeniedError: demo__read_file was denied: not on Fridays"]`+"\n" {
		t.Errorf("exec ended with %d: %q %q", got, stdout, exec.stderr)
	}
}

// TestApprovalsAlways: an approval with scope always is kept in the data folder after the gateway ends.
func TestApprovalsAlways(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": askingConfig, "work/a.txt": "one\ntwo\n"})
	data := newData(t)
	w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+data)
	shown, exec, stdout := asking(t, w, readFile)
	id, code := code(t, shown, 1)
	if r := w.answering(t, code+"\n", "allow", id, "--for", "always"); r.code != 0 {
		t.Errorf("allow: %+v", r)
	}
	if got := <-exec.code; got != 0 || stdout.String() != "2\n" {
		t.Errorf("exec ended with %d: %q %q", got, stdout, exec.stderr)
	}
	stored, err := os.ReadFile(filepath.Join(data, "approvals.json"))
	if err != nil || !strings.Contains(string(stored), `"demo__read_file"`) {
		t.Errorf("stored: %s, %v", stored, err)
	}
	if r := w.run(t, "exec", "-g", "", "--trust", readFile); r.code != 0 || r.stdout != "2\n" { // without the gateway
		t.Errorf("exec without the gateway: %+v", r)
	}
}

// TestApprovalsOfAnAgent: a gateway that an agent has started shows no code at its
// terminal, because the agent may have opened that terminal.
func TestApprovalsOfAnAgent(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": askingConfig})
	w.env = append(w.env, "CLAUDECODE=1", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere")
	shown, exec, _ := asking(t, w, readFile)
	onePending(t, w)
	if r := w.answering(t, "AAAAAA\n", "allow"); r.code != 1 {
		t.Errorf("allow with a guess: %+v", r)
	}
	if r := w.answering(t, "", "deny"); r.code != 0 {
		t.Errorf("deny: %+v", r)
	}
	if got := <-exec.code; got != 1 || codeShown.MatchString(shown()) {
		t.Errorf("exec ended with %d; the terminal of the agent shows\n%s", got, shown())
	}
}

// TestExecAsksAtItsTerminal: the gateway shows the code at the terminal of exec, and exec asks for it
// there. If an agent has started exec, no code appears at its terminal, even if it has two terminals.
func TestExecAsksAtItsTerminal(t *testing.T) {
	below := confirm.AgentAbove(os.Getpid()) != "" // the test runs below an agent
	for _, env := range []string{"", "CLAUDECODE=1"} {
		t.Run(env, func(t *testing.T) {
			w := newWorld(t, map[string]string{"home/.toolscript.json": askingConfig, "work/a.txt": "one\ntwo\n"})
			gatewayAt(t, w)
			var stdout kit.Buffer
			terminal, c := (&world{w.dir, append(w.env, env)}).atTerminal(t, &stdout, "exec", readFile)
			shown := terminal.Shown
			waiting := onePending(t, w)
			if env != "" || below {
				kit.Eventually(t, "exec names the command that answers", func() bool { return strings.Contains(shown(), "toolscript approvals allow "+waiting.ID) })
				if r := w.answering(t, "", "deny"); r.code != 0 {
					t.Errorf("deny: %+v", r)
				}
				if err := c.Wait(); err == nil || codeShown.MatchString(shown()) || strings.Contains(shown(), "Allow it?") {
					t.Errorf("exec of an agent: %v; its terminal shows\n%s", err, shown())
				}
				return
			}
			_, code := code(t, shown, 1)
			kit.Eventually(t, "exec asks", func() bool { return strings.Contains(shown(), "Allow it?") })
			if _, err := terminal.Keyboard.WriteString("AAAAAA\n" + code + " run\n"); err != nil {
				t.Fatal(err)
			}
			if err := c.Wait(); err != nil || stdout.String() != "2\n" {
				t.Errorf("exec: %v, %q; its terminal shows\n%s", err, stdout.String(), shown())
			}
			kit.Eventually(t, "exec has refused the wrong code", func() bool { return strings.Contains(shown(), "the code is wrong") })
		})
	}
}
