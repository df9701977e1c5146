package worker

import (
	"errors"
	"io"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner"
)

// TestSandboxKilledBeforeItsJob: if a sandbox is killed before it has read its job, the error says
// that the run has not begun, whether or not the job was written.
func TestSandboxKilledBeforeItsJob(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	for name, writes := range map[string]int{"before the job is written": 0, "after one of two frames": 1, "after the job is written": 2} {
		t.Run(name, func(t *testing.T) {
			s, err := StartSandbox(t.Context(), Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			stop(t, s.PID()) // so that it does not read
			if writes == 0 {
				s.Kill()
				<-s.Done()
			}
			s.link = newLink(&killing{s.conn, s, writes})
			_, err = s.Run(t.Context(), runner.Job{RunID: "r1", Compiled: runner.Compiled{JavaScript: "for (;;);"}}, noHost{})
			if !errors.Is(err, runner.ErrNotBegun) {
				t.Errorf("Run = %v, want %v", err, runner.ErrNotBegun)
			}
			<-s.Done()
		})
	}
}

// stop stops a child process and returns when all its threads have stopped.
func stop(t *testing.T, pid int) {
	t.Helper()
	if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WNOWAIT, nil)
		if err == nil {
			return
		}
		if !errors.Is(err, unix.EINTR) {
			t.Fatal(err)
		}
	}
}

// killing is a connection whose process is killed after some writes.
type killing struct {
	io.ReadWriteCloser
	s      *Sandbox
	writes int
}

func (k *killing) Write(b []byte) (int, error) {
	n, err := k.ReadWriteCloser.Write(b)
	if k.writes--; k.writes == 0 {
		k.s.Kill()
	}
	return n, err
}
