package actors

import (
	"context"

	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner"
)

// PoolFleet is the value of Defaults.Pool for sandboxes of the fleet.
const PoolFleet = "fleet"

// remoteSandbox lends a sandbox of the fleet, or nil if scripts run on this machine.
func (s *System) remoteSandbox(ctx context.Context) (runs.Remote, error) {
	remote := s.options.Scripts.Remote
	if remote == nil || s.defaults().Pool != PoolFleet {
		return nil, nil //nolint:nilnil // no sandbox is no error; see runs.Deps
	}
	return remote(ctx)
}

// lentSpecs returns the pool of sandboxes that a hub lends.
func (s *System) lentSpecs() []mailbox.Spec {
	o := s.options.Scripts
	if o.StartSandbox == nil {
		return nil
	}
	return []mailbox.Spec{{ID: sandboxesID, Produce: workers.New(workers.Options{Name: "sandbox", Start: o.StartSandbox, UnusedTime: o.IdleTime, Unused: o.Idle, Work: &s.work})}}
}

// LendSandbox lends a sandbox of this machine to a run of another gateway. giveBack returns
// it; a broken one is replaced.
func (s *System) LendSandbox(ctx context.Context) (sandbox runner.Runner, giveBack func(broken bool), err error) {
	return borrow[runner.Runner](ctx, s, sandboxesID)
}
