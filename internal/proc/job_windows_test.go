package proc_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"github.com/toolscript/toolscript/internal/proc"
)

// jobRole is an environment variable. It makes the test binary a process of TestJobEndsWithItsHolder.
const jobRole = "JOB_ROLE"

// jobPlays maps roles to main functions: the holder starts a leader in a job, and the leader starts a
// descendant, which stays in the job.
var jobPlays = map[string]func(cmd *exec.Cmd) error{
	"holder": func(cmd *exec.Cmd) error {
		cmd.Env = append(os.Environ(), jobRole+"=leader")
		_, err := proc.StartInJob(cmd, proc.JobLimits{})
		return err
	},
	"leader": func(cmd *exec.Cmd) error {
		cmd.Env = append(os.Environ(), jobRole+"=descendant")
		return cmd.Start()
	},
	"descendant": func(*exec.Cmd) error { return nil },
}

func init() {
	play, is := jobPlays[os.Getenv(jobRole)]
	if !is {
		return
	}
	fmt.Println(os.Getpid())
	cmd := exec.Command(os.Args[0])
	cmd.Stdout = os.Stdout
	if err := play(cmd); err != nil {
		fmt.Println(err)
	}
	time.Sleep(time.Hour) // the test kills it
}

// TestJobEndsWithItsHolder kills a process that has started a leader in a job. The leader and its descendant
// must end.
func TestJobEndsWithItsHolder(t *testing.T) {
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), jobRole+"=holder")
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	var processes []windows.Handle
	for lines := bufio.NewScanner(out); len(processes) < len(jobPlays) && lines.Scan(); {
		pid, err := strconv.ParseUint(strings.TrimSpace(lines.Text()), 10, 32)
		if err != nil {
			t.Fatalf("a process said %q", lines.Text())
		}
		process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = windows.CloseHandle(process) }()
		processes = append(processes, process)
	}
	if len(processes) != len(jobPlays) {
		t.Fatalf("%d processes of %d have started", len(processes), len(jobPlays))
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for i, process := range processes {
		if state, err := windows.WaitForSingleObject(process, 30_000); err != nil || state != windows.WAIT_OBJECT_0 {
			t.Errorf("process %d runs on after the end of the first: %d, %v", i, state, err)
		}
	}
	_ = holder.Wait() // it was killed
}
