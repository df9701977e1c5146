package runs_test

import (
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/cmd/runs"
)

// TestDetachedWithoutAudit: a detached run is listed, with its end, even if its gateway was killed before
// it wrote the run to the audit.
func TestDetachedWithoutAudit(t *testing.T) {
	const id = "run_0123456789abcdef"
	store := kept.Events{Dir: t.TempDir()}
	log, err := store.Create(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil { // as at the end of the gateway's process
		t.Fatal(err)
	}
	h, err := runs.ReadHistory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h.Detached(store)
	run, err := h.Run(id)
	if err != nil {
		t.Fatal(err)
	}
	if run.Outcome != string(toolscript.Unavailable) || !run.Detached || run.StartedAt.IsZero() {
		t.Errorf("run = %+v, want a detached one that ended as unavailable", run)
	}
}
