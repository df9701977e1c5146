package runs

import (
	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// tell publishes the new state of a run.
func (r *Runs) tell(c *actor.Context, run toolscript.RunEntry) {
	if parent := c.Parent(); parent != nil {
		mailbox.Send(c.Engine(), parent, catalog.RunChanged{Run: run})
	}
}

// entries returns the live runs and the runs that have ended last.
func (r *Runs) entries() []toolscript.RunEntry {
	all := make([]toolscript.RunEntry, 0, len(r.live)+toolscript.SnapshotRuns)
	for _, run := range r.live {
		all = append(all, entryOf(run.record, run.used))
	}
	for _, record := range r.past[max(0, len(r.past)-toolscript.SnapshotRuns):] {
		all = append(all, entryOf(record, nil))
	}
	return all
}

// entryOf returns the entry of a run. If used is nil, the resource use is taken from the metrics of the record.
func entryOf(record toolscript.RunRecord, used func(*toolscript.RunEntry)) toolscript.RunEntry {
	record.Calls = []toolscript.CallRecord{}
	entry := toolscript.RunEntry{ID: record.RunID, RunRecord: record}
	if used != nil {
		used(&entry)
	} else if m := record.Metrics; m != nil {
		entry.Used = toolscript.RunUse{ToolCalls: int64(m.ToolCalls), OutputBytes: m.StdoutBytes + m.StderrBytes}
	}
	return entry
}

// used sets what the run has used of its limits, and the pages that the person is asked to open for the run or for a
// nested run. It is safe for concurrent use, and does not wait for the client of the run.
func (r *run) used(entry *toolscript.RunEntry) {
	use := &entry.Used
	use.ToolCalls, _, use.InFlight = r.calls.counts()
	use.OutputBytes, use.LogLines = r.console.usedBytes.Load(), r.console.usedLines.Load()
	if r.begin.within != nil {
		return
	}
	for _, q := range r.questions.waiting() {
		entry.Pages = append(entry.Pages, *r.shared.deps.cleanEvent(toolscript.Event{Ask: &q}).Ask)
	}
}
