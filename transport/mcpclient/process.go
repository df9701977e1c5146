package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript/transport/reaper"
)

// How long the end of a process may take. The sum is the bound of Conn.Close;
// it stays below the five seconds in which the whole gateway ends.
const (
	politeExit = time.Second             // after standard input was closed
	termExit   = 1500 * time.Millisecond // after SIGTERM
	killExit   = 500 * time.Millisecond  // after SIGKILL
	holdDelay  = time.Second             // for one outside the group that holds on to the output
	lastOutput = 300 * time.Millisecond  // to read what was written before the end, and again to give that up
)

// process is a server's process and the group it leads, which is where the
// node behind an npx is found.
type process struct {
	cmd    *exec.Cmd
	stdin  *outbox
	stdout *os.File
	reaper *reaper.Reaper // may be nil
	exited chan struct{}  // closed when the process has been waited for and its group is gone
	faulty atomic.Bool    // one of our goroutines panicked; read after exited

	mu        sync.Mutex
	disbanded bool // the group must not be signalled: its number may be another's
}

// startProcess starts argv with exactly env and the reaper's mark, in a process
// group of its own.
func startProcess(argv, env []string, dir string, stderr *tail, on Events, r *reaper.Reaper) (*process, error) {
	path, err := lookPath(argv[0], env)
	if err != nil {
		return nil, err
	}
	// Not the context of the dial: its end would kill the process of a live connection.
	cmd := exec.CommandContext(context.Background(), path, argv[1:]...) //nolint:gosec // running what the user configured is the purpose
	cmd.Args[0] = argv[0]
	env = append(env, r.Begin()...)
	cmd.Env, cmd.Dir, cmd.Stderr, cmd.WaitDelay = env, dir, stderr, holdDelay
	leadGroup(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, childStdout, err := os.Pipe() // cmd's own would be closed by Wait under its reader
	if err != nil {
		return nil, errors.Join(err, stdin.Close())
	}
	cmd.Stdout = childStdout
	err = cmd.Start()
	_ = childStdout.Close() // the child has its own copy, or there is no child
	if err != nil {
		return nil, errors.Join(startError(argv[0], dir, err), stdout.Close())
	}
	p := &process{cmd: cmd, stdin: newOutbox(stdin, maxMessage), stdout: stdout, reaper: r, exited: make(chan struct{})}
	r.Watch(cmd.Process.Pid)
	go p.guard(on, p.stdin.run)
	go func() {
		defer close(p.exited)
		p.guard(on, p.wait)
	}()
	return p, nil
}

// guard runs f. A panic in it ends the process, which nobody looks after then.
func (p *process) guard(on Events, f func()) {
	defer recovered(on, func() { p.faulty.Store(true) }, p.disband)
	f()
}

// startError says what can be done about a command that does not start.
func startError(command, dir string, err error) error {
	if dir != "" {
		if _, missing := os.Stat(dir); missing != nil {
			return fmt.Errorf("cannot start in its working directory: %w", missing)
		}
	}
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("cannot start %q: %w; is it executable?", command, err)
	}
	return fmt.Errorf("cannot start %q: %w", command, err)
}

// lookPath finds a command in the PATH that the server itself will see.
func lookPath(command string, env []string) (string, error) {
	if filepath.Base(command) != command {
		return command, nil
	}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		if !same(name, "PATH") {
			continue
		}
		for _, dir := range filepath.SplitList(value) {
			if !filepath.IsAbs(dir) {
				continue // "." in PATH would run what lies in a project's folder
			}
			if found, err := exec.LookPath(filepath.Join(dir, command)); err == nil {
				return found, nil
			}
		}
	}
	return "", fmt.Errorf(`cannot start %q: no such command in PATH; install it, or give its full path as "command"`, command)
}

// Read reads from the process's standard output. Once the process has ended, a
// read ends where nothing comes for a while; the time that the reader takes
// between two reads does not count.
func (p *process) Read(b []byte) (int, error) {
	select {
	case <-p.exited:
		p.stdoutIdle()
	default:
	}
	return p.stdout.Read(b)
}

// stdoutIdle gives the read under way, or the next one, its time.
func (p *process) stdoutIdle() {
	_ = p.stdout.SetReadDeadline(time.Now().Add(drainIdle)) // fails on Windows, whose pipes know no deadline
}

// wait reaps the process. Where the system can tell of its end before that, the
// group is killed while the dead leader still keeps its number from being given
// to others; this also closes the pipes that grandchildren hold.
func (p *process) wait() {
	if awaitExit(p.cmd.Process.Pid) {
		p.disband()
	}
	_ = p.cmd.Wait() // status has the result; the rest is about pipes
	p.disband()
}

// disband kills what is left of the group, once.
func (p *process) disband() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.disbanded {
		p.disbanded = true
		killGroup(p.cmd.Process)
		p.reaper.Forget(p.cmd.Process.Pid)
	}
}

// signal sends to the group, unless it is gone.
func (p *process) signal(send func(*os.Process)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.disbanded {
		send(p.cmd.Process)
	}
}

// status is how the process ended, as in "exit status 3" and "signal: killed",
// or errFault. It is only known once exited is closed.
func (p *process) status() error {
	if p.faulty.Load() {
		return errFault
	}
	return errors.New(p.cmd.ProcessState.String())
}

// close ends the process as MCP wants it: "closing the input stream, waiting for
// the server to exit, or sending SIGTERM", and then SIGKILL.
func (p *process) close() error {
	_ = p.stdin.Close() // never fails
	if p.gone(politeExit) {
		return nil
	}
	p.signal(terminateGroup)
	if p.gone(termExit) {
		return nil
	}
	return p.kill()
}

// abort ends a process that nobody depends on yet. It still gets a SIGTERM: npx
// may be in the middle of an installation.
func (p *process) abort() error {
	_ = p.stdin.Close() // never fails
	p.signal(terminateGroup)
	if p.gone(politeExit) {
		return nil
	}
	return p.kill()
}

func (p *process) kill() error {
	p.signal(killGroup)
	if p.gone(killExit + holdDelay) {
		return nil
	}
	return fmt.Errorf("process %d did not end after SIGKILL", p.cmd.Process.Pid)
}

func (p *process) gone(within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}
