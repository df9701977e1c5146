package deno

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/session"
)

// A Process is a process of Deno that waits for a run or runs it. It implements runner.Runner
// for one run: the process has ended when Run returns.
type Process struct {
	engine     *Engine
	cmd        *exec.Cmd
	folder     string // the only folder that the process may write to
	capability string
	endpoint   *endpoint
	stdin      *os.File
	stdout     *os.File
	frames     *bufio.Reader
	stderr     tail
	release    func() // releases the lifeline
	confined   Confined
	memory     int64         // resident memory when it was ready, in bytes
	done       chan struct{} // closed when the process has ended and its folder is removed
}

var _ runner.Runner = (*Process)(nil)

// Start starts a process and waits until it is ready to run a script. version is part of the
// address of the module that scripts import.
func (e *Engine) Start(ctx context.Context, version string) (*Process, error) {
	p, err := e.spawn(version)
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("start Deno: %w", err)}
	}
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	kind, _, err := frames.Read(p.frames)
	if err == nil && kind != frameReady {
		err = errors.New("it did not report that it is ready")
	}
	if err != nil {
		p.Kill()
		<-p.done
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("start Deno: %w%s", cause(ctx, err), p.exitReason())}
	}
	p.memory = runner.RSS(p.PID())
	return p, nil
}

// cause returns the reason why ctx ended, or err if it has not ended.
func cause(ctx context.Context, err error) error {
	if ended := context.Cause(ctx); ended != nil {
		return ended
	}
	return err
}

// spawn creates the folder and starts the process in it.
func (e *Engine) spawn(version string) (_ *Process, err error) {
	folder, err := e.scratch.sub()
	if err != nil {
		return nil, err
	}
	p := &Process{engine: e, folder: folder, capability: newCapability(), done: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}()
	base := e.loopback.url(p.capability)
	text, err := importMap(base, version)
	if err != nil {
		return nil, err
	}
	mapPath := filepath.Join(folder, "map.json")
	if err := os.WriteFile(mapPath, text, 0o400); err != nil {
		return nil, err
	}
	args := arguments(e.loopback.host(), mapPath, e.loader, "run-"+strings.ToLower(filepath.Base(folder)))
	p.cmd = exec.Command(e.options.Executable, args...) //nolint:gosec,noctx // the user's Deno; it outlives the ctx of its start
	p.cmd.Dir = folder
	p.cmd.Env = environment(base, filepath.Join(folder, "cache"))
	p.cmd.Stderr = &p.stderr
	if err := p.begin(); err != nil {
		return nil, err
	}
	p.endpoint = e.loopback.admit(p.capability)
	e.work.Go(p.wait)
	return p, nil
}

// begin starts the command with pipes for its input and output.
func (p *Process) begin() error {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirIn.Close() //nolint:errcheck // the process has its own
	out, theirOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, in.Close())
	}
	defer theirOut.Close() //nolint:errcheck // the process has its own
	p.cmd.Stdin, p.cmd.Stdout, p.stdin, p.stdout = theirIn, theirOut, in, out
	p.frames = bufio.NewReaderSize(out, 64<<10)
	if p.release, p.confined, err = Start(p.cmd, p.access()); err != nil {
		return errors.Join(err, in.Close(), out.Close())
	}
	return nil
}

// wait reaps the process and removes its folder.
func (p *Process) wait() {
	defer close(p.done)
	_ = p.cmd.Wait() // the result is in cmd.ProcessState
	p.engine.loopback.forget(p.capability)
	_ = p.stdin.Close()
	p.release()
	if err := os.RemoveAll(p.folder); err != nil {
		p.engine.options.Log.Warn("folder of Deno not removed", slog.String("error", err.Error()))
	}
}

// Kill kills the process and its process group. It may be called at any time, and more than
// once.
func (p *Process) Kill() { Kill(p.cmd.Process) }

// end waits for the end of a process that has closed its output, and kills it if it
// continues.
func (p *Process) end() {
	killTimer := time.AfterFunc(session.GracePeriod, p.Kill)
	defer killTimer.Stop()
	<-p.done
}

// Close kills the process and waits until it has ended.
func (p *Process) Close() {
	p.Kill()
	<-p.done
}

// RSS returns the memory that the process holds, in bytes, or 0 if the system does not report
// it.
func (p *Process) RSS() int64 { return runner.RSS(p.PID()) }

// Done returns a channel that is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Folder returns the folder that the process may write to. It is removed after the end of the process.
func (p *Process) Folder() string { return p.folder }

// redact removes the capability from a text. It is invalid after the run, but would look like
// a leaked secret.
func (p *Process) redact(text string) string { return strings.ReplaceAll(text, p.capability, "…") }

// exitReason returns how and why a process ended, in parentheses.
func (p *Process) exitReason() string {
	words := p.cmd.ProcessState.String()
	if said := p.stderr.firstLine(); said != "" {
		words += ": " + said
	}
	return " (" + words + ")"
}

// tail keeps the start of a process's standard error and discards the rest, because a process
// that cannot write would block.
type tail struct {
	mu   sync.Mutex
	text bytes.Buffer
}

const mostStderr = 16 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(p[:min(len(p), mostStderr-t.text.Len())])
	return len(p), nil
}

// ansi matches the colour codes that Deno writes despite NO_COLOR.
var ansi = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\x1b\\[[0-9;]*m") })

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return ansi().ReplaceAllString(t.text.String(), "")
}

func (t *tail) firstLine() string {
	line, _, _ := strings.Cut(strings.TrimSpace(t.String()), "\n")
	return line
}

var _ io.Writer = (*tail)(nil)
