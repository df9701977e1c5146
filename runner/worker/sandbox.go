package worker

import (
	"context"
	"errors"

	"github.com/toolscript/toolscript/runner"
)

// ErrKilled means that a run could be ended only together with its worker.
var ErrKilled = errors.New("the script did not end by itself, so its sandbox was killed")

// A Sandbox runs scripts in a worker; it implements runner.Runner. One caller uses it
// at a time. If Run returns an error, the worker is gone, and the Sandbox with it. The
// Outcome still says how the run ended, except with runner.ErrNotBegun.
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
