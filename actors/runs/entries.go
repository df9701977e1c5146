package runs

import "github.com/toolscript/toolscript"

// tell publishes the new state of a run.
func (r *Runs) tell(m runChanged) {
	if changed := r.shared.deps.Changed; changed != nil {
		changed(entryOf(m))
	}
}

// entries returns the live runs.
func (r *Runs) entries() (all []toolscript.RunEntry) {
	for _, run := range r.live {
		all = append(all, entryOf(run))
	}
	return all
}

// entryOf returns the entry of a run.
func entryOf(m runChanged) toolscript.RunEntry {
	entry := toolscript.RunEntry{ID: m.record.RunID, RunRecord: m.record}
	entry.Calls, entry.Value = []toolscript.CallRecord{}, nil
	m.used(&entry)
	return entry
}

// used sets what the run has used of its limits, and the pages that the person is asked to open for the run or for a
// nested run. It is safe for concurrent use, and does not wait for the client of the run.
func (r *run) used(entry *toolscript.RunEntry) {
	use := &entry.Used
	use.ToolCalls, _, use.InFlight = r.calls.counts()
	use.OutputBytes, use.LogLines = r.console.usedBytes.Load(), r.console.usedLines.Load()
	if r.within != nil {
		return
	}
	for _, q := range r.questions.waiting() {
		entry.Pages = append(entry.Pages, *r.shared.deps.cleanEvent(toolscript.Event{Ask: &q}).Ask)
	}
}
