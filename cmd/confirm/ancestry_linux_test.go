package confirm_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/confirm"
)

// child starts program with the variables env, and below it two shells. The inner shell reads its
// standard input; child returns its process id.
func child(t *testing.T, program string, args []string, env ...string) int {
	t.Helper()
	return childAs(t, program, append([]string{program}, args...), env...)
}

// childAs does the same with another name of the program in its command line.
func childAs(t *testing.T, program string, argv []string, env ...string) int {
	t.Helper()
	const inner = `sh -c 'echo $$; read x; :'; :` // without the last command, the outer shell would exec the inner one
	c := exec.Command(program)
	c.Args = append(slices.Clone(argv), "-c", inner)
	c.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = io.WriteString(in, "\n") // the shell may have ended
		_ = c.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// shellNamed returns a copy of the shell with another name.
func shellNamed(t *testing.T, name string) string {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(shell)
	if err != nil {
		t.Fatal(err)
	}
	named := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(named, text, 0o700); err != nil {
		t.Fatal(err)
	}
	return named
}

// TestAgent checks that an agent is found by the name of its program and by its variables, even if
// only an ancestor process has them.
func TestAgent(t *testing.T) {
	named := shellNamed(t, "claude")
	module := filepath.Join(t.TempDir(), "node_modules", "@openai", "codex", "bin")
	if err := os.MkdirAll(module, 0o700); err != nil {
		t.Fatal(err)
	}
	script, node := filepath.Join(module, "main.sh"), filepath.Join(t.TempDir(), "node")
	for _, file := range []string{script, node} {
		if err := os.WriteFile(file, []byte(`sh -c 'echo $$; read x; :'; :`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		pid  int
		want string
	}{
		"its name":                 {child(t, named, nil), "claude"},
		"its variable":             {child(t, "sh", nil, "CLAUDECODE=1"), "CLAUDECODE"},
		"a script of its package":  {child(t, "sh", []string{script}), "@openai/codex"},
		"its package in QEMU":      {childAs(t, "sh", []string{"/usr/bin/qemu-aarch64", node, "node", script}), "@openai/codex"},
		"the terminal of a person": {child(t, "sh", nil, "CLAUDECODE=", "TERM_PROGRAM=vscode"), confirm.AgentAbove(os.Getpid())}, // the test may run below an agent
		"no such process":          {1 << 30, ""},
	} {
		if got := confirm.AgentAbove(test.pid); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// TestProgram: the client is found by its program, even if another agent started the client.
func TestProgram(t *testing.T) {
	pid := child(t, shellNamed(t, "codex"), nil, "CLAUDECODE=1")
	if got := confirm.ProgramAbove(pid); got != "codex" {
		t.Errorf("Program = %q, want codex", got)
	}
	if got := confirm.AgentAbove(pid); got != "CLAUDECODE" {
		t.Errorf("Agent = %q, want CLAUDECODE", got)
	}
}
