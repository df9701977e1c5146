package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/session"
)

// Options configure a worker. The zero value starts this program.
type Options struct {
	Executable string   // default: this program
	Args       []string // arguments before Command on the command line
	CacheDir   string   // folder for the compiled engine of a sandbox; "" if there is none
	Brief      bool     // the worker ends soon, so it does not return the memory that its start needed

	Log *slog.Logger // for panics of a Host or of this package; default: slog.Default()
}

// closeGrace is how long the gateway waits for a worker to end by itself.
const closeGrace = 250 * time.Millisecond

// A Process is one worker, from its start to its end.
type Process struct {
	cmd    *exec.Cmd
	link   *link
	conn   *duplex
	log    *slog.Logger
	stderr *stderr
	hello  ready
	life   io.Closer     // the worker ends when this closes, and the system closes it when the gateway ends
	unread bool          // it did not read all that was sent to it; valid after done is closed
	done   chan struct{} // closed when the process has been reaped
}

// start starts a worker and waits until it is ready, which takes half a second for a
// sandbox without a cache.
func start(ctx context.Context, role role, o Options) (*Process, error) {
	p, err := spawn(role, o)
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("start a script worker: %w", err)}
	}
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	if err := p.awaitReady(); err != nil {
		p.Kill()
		<-p.done
		err = fmt.Errorf("start a script worker: %w", cmp.Or(context.Cause(ctx), err))
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: err}
	}
	return p, nil
}

// awaitReady waits for the first message of a new worker.
func (p *Process) awaitReady() error {
	kind, payload, err := p.link.read()
	if err != nil {
		return fmt.Errorf("it ended before it was ready%s", p.exitReason())
	}
	if kind != frameReady {
		return fmt.Errorf("its first message was %d instead of ready", kind)
	}
	return json.Unmarshal(payload, &p.hello)
}

func spawn(role role, o Options) (*Process, error) {
	if o.Executable == "" {
		self, err := files.Own()
		if err != nil {
			return nil, err
		}
		o.Executable = self
	}
	pair, err := newPair()
	if err != nil {
		return nil, err
	}
	defer pair.closeTheirs()
	p := &Process{link: newLink(pair.conn), conn: pair.conn, log: cmp.Or(o.Log, slog.Default()), stderr: &stderr{}, done: make(chan struct{})}
	p.link.now = pair.conn.out.WriteNow
	args := append(append([]string{}, o.Args...), Command, string(role), o.CacheDir)
	if o.Brief {
		args = append(args, argBrief)
	}
	p.cmd = exec.Command(o.Executable, args...) //nolint:gosec,noctx // this program; it outlives the ctx of its start
	p.cmd.Env = environment
	p.cmd.Dir = "/"
	p.cmd.Stderr = p.stderr
	if err := pair.start(p.cmd); err != nil {
		return nil, errors.Join(err, pair.closeOurs())
	}
	p.life = pair.life
	go p.wait()
	return p, nil
}

// wait reaps the process, closes the gateway's ends of its pipes, and then closes done.
func (p *Process) wait() {
	defer close(p.done)
	_ = session.Contain(p.log, "wait for a script worker", func() {
		_ = p.cmd.Wait() // the exit status is in cmd.ProcessState
	})
	p.unread = p.conn.unread()
	_ = p.conn.Close()
	_ = p.life.Close()
}

// Kill ends the worker at once. A worker starts no processes, so there is nothing else
// to end.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // os.ErrProcessDone: it has ended by itself
}

// Close ends the worker and waits for its end. An idle worker ends by itself when its pipes
// close; a worker that does not is killed.
func (p *Process) Close() {
	_ = p.conn.Close()
	if !p.ended() {
		p.Kill()
		<-p.done
	}
}

// Done returns a channel that is closed when the worker has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// PID returns the worker's process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Confinement returns the restrictions of the worker, as the worker itself reported them.
func (p *Process) Confinement() []toolscript.Confinement { return p.hello.Confinement }

// RSS returns the memory that the worker holds, in bytes, or 0 if the system does not report
// it.
func (p *Process) RSS() int64 { return runner.RSS(p.PID()) }

// ended waits at most closeGrace for the end of the worker, and reports whether it has ended.
func (p *Process) ended() bool {
	timer := time.NewTimer(closeGrace)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return false
	}
}

// exitReason returns how and why the worker ended, in parentheses, or "" if it is running.
func (p *Process) exitReason() string {
	if !p.ended() {
		return ""
	}
	words := p.cmd.ProcessState.String()
	if forbidden(p.cmd.ProcessState) {
		words += ", for a forbidden system call"
	}
	if said := p.stderr.firstLine(); said != "" {
		words += ": " + said
	}
	return " (" + words + ")"
}

// gone returns the error for a worker that ended during work that may not be the cause.
func (p *Process) gone() error {
	err := fmt.Errorf("the script worker has ended%s; try again", p.exitReason())
	return &toolscript.Error{Kind: toolscript.Unavailable, Err: err}
}
