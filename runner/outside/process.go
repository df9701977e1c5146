package outside

import (
	"context"
	"errors"
	"os/exec"
	"sync"

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/internal/landlock"
	"github.com/toolscript/toolscript/runner/internal/proc"
	"github.com/toolscript/toolscript/runner/internal/tether"
)

// mostMemory is what a compiler may hold while it looks at one script.
const mostMemory = 512 << 20

// A process is a compiler under way.
type process struct {
	cmd     *exec.Cmd
	release func()
	done    chan struct{} // closed when it has been waited for
	kill    context.CancelCauseFunc
	ctx     context.Context // ends with the process; its cause is why it was killed
	stop    func() bool
	watch   proc.Watch
	exit    error

	closing sync.Once
}

// begin starts a compiler that is killed when ctx ends, it takes longer than limit
// or holds too much.
func begin(ctx context.Context, cmd *exec.Cmd, a landlock.Access, limit runner.Effort) (*process, error) {
	release, _, err := tether.Start(cmd, a)
	if err != nil {
		return nil, unavailable(err)
	}
	p := &process{cmd: cmd, release: release, done: make(chan struct{})}
	p.ctx, p.kill = context.WithCancelCause(ctx)
	p.stop = context.AfterFunc(p.ctx, func() { tether.Kill(cmd.Process) })
	p.watch = proc.StartWatch(cmd.Process.Pid, proc.Bounds{Memory: mostMemory, Most: limit}, p.kill)
	go func() {
		p.exit = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// wait waits for the end of the process. The error is why it was killed.
func (p *process) wait() error {
	<-p.done
	p.closing.Do(func() {
		_ = p.watch.Stop() // why it has killed is the cause of the end of ctx
		p.stop()
		p.release()
	})
	return context.Cause(p.ctx)
}

// errDone is why a process is killed that is needed no more.
var errDone = errors.New("it has answered")

// end kills the process. The error is why it was killed before, or err.
func (p *process) end(err error) error {
	p.kill(errDone)
	if cause := p.wait(); !errors.Is(cause, errDone) {
		return cause
	}
	return err
}
