package worker

import (
	"context"
	"errors"

	"github.com/toolscript/toolscript/runner"
)

// ErrKilled means that a run could only be ended by killing its worker.
var ErrKilled = errors.New("the script did not end by itself, so its sandbox was killed")

// A Sandbox runs scripts in a worker; it implements runner.Runner. One caller uses it at a
// time. If Run returns an error, the worker has ended and the Sandbox cannot be used again.
// The Outcome is still valid, except with runner.ErrNotBegun.
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
