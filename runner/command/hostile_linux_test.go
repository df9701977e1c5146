package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/toolscript/toolscript/runner/command"
	"github.com/toolscript/toolscript/test/fixture/hostile"
)

func init() { programs["__attack"] = attack }

// attack makes the attempts of package hostile and prints the outcome of each.
func attack(args []string) int {
	var target hostile.Target
	if err := json.Unmarshal([]byte(args[0]), &target); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	runtime.LockOSThread()
	outcomes := map[string]string{}
	for name, attempt := range target.Attempts() {
		outcomes[name] = ""
		if err := attempt(); err != nil {
			outcomes[name] = err.Error()
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(outcomes); err != nil {
		return 1
	}
	return 0
}

// succeeded returns the names of the attempts that succeeded, and the number of all attempts.
func succeeded(t *testing.T, text string) (names []string, all int) {
	t.Helper()
	var outcomes map[string]string
	if err := json.Unmarshal([]byte(text), &outcomes); err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	for name, problem := range outcomes {
		if problem == "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, len(outcomes)
}

// TestHostileProgram: a program can access no other process, and no attributes of files outside, keys,
// namespaces or devices, with and without the network. Without restrictions, most of the same
// attempts succeed.
func TestHostileProgram(t *testing.T) {
	victim := exec.CommandContext(t.Context(), "sleep", "1000")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = victim.Process.Kill(), victim.Wait() })
	s, outside := spec(t), t.TempDir()
	target := hostile.Target{Victim: victim.Process.Pid, File: filepath.Join(outside, "file"), Folder: s.Root}
	file(t, target.File)
	text, err := json.Marshal(target)
	if err != nil {
		t.Fatal(err)
	}
	free, err := exec.CommandContext(t.Context(), executable(t), "__attack", string(text)).Output()
	if err != nil {
		t.Fatal(err)
	}
	names, all := succeeded(t, string(free))
	t.Logf("without restrictions, %d of %d attempts succeed", len(names), all)
	if all < 35 || len(names) < all/2 {
		t.Errorf("without restrictions, %d of %d attempts succeed; want most: %s", len(names), all, free)
	}
	for _, network := range []bool{false, true} {
		s.Network, s.Args = network, []string{executable(t), "__attack", string(text)}
		result := run(t, s)
		if names, _ := succeeded(t, result.Stdout); len(names) > 0 {
			t.Errorf("with the network %t, succeeded: %q", network, names)
		}
	}
}

// TestHelperIsOutOfReach: no thread of the helper runs under the restrictions of the program, which
// could otherwise trace and signal it. Opening the environment of a thread needs the right to trace
// it, so the shell tries that while the helper is still starting the program.
func TestHelperIsOutOfReach(t *testing.T) {
	if !command.Confinement()[0].Active {
		t.Skip("this system has no Landlock")
	}
	const script = `i=0; while [ $i -lt 300 ]; do for thread in /proc/$PPID/task/*; do
		if true < $thread/environ; then echo $thread; exit; fi; done; i=$((i+1)); done 2>/dev/null`
	for range 10 {
		if got := run(t, spec(t, "sh", "-c", script)); got.Stdout != "" || got.ExitCode != 0 {
			t.Fatalf("reached %q, exit code %d, %s", got.Stdout, got.ExitCode, got.Stderr)
		}
	}
}
