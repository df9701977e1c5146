package runner_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// TestMain makes the test binary a process to watch if its argument names an action.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		if do := actions[os.Args[1]]; do != nil {
			do()
			return
		}
	}
	os.Exit(m.Run())
}

// actions are what such a process does. An action never ends, or ends at the end of standard input.
var actions = map[string]func(){
	"computes": func() {
		for n := uint64(0); ; n++ {
			runtime.KeepAlive(n)
		}
	},
	"waits": wait,
	"holds 96 MB": func() {
		held := bytes.Repeat([]byte{1}, 96<<20)
		wait()
		_ = held[len(held)-1]
	},
}

func wait() { _, _ = io.Copy(io.Discard, os.Stdin) }

// begin starts a process that is killed at the end of the test.
func begin(t *testing.T, action string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], action)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed, so an error is expected
	})
	return cmd
}

// most is a limit that no test reaches.
const most = time.Hour

func TestWatch(t *testing.T) {
	for _, test := range []struct {
		action string
		bounds runner.Bounds
		want   toolscript.Kind
	}{
		{"computes", runner.Bounds{Memory: 1 << 40, Most: runner.Usage{Work: 200 * time.Millisecond, Wall: most}}, toolscript.LimitTime},
		{"computes", runner.Bounds{Memory: 1 << 40, Most: runner.Usage{Work: most, Wall: most}, Spent: runner.Usage{Work: most}}, toolscript.LimitTime},
		{"waits", runner.Bounds{Memory: 1 << 40, Most: runner.Usage{Work: most, Wall: 200 * time.Millisecond}}, toolscript.LimitTime},
		{"waits", runner.Bounds{Memory: 1 << 40, Most: runner.Usage{Work: most, Wall: most}, Spent: runner.Usage{Wall: most}}, toolscript.LimitTime},
		{"holds 96 MB", runner.Bounds{Memory: 64 << 20, Most: runner.Usage{Work: most, Wall: most}}, toolscript.LimitMemory},
	} {
		cmd := begin(t, test.action)
		killed := make(chan error, 1)
		w := runner.StartWatch(cmd.Process.Pid, test.bounds, func(why error) { killed <- why })
		select {
		case why := <-killed:
			if toolscript.KindOf(why) != test.want {
				t.Errorf("a process that %s within %+v was killed for %v, want %s", test.action, test.bounds, why, test.want)
			}
		case <-time.After(time.Minute):
			t.Errorf("a process that %s went on within %+v", test.action, test.bounds)
		}
		worked := w.Worked()
		if why := w.Stop(); why == nil || why.Kind != test.want {
			t.Errorf("a process that %s within %+v: %v, want %s", test.action, test.bounds, why, test.want)
		}
		if computes := test.bounds.Most.Work != most; computes && worked < test.bounds.Most.Work {
			t.Errorf("it was killed after %s of work, of which it has %s", worked, test.bounds.Most.Work)
		}
	}
}

// TestWatchWithinBounds checks that a process is not killed if it waits for longer than its limit of
// work, or if its watch was stopped.
func TestWatchWithinBounds(t *testing.T) {
	const work = 500 * time.Millisecond
	waits, computes := begin(t, "waits"), begin(t, "computes")
	all := map[string]runner.Watch{}
	for name, cmd := range map[string]*exec.Cmd{"waits": waits, "computes": computes} {
		b := runner.Bounds{Memory: 1 << 40, Most: runner.Usage{Work: work, Wall: most}}
		all[name] = runner.StartWatch(cmd.Process.Pid, b, func(why error) {
			if name == "waits" {
				t.Errorf("a process that waits was killed: %v", why)
			}
		})
	}
	// When the process that computes exceeds its limit of work, the other one has waited for the same time.
	for deadline := time.After(time.Minute); all["computes"].Worked() <= work; {
		select {
		case <-deadline:
			t.Fatal("the process that computes has no processor")
		case <-time.After(10 * time.Millisecond):
		}
	}
	_ = all["computes"].Stop() // it may have been killed meanwhile
	if worked, passed := all["waits"].Worked(), all["waits"].Passed(); worked > work || passed <= work {
		t.Errorf("in %s the process that waits has worked %s, of which it may %s", passed, worked, work)
	}
	if why := all["waits"].Stop(); why != nil {
		t.Errorf("it was killed: %v", why)
	}
}

// TestClockOfAnEndedProcess checks that a process that has ended reports no work.
func TestClockOfAnEndedProcess(t *testing.T) {
	cmd := begin(t, "computes")
	clock := runner.StartWorkClock(cmd.Process.Pid)
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // killed, so an error is expected
	if worked := clock.Worked(); worked != 0 {
		t.Errorf("a process that is gone has worked %s", worked)
	}
}
