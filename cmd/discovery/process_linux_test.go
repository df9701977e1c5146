package discovery_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/cmd/discovery"
)

// A killed gateway stays in /proc until its parent calls wait. The name of the command makes
// its line in /proc hard to parse.
func TestKilledProcessIsStaleBeforeItIsReaped(t *testing.T) {
	folder := discovery.In(t.TempDir())
	child := startCat(t, ") Z 1 (")
	e := write(t, folder, discovery.Entry{URL: capability})
	e.PID, e.StartTime = child.Pid, startTimeOf(t, child.Pid)
	processScope(t, folder, fileName(e), e)
	if got := list(t, folder); len(got) != 2 {
		t.Fatalf("List = %v, want this process and its child", got)
	}
	if err := child.Kill(); err != nil {
		t.Fatal(err)
	}
	// Wait for the end without reaping the zombie.
	if err := unix.Waitid(unix.P_PID, child.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if got := list(t, folder); len(got) != 1 || got[0].PID != os.Getpid() {
		t.Errorf("List = %v, want this process alone", got)
	}
}

// startCat starts cat under a name. It waits for its standard input.
func startCat(t *testing.T, name string) *os.Process {
	t.Helper()
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Skip(err)
	}
	link := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(cat, link); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), link)
	cmd.Args = []string{"cat"}
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // killed, so Wait returns an error
	return cmd.Process
}

func startTimeOf(t *testing.T, pid int) uint64 {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	start, err := strconv.ParseUint(fields[19], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return start
}
