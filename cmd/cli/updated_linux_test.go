package cli_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript/test/kit"
)

// TestUpdateOfARunningGateway: after an update has removed or replaced the program's file, a
// running gateway still runs scripts and command tools, and starts servers.
func TestUpdateOfARunningGateway(t *testing.T) {
	for name, update := range map[string]func(path string) error{
		"removed": os.Remove,
		"replaced": func(path string) error {
			other := path + ".new"
			return errors.Join(os.WriteFile(other, []byte("#!/bin/sh\nexit 9\n"), 0o700), os.Rename(other, path)) //nolint:gosec // it is executed
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"home/.toolscript.json": `{"mcpServers": {
				"demo": {"command": "toolscript", "args": ["mcp-demo"]},
				"words": {"type": "command", "root": ".", "commands": {"say": {"description": "Says a word.", "run": ["echo", "word"]}}}}}`})
			program := filepath.Join(t.TempDir(), "toolscript")
			if err := os.Link(os.Args[0], program); err != nil {
				t.Fatal(err)
			}
			c := exec.CommandContext(t.Context(), program, "gateway", "start", "--worker-idle", "1ms")
			c.Dir, c.Env = w.dir, w.env
			var stderr kit.Buffer
			c.Stderr = &stderr
			stdout, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			lines, url := bufio.NewScanner(stdout), ""
			for url == "" && lines.Scan() {
				_, url, _ = strings.Cut(lines.Text(), "TOOLSCRIPT_GATEWAY_URL=")
			}
			const script = `await tools.demo.listFiles({}); return await tools.words.say({})`
			if r := w.run(t, "exec", "--gateway-url", url, script); r.code != 0 {
				t.Fatalf("before the update: %+v\n%s", r, stderr.String())
			}
			if err := update(program); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{
				{"exec", "--gateway-url", url, script},
				{"servers", "restart", "demo", "--gateway-url", url},
				{"exec", "--gateway-url", url, script + " // again"},
			} {
				if r := w.run(t, args...); r.code != 0 {
					t.Errorf("%v: %+v\n%s", args, r, stderr.String())
				}
			}
			if err := c.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := c.Wait(); err != nil {
				t.Errorf("the end: %v\n%s", err, stderr.String())
			}
		})
	}
}
