package runs

import (
	"cmp"
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs/kept"
)

// Detached marks the runs that were detached, and adds those that the audit does not have. If the
// gateway of such a run was killed, it adds how the run ended.
func (h *History) Detached(store kept.Events) {
	for _, id := range store.IDs() {
		if h.runs[id] == nil { // its gateway was killed before it wrote the audit, or keeps none
			h.runs[id] = &Run{RunID: id, StartedAt: store.Changed(id), Outcome: unknown}
		}
	}
	for _, r := range h.runs {
		if r.Detached = store.Has(r.RunID); !r.Detached || r.Outcome != unknown {
			continue
		}
		_ = store.Follow(context.Background(), r.RunID, false, func(e toolscript.Event) error { // an unreadable end stays unknown
			if e.End != nil {
				r.Outcome, r.ExitCode, r.Unfinished = cmp.Or(string(e.Kind), toolscript.OutcomeOK), &e.ExitCode, e.Unfinished
				r.Ms = float64(store.Changed(r.RunID).Sub(r.StartedAt).Microseconds()) / 1000
			}
			return nil
		})
	}
}
