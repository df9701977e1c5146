package deno_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/deno"
)

// gatewayCommand makes the test binary a gateway with a script that never ends.
const gatewayCommand = "__gateway"

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == gatewayCommand {
		if err := endless(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 2 && os.Args[1] == deno.MainThreadCommand {
		if err := deno.TryMainThread(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == "run" { // the first argument for Deno
		if err := beHostile(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// endless runs an endless script without limits and prints its process id.
func endless(executable, folder string) error {
	ctx := context.Background()
	e, err := deno.NewEngine(ctx, deno.Options{Executable: executable, Folder: folder})
	if err != nil {
		return err
	}
	p, err := e.Start(ctx, "v")
	if err != nil {
		return err
	}
	j := runner.Job{Compiled: runner.Compiled{JavaScript: `console.log("on"); for (;;);`}, Limits: toolscript.Limits{}}
	_, err = p.Run(ctx, j, &announcer{pid: p.PID()})
	return err
}

// announcer prints the process id when the script writes its first output.
type announcer struct {
	host
	pid int
}

func (a *announcer) Write(runner.Stream, string) { fmt.Println(a.pid) }

// TestKilledGatewayLeavesNothing checks that the processes of the scripts end
// with a killed gateway, and that the next engine removes their folders.
func TestKilledGatewayLeavesNothing(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "deno")
	cmd := exec.Command(os.Args[0], gatewayCommand, executable(t), folder)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed, so an error is expected
	gone := time.After(time.Minute)
	for poll := time.NewTicker(10 * time.Millisecond); alive(pid); {
		select {
		case <-poll.C:
		case <-gone:
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("process %d outlives its gateway", pid)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "engine-*")); len(left) != 1 {
		t.Fatalf("the killed gateway has left %v, want one folder to sweep", left)
	}
	e, err := deno.NewEngine(t.Context(), deno.Options{Executable: executable(t), Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("the next engine has left %v", left)
	}
}

// alive reports whether a process runs. A zombie, which has ended but was not waited for, does not run.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(rest, "Z")
}
