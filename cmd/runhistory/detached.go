package runhistory

import (
	"cmp"
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/execution/detached"
)

// Detached marks the runs that were detached, and adds how those have ended whose gateway
// was killed.
func (h *History) Detached(store detached.Store) {
	for _, r := range h.runs {
		if r.Detached = store.Has(r.RunID); !r.Detached || r.Outcome != unknown {
			continue
		}
		_ = store.Follow(context.Background(), r.RunID, false, func(e toolscript.Event) error { // what cannot be read stays unknown
			if e.End != nil {
				r.Outcome, r.ExitCode, r.Unfinished = cmp.Or(string(e.Kind), toolscript.OutcomeOK), &e.ExitCode, e.Unfinished
				r.Ms = float64(store.Changed(r.RunID).Sub(r.StartedAt).Microseconds()) / 1000
			}
			return nil
		})
	}
}
