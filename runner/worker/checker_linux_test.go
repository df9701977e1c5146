package worker_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/worker"
)

// TestBusyMachine stops the checker for longer than a script's limit of work. The checker's answer
// still counts, and its findings concern only the script.
func TestBusyMachine(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	c := startChecker(t)
	src := runner.Source{Code: "const n: number = 'x'; return n"}
	compiled, found, err := c.Compile(t.Context(), src)
	if err != nil || len(found) > 0 {
		t.Fatalf("Compile = %+v, %v", found, err)
	}
	for what, look := range map[string]func() error{
		"compiling": func() error {
			_, found, err := c.Compile(t.Context(), src)
			if len(found) > 0 {
				t.Errorf("compiling found %v", lines(found))
			}
			return err
		},
		"checking": func() error {
			found, err := c.Check(t.Context(), runner.TypeCheck{Source: src, Returns: compiled.Returns, Module: demo})
			if len(found) != 1 || found[0].Code != "TS2322" {
				t.Errorf("checking found %v, want TS2322", lines(found))
			}
			return err
		},
	} {
		halt(t, c.PID())
		done := make(chan error, 1)
		go func() { done <- look() }()
		select {
		case err := <-done:
			t.Fatalf("%s ended without a processor: %v", what, err)
		case <-time.After(worker.SourceLimit.Work + 500*time.Millisecond):
		}
		if err := syscall.Kill(c.PID(), syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// halt stops a process and waits until all its threads have stopped.
func halt(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for deadline := time.After(time.Minute); !stands(t, pid); {
		select {
		case <-deadline:
			t.Fatal("the process does not stop")
		case <-time.After(time.Millisecond):
		}
	}
}

func stands(t *testing.T, pid int) bool {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil || len(threads) == 0 {
		t.Fatalf("no threads of process %d: %v", pid, err)
	}
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			t.Fatal(err)
		}
		if _, fields, _ := bytes.Cut(text, []byte(") ")); fields[0] != 'T' {
			return false
		}
	}
	return true
}

// TestCheckerOutOfMemory checks that a checker is killed before it fills the memory of the machine,
// that a finding says so, and that the next checker works.
func TestCheckerOutOfMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	limit := worker.SourceLimit
	defer func() { worker.SourceLimit = limit }()
	worker.SourceLimit = runner.Usage{Work: 10 * limit.Work, Wall: 10 * limit.Wall} // filling the memory needs about as much work
	c := startChecker(t)
	found, err := c.Check(t.Context(), runner.TypeCheck{Source: runner.Source{Code: doubling(), File: "large.ts"}, Module: demo})
	const want = "large.ts:1:1 limit "
	if err != nil || len(found) != 1 || !strings.HasPrefix(lines(found)[0], want) || !strings.Contains(lines(found)[0], " 512 MB ") {
		t.Errorf("Check = %q, %v; want %q", lines(found), err, want)
	}
	<-c.Done()
	if got := typesOf(t, startChecker(t), runner.Source{Code: "const n: number = 1; return n"}); len(got) > 0 {
		t.Errorf("the next checker finds %q", got)
	}
}

// largeCommand makes the test binary a worker that keeps 400 MB.
const largeCommand = "__large"

func init() {
	testRoles[largeCommand] = func([]string) int {
		kept := bytes.Repeat([]byte{1}, 400<<20)
		gateway := newEnds()
		if _, err := io.WriteString(gateway, frame(readyFrame, "{}")); err != nil {
			return 1
		}
		_, _ = io.Copy(io.Discard, gateway) // until the gateway closes the connection
		return int(kept[0]) - 1
	}
}

// TestWorn checks that a checker is replaced after a number of requests, or if it keeps too much memory.
func TestWorn(t *testing.T) {
	c := startChecker(t)
	c.Age(worker.WornRequests - 2)
	for _, want := range []bool{false, true} {
		if _, _, err := c.Compile(t.Context(), runner.Source{Code: "1"}); err != nil {
			t.Fatal(err)
		}
		if c.Worn() != want {
			t.Errorf("worn with %d MB after %d requests: %t, want %t", c.RSS()>>20, c.Answered(), c.Worn(), want)
		}
	}
	large, err := worker.StartChecker(t.Context(), worker.Options{Args: []string{largeCommand, "it keeps"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(large.Close)
	if !large.Worn() {
		t.Errorf("a checker that keeps %d MB is not worn", large.RSS()>>20)
	}
}
