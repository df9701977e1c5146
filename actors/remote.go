package actors

import (
	"context"

	"github.com/toolscript/toolscript/actors/execution"
)

// PoolFleet is the value of Defaults.Pool for sandboxes of the fleet.
const PoolFleet = "fleet"

// remoteSandbox lends a sandbox of the fleet, or nil if scripts run on this machine.
func (s *System) remoteSandbox(ctx context.Context) (execution.Remote, error) {
	remote := s.options.Scripts.Remote
	if remote == nil || s.defaults().Pool != PoolFleet {
		return nil, nil //nolint:nilnil // no sandbox is no error; see execution.Deps
	}
	return remote(ctx)
}
