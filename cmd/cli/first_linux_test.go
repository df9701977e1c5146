package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript/test/kit"
)

// asFirst returns a command that runs this program as process 1 of a PID namespace.
func (w *world) asFirst(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Dir, c.Env = w.dir, w.env
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	if uid := os.Getuid(); uid != 0 {
		c.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	}
	return c
}

// TestFirstProcess: as process 1 of a container, a gateway reaps the orphans of its server, so that
// they do not stay as zombies, and ends at SIGTERM.
func TestFirstProcess(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": fmt.Sprintf(
		`{"mcpServers": {"demo": {"command": "sh", "args": ["-c", "for i in 1 2 3 4 5; do (true &); done; exec $0 mcp-demo", %q]}}}`, os.Args[0])})
	c := w.asFirst(t, "gateway", "start")
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr kit.Buffer
	c.Stderr = &stderr
	switch err := c.Start(); {
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.ENOSPC):
		t.Skipf("this machine allows no PID namespaces: %v", err)
	case err != nil:
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	url := ""
	for url == "" && lines.Scan() {
		_, url, _ = strings.Cut(lines.Text(), "TOOLSCRIPT_GATEWAY_URL=")
	}
	// list-tools waits for the server. A script may not start: the new namespace has no /proc of its own.
	if r := w.run(t, "list-tools", "demo", "--gateway-url", url); r.code != 0 || !strings.Contains(r.stdout, "list_files") {
		t.Errorf("list-tools: %+v; the gateway: %s", r, stderr.String())
	}
	children := 0
	kit.Eventually(t, "process 1 has no zombies", func() bool {
		all, zombies := childrenOf(t, c.Process.Pid)
		children = all
		return zombies == 0
	})
	if children == 0 {
		t.Error("process 1 has no child that does the work")
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v: %s", err, stderr.String())
	}
}

// TestCodeOfTheFirstProcess: process 1 ends with the exit code of the command. The command needs no worker: the new namespace has
// no /proc of its own, in which a worker of a program built with cgo looks for its threads.
func TestCodeOfTheFirstProcess(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": `{"mcpServers": {}}`})
	var failed *exec.ExitError
	out, err := w.asFirst(t, "exec").CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
		t.Skipf("this machine allows no PID namespaces: %v", err)
	}
	if !errors.As(err, &failed) || failed.ExitCode() != 2 || !strings.Contains(string(out), "missing argument") {
		t.Errorf("%v: %s; want the exit code 2", err, out)
	}
}

// childrenOf returns the number of children of a process, and of the zombies among them.
func childrenOf(t *testing.T, parent int) (all, zombies int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the process has ended
		}
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(fields) < 2 || string(fields[1]) != fmt.Sprint(parent) {
			continue
		}
		all++
		if string(fields[0]) == "Z" {
			zombies++
		}
	}
	return all, zombies
}
