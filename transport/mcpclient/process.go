package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/internal/rawio"
	"github.com/toolscript/toolscript/internal/redact"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/upstream"
)

// undoExit is how long a package manager may run after the SIGTERM at the time limit of a start. In this time it
// can remove what it has installed. It is longer than the limit of Close. Only tests change it.
var undoExit = 5 * time.Second

// Time limits for the end of a process. Their sum is the limit of Conn.Close; it is below the five seconds in
// which the gateway exits.
const (
	closeExit  = time.Second             // after closing standard input
	termExit   = 1500 * time.Millisecond // after SIGTERM
	killExit   = 500 * time.Millisecond  // after SIGKILL
	holdDelay  = time.Second             // for a process outside of the group that keeps the output open
	lastOutput = 300 * time.Millisecond  // to read the remaining output, and again to abandon it
)

// process is a server's process and the process group that it leads. The group
// includes children such as the node process that npx starts.
type process struct {
	cmd    *exec.Cmd
	group  group
	stdin  *outbox
	stdout *rawio.File
	stderr *os.File
	copied chan struct{} // closed when standard error has ended
	start  *proc.Start
	reaper *proc.Reaper  // may be nil
	exited chan struct{} // closed when the process was reaped and its group has ended
	faulty atomic.Bool   // one of our goroutines has panicked; valid after exited is closed
	deaf   bool          // the process has not read all of its input; valid after exited is closed

	mu         sync.Mutex
	groupEnded bool // the group must not be signalled any more, because its id may have been reused
}

// startIn starts a process in a folder. It resolves the folder beneath the folder of the project.
func startIn(project files.Folder, start upstream.Start, dir string, log *tail, on upstream.Events, r *proc.Reaper) (*process, error) {
	held, err := project.Hold(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, startError("", dir, err)
	case err != nil:
		return nil, upstream.Lasting("cannot start in its working directory: %w", err)
	}
	defer held.Close()
	return startProcess(start, held.Path(), log, on, r)
}

// startProcess starts a process, with the reaper's mark in its environment, in a new
// process group.
func startProcess(start upstream.Start, dir string, log *tail, on upstream.Events, r *proc.Reaper) (*process, error) {
	argv := start.Args
	path, err := upstream.LookPath(argv[0], start.Env)
	if err != nil {
		return nil, err
	}
	// The process must outlive the context of the dial.
	cmd, err := proc.Program(context.Background(), dir, path, argv[1:])
	if err != nil {
		return nil, err
	}
	cmd.Args[0] = argv[0]
	cmd.Env = append(start.Env, r.Begin()...)
	cmd.ExtraFiles = start.Files
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, childStdout, err := os.Pipe() // with cmd.StdoutPipe, Wait could close the pipe before the reader has finished
	if err != nil {
		return nil, errors.Join(err, stdin.Close())
	}
	stderr, childStderr, err := os.Pipe() // another process may continue to read it, see leave
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), stdout.Close(), childStdout.Close())
	}
	cmd.Stdout, cmd.Stderr = childStdout, childStderr
	group, err := startGroup(cmd)
	_, _ = childStdout.Close(), childStderr.Close() // the child has its own copies, or it was not started
	if err != nil {
		return nil, errors.Join(startError(argv[0], dir, err), stdout.Close(), stderr.Close())
	}
	p := &process{
		cmd: cmd, group: group, stdin: newOutbox(stdin, maxMessage), stdout: rawio.New(stdout), stderr: stderr,
		copied: make(chan struct{}), start: log.start, reaper: r, exited: make(chan struct{}),
	}
	r.Watch(cmd.Process.Pid, start.Install)
	p.start.Process(cmd.Process.Pid, stdout)
	go p.guard(on, p.stdin.run)
	go func() {
		defer close(p.copied)
		p.guard(on, func() { _, _ = io.Copy(log, stderr) }) // an error ends the log only
	}()
	go func() {
		defer close(p.exited)
		p.guard(on, p.wait)
	}()
	return p, nil
}

// guard runs f. A panic in f ends the process, because its connection cannot
// continue.
func (p *process) guard(on upstream.Events, f func()) {
	defer rescue.Catch(panicked(on, func() { p.faulty.Store(true) }, p.endGroup))
	f()
}

