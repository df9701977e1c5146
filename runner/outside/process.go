package outside

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/internal/landlock"
	"github.com/toolscript/toolscript/runner/internal/proc"
	"github.com/toolscript/toolscript/runner/internal/tether"
)

const (
	// mostMemory is what a compiler may hold while it looks at one script.
	mostMemory = 512 << 20
	// memoryPoll is how often that is looked at.
	memoryPoll = 20 * time.Millisecond
)

// errMemory is why a compiler was killed that took too much.
var errMemory = &toolscript.Error{Kind: toolscript.LimitMemory, Err: fmt.Errorf("that took more than %d MB of memory", mostMemory>>20)}

// A process is a compiler under way.
type process struct {
	cmd     *exec.Cmd
	release func()
	done    chan struct{} // closed when it has been waited for
	kill    context.CancelCauseFunc
	ctx     context.Context // ends with the process; its cause is why it was killed
	stop    func() bool
	exit    error

	closing sync.Once
}

// begin starts a compiler that is killed when ctx ends or it holds too much.
func begin(ctx context.Context, cmd *exec.Cmd, a landlock.Access) (*process, error) {
	release, _, err := tether.Start(cmd, a)
	if err != nil {
		return nil, unavailable(err)
	}
	p := &process{cmd: cmd, release: release, done: make(chan struct{})}
	p.ctx, p.kill = context.WithCancelCause(ctx)
	p.stop = context.AfterFunc(p.ctx, func() { tether.Kill(cmd.Process) })
	go p.watch()
	go func() {
		p.exit = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

func (p *process) watch() {
	poll := time.NewTicker(memoryPoll)
	defer poll.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-poll.C:
		}
		if proc.RSS(p.cmd.Process.Pid) > mostMemory {
			p.kill(errMemory)
		}
	}
}

// wait waits for the end of the process. The error is why it was killed.
func (p *process) wait() error {
	<-p.done
	p.closing.Do(func() {
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
