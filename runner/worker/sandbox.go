package worker

import (
	"context"
	"errors"

	"github.com/toolscript/toolscript/naming"
	"github.com/toolscript/toolscript/runner"
)

// ErrKilled means that a run could be ended only together with its worker.
var ErrKilled = errors.New("the script did not end by itself, so its sandbox was killed")

// A Sandbox runs scripts in a worker; it implements runner.Runner. One caller uses it
// at a time. If Run returns an error, the Outcome still says how the run ended, but
// the worker is gone, and the Sandbox with it.
type Sandbox struct {
	*Process
	names string // key of the names that the worker has
}

var _ runner.Runner = (*Sandbox)(nil)

// StartSandbox starts a sandbox and waits until it can run a script at once.
func StartSandbox(ctx context.Context, o Options) (*Sandbox, error) {
	p, err := start(ctx, roleSandbox, o)
	if err != nil {
		return nil, err
	}
	return &Sandbox{Process: p}, nil
}

// Run implements runner.Runner. It returns at most 350 ms after the end of ctx and 550
// ms after a limit, and the script has stopped by then. Calls of host that do not
// return within 250 ms of the end of their ctx are abandoned.
func (s *Sandbox) Run(ctx context.Context, job runner.Job, host runner.Host) (runner.Outcome, error) {
	r := newRun(ctx, s, job, host)
	outcome, err := r.run(ctx)
	r.close()
	return outcome, err
}

// begin sends the job, after the names that it needs if the worker does not have them.
func (s *Sandbox) begin(job runner.Job) error {
	names := job.Names
	if names == nil {
		names = &naming.Names{}
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
