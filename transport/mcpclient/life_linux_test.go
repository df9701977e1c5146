package mcpclient_test

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/fixture/pace"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// dead reports whether a process has ended. A zombie counts as dead, because kill(pid, 0) still
// succeeds until process 1 reaps it.
func dead(t *testing.T, pid int) bool {
	t.Helper()
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return true
	}
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(stat), ") ") // the name before it may contain any character
	return strings.HasPrefix(after, "Z") || strings.HasPrefix(after, "X")
}

// grandchild returns the id of the process that the server started for the switch of that name, or
// 0 if stderr does not contain the id yet.
func grandchild(t *testing.T, stderr []string) int {
	t.Helper()
	for _, line := range stderr {
		if number, ok := strings.CutPrefix(line, "grandchild "); ok {
			pid, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	return 0
}

func TestGrandchildEndsWithTheServer(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(*testing.T, *mcpclient.Conn)
	}{
		{"Close", func(t *testing.T, c *mcpclient.Conn) {
			t.Helper()
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}},
		{"kill -9 of its parent", func(t *testing.T, c *mcpclient.Conn) {
			t.Helper()
			if err := syscall.Kill(pid(t, c), syscall.SIGKILL); err != nil {
				t.Error(err)
			}
			wantText(t, "Err", awaitLost(t, c).Error(), "signal: killed")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := dial(t, config(t, "grandchild"), upstream.Events{})
			var child int
			kit.Eventually(t, "a grandchild", func() bool { child = grandchild(t, c.Stderr()); return child != 0 })
			if dead(t, child) {
				t.Fatal("the grandchild is dead before its time")
			}
			start := time.Now()
			tt.end(t, c)
			kit.Eventually(t, "the end of the grandchild", func() bool { return dead(t, child) })
			t.Logf("took %v", time.Since(start))
		})
	}
}

// A process that has left the group is not killed, and does not delay Close for long.
func TestEscapedGrandchildBlocksNothing(t *testing.T) {
	c := dial(t, config(t, "escaped"), upstream.Events{})
	var child int
	kit.Eventually(t, "a grandchild", func() bool { child = grandchild(t, c.Stderr()); return child != 0 })
	t.Cleanup(func() { _ = syscall.Kill(child, syscall.SIGKILL) })
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	wantText(t, "Err", awaitLost(t, c).Error(), "exit status 0")
	if dead(t, child) {
		t.Error("the grandchild is dead, so this test shows nothing")
	}
}

// The worst case: the server ignores SIGTERM, and a grandchild has left the group and holds the
// server's output open.
func TestCloseKillsAServerWithAnEscapedGrandchild(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	c := dial(t, config(t, "ignore-signals", "escaped"), upstream.Events{})
	server := pid(t, c)
	var child int
	kit.Eventually(t, "a grandchild", func() bool { child = grandchild(t, c.Stderr()); return child != 0 })
	t.Cleanup(func() { _ = syscall.Kill(child, syscall.SIGKILL) })
	start := time.Now()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took >= pace.Limit(5*time.Second) {
		t.Errorf("Close took %v", took)
	}
	if !dead(t, server) {
		t.Error("the server lives after Close")
	}
}

func TestFailedDialLeavesNoProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	for _, switches := range [][]string{
		{"grandchild", "silent"},
		{"grandchild", "garbage"},
		{"grandchild", "ignore-signals", "hang=1h"},
		{"grandchild", "version=1999-12-31"},
	} {
		t.Run(strings.Join(switches, " "), func(t *testing.T) {
			_, stderr := refused(t, config(t, switches...), time.Second)
			child := grandchild(t, stderr)
			if child == 0 {
				t.Fatalf("no grandchild in %q", stderr)
			}
			kit.Eventually(t, "the end of the grandchild", func() bool { return dead(t, child) })
		})
	}
}
