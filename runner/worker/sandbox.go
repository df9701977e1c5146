package worker

import (
	"context"
	"errors"

	"github.com/toolscript/toolscript/runner"
)

// ErrKilled says that a run could be ended only together with its worker.
var ErrKilled = errors.New("the script did not end by itself, so its sandbox was killed")

// A Sandbox runs scripts in a worker; it implements runner.Runner. It belongs
// to one caller at a time, who waits for Run before he calls it again. With an
// error of Run the Outcome still says how the run ended, but the worker is gone,
// and the Sandbox with it.
type Sandbox struct {
	*Process
	names string // key of the table the worker has
}

var _ runner.Runner = (*Sandbox)(nil)

// StartSandbox starts a sandbox and waits until a script could begin at once.
func StartSandbox(ctx context.Context, o Options) (*Sandbox, error) {
	p, err := start(ctx, roleSandbox, o)
	if err != nil {
		return nil, err
	}
	return &Sandbox{Process: p}, nil
}

// Run implements runner.Runner. It returns at most 350 ms after the end of ctx
// and 550 ms after a limit, and by then the script has stopped; what host has
// not answered 250 ms after its ctx has ended is left alone.
func (s *Sandbox) Run(ctx context.Context, job runner.Job, host runner.Host) (runner.Outcome, error) {
	r := newRun(ctx, s, job, host)
	outcome, err := r.run(ctx)
	r.finish()
	return outcome, err
}

// begin sends the job, after the names it needs if they are not there yet.
func (s *Sandbox) begin(job runner.Job) error {
	names := job.Names
	if names == nil {
		names = &runner.Names{}
	}
	if names.Key == "" || names.Key != s.names {
		if err := s.link.writeJSON(frameNames, names, nil); err != nil {
			return err
		}
		s.names = names.Key
	}
	job.Names = nil
	return s.link.writeJSON(frameRun, job, nil)
}
