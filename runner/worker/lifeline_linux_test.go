package worker_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/worker"
)

// gatewayCommand makes the test binary a gateway with a script that does not end.
const gatewayCommand = "__gateway"

func init() { testRoles[gatewayCommand] = func(args []string) int { return runGateway(args[0]) } }

// runGateway prints the process id of its worker and then runs an endless script on
// it.
func runGateway(cacheDir string) int {
	s, err := worker.StartSandbox(context.Background(), worker.Options{CacheDir: cacheDir})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(s.PID())
	const code = `console.log("begun"); new Array(2 ** 32 - 1).join("")`
	job := runner.Job{Compiled: runner.Compiled{JavaScript: code}, Names: names}
	_, err = s.Run(context.Background(), job, &host{write: func(_ runner.Stream, text string) { fmt.Print(text) }})
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// TestWorkerEndsWithItsGateway kills a gateway whose worker is stopped and cannot notice that, like
// a worker in code that never returns to Go.
func TestWorkerEndsWithItsGateway(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	startSandbox(t) // fills the cache
	gateway := exec.CommandContext(t.Context(), self, gatewayCommand, cacheDir)
	gateway.Stderr = os.Stderr
	output, err := gateway.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := gateway.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	lines.Scan()
	pid, err := strconv.Atoi(lines.Text())
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(fd) }()
	if lines.Scan(); lines.Text() != "begun" {
		t.Fatalf("the script printed %q", lines.Text())
	}
	if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := gateway.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = gateway.Wait()
	ended := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	if n, err := unix.Poll(ended, 10_000); n != 1 || err != nil {
		t.Errorf("worker %d outlives its gateway by 10 s (%v)", pid, err)
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

func TestCloseEndsAWorkerThatIsStuck(t *testing.T) {
	s := startSandbox(t)
	if err := unix.Kill(s.PID(), unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s.Close()
	select {
	case <-s.Done():
	default:
		t.Error("the worker is still there")
	}
}

// children returns the process ids of this process's children that have not been
// waited for.
func children() []string {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	var all []string
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		all = append(all, strings.Fields(string(text))...)
	}
	return all
}