// startError explains why a command cannot be started and what to do.
func startError(command, dir string, err error) error {
	if dir != "" {
		if _, missing := os.Stat(dir); missing != nil {
			return upstream.Lasting("cannot start in its working directory: %w; make the folder, or correct \"cwd\" in .toolscript.json", missing)
		}
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return upstream.Lasting("cannot start %q: %w; is it executable?", command, err)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound): // Windows returns the second error
		return upstream.Lasting(`cannot start %q: %w; install it, or correct "command" in .toolscript.json`, command, err)
	}
	return fmt.Errorf("cannot start %q: %w", command, err)
}

// FindProgram returns an error if the program of a stdio server does not exist. host is
// the environment of the gateway, in the form of os.Environ.
func FindProgram(host []string, cfg upstream.Config) error {
	return namingVariables(cfg, findProgram(host, cfg))
}

// shortestNamed is the length in bytes of the shortest value that namingVariables replaces by its name.
// Such an error contains only text of the configuration and the system, so short values are no words.
const shortestNamed = 3

// namingVariables replaces the values of the configuration's variables by their names in an error about
// the program of a server.
func namingVariables(cfg upstream.Config, err error) error {
	var known *toolscript.Error
	if errors.As(err, &known) { // the errors that wrap it add no text
		err = known
	}
	return upstream.RedactorOf(redact.NewFrom(shortestNamed, cfg.Secrets)).Error(err)
}

func findProgram(host []string, cfg upstream.Config) error {
	path, err := upstream.LookPath(cfg.Command, environment(host, cfg).vars)
	if err != nil {
		return err
	}
	if cfg.Dir != "" {
		path = files.Absolute(cfg.Dir, path)
	}
	if _, err := exec.LookPath(path); err != nil {
		return startError(cfg.Command, cfg.Dir, errors.Unwrap(err))
	}
	return nil
}

// Read reads from the process's standard output. After the process has ended, Read fails if no
// output arrives for drainIdle during one read.
func (p *process) Read(b []byte) (int, error) {
	select {
	case <-p.exited:
		p.stdoutIdle()
	default:
	}
	n, err := p.stdout.Read(b)
	p.start.Answered(n)
	return n, err
}

// stdoutIdle sets the deadline of the current or next read.
func (p *process) stdoutIdle() {
	_ = p.stdout.SetReadDeadline(time.Now().Add(drainIdle)) // fails on Windows, where pipes have no deadlines
}

// wait reaps the process and kills its group. If the system can report the end of a process before
// it is reaped, wait kills the group first, because the id of the group cannot be reused before the
// leader is reaped. Killing the group also closes the pipes that grandchildren hold.
func (p *process) wait() {
	if awaitExit(p.cmd.Process.Pid) {
		pipe, is := p.stdin.to.(syscall.Conn)
		p.deaf = is && unread(pipe)
		p.endGroup()
	}
	_ = p.cmd.Wait() // status returns the result; other errors concern the pipes
	p.endGroup()
	late := time.AfterFunc(holdDelay, func() { _ = p.stderr.Close() }) // makes the read fail
	<-p.copied
	late.Stop()
	_ = p.stderr.Close() // it was only read
}

// endGroup kills the rest of the group, once.
func (p *process) endGroup() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.groupEnded {
		p.groupEnded = true
		p.group.end()
		p.reaper.Forget(p.cmd.Process.Pid)
	}
}

// signal signals the group if it still exists.
func (p *process) signal(send func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.groupEnded {
		send()
	}
}

// status returns the exit status, as in "exit status 3" and "signal: killed", or
// errFault. It is valid after exited is closed.
func (p *process) status() error {
	if p.faulty.Load() {
		return upstream.ErrFault
	}
	return errors.New(p.cmd.ProcessState.String())
}

// close ends the process as MCP requires: it closes the input, waits until the server exits, then
// sends SIGTERM, and then SIGKILL.
func (p *process) close() error {
	_ = p.stdin.Close() // never fails
	if p.gone(closeExit) {
		return nil
	}
	p.signal(p.group.terminate)
	if p.gone(termExit) {
		return nil
	}
	return p.kill()
}

// abort ends a process that has no calls in flight. It sends SIGTERM at once.
func (p *process) abort() error { return p.terminate(closeExit) }

// undo is like abort, but gives a package manager time to remove a partial installation.
func (p *process) undo() error { return p.terminate(undoExit) }

func (p *process) terminate(within time.Duration) error {
	_ = p.stdin.Close() // never fails
	p.signal(p.group.terminate)
	if p.gone(within) {
		return nil
	}
	return p.kill()
}

func (p *process) kill() error {
	p.signal(p.group.kill)
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
