package runs

import (
	"cmp"
	"crypto/subtle"
	"fmt"
	"slices"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// maxRecords bounds the records of settled runs that are kept.
const maxRecords = 200

// note replaces the state of a run that is live.
func (r *Runs) note(m runChanged) {
	if _, known := r.live[m.record.RunID]; !known && r.shared.deps.Begun != nil {
		r.shared.deps.Begun(m.record, &m.parts.request)
	}
	r.live[m.record.RunID] = m
}

// keep moves a run from the live ones to the settled ones.
func (r *Runs) keep(record toolscript.RunRecord) {
	delete(r.live, record.RunID)
	if ended := r.shared.deps.Ended; ended != nil {
		ended(record)
	}
	record.Value = nil
	r.past = append(r.past, record)
	r.past = slices.Delete(r.past, 0, max(0, len(r.past)-maxRecords))
}

// runChanged replaces the state of a run. It ends the actor of a settled run, which first answers
// the requests that were passed to it.
func (r *Runs) runChanged(c *actor.Context, m runChanged) {
	r.tell(m)
	if !m.settled {
		r.note(m)
		return
	}
	r.keep(m.record)
	c.Engine().Poison(m.at)
}

// gone keeps the record of a run whose actor ended without a last message.
func (r *Runs) gone(id string) {
	if run, live := r.live[id]; live {
		run.record.Close(failed(id, mailbox.ErrEnded, nil))
		r.keep(run.record)
		r.tell(run)
	}
}

func (r *Runs) list() []toolscript.RunRecord {
	records := slices.Clone(r.past)
	for _, run := range r.live {
		records = append(records, run.record)
	}
	slices.SortFunc(records, func(a, b toolscript.RunRecord) int {
		return cmp.Or(b.StartedAt.Compare(a.StartedAt), cmp.Compare(a.RunID, b.RunID))
	})
	records = records[:min(maxRecords, len(records))]
	for i := range records {
		records[i].Calls = nil
	}
	return records
}

// count returns the number of runs that have not ended.
func (r *Runs) count() (n int) {
	for _, run := range r.live {
		if run.record.EndedAt == nil {
			n++
		}
	}
	return n
}

// find returns the run that has a capability. It compares in constant time, so that its duration
// reveals nothing about capabilities.
func (r *Runs) find(capability string) (found Holder) {
	for id, run := range r.live {
		if subtle.ConstantTimeCompare([]byte(run.parts.capability), []byte(capability)) == 1 && run.record.EndedAt == nil {
			found = Holder{id, run.record.Allow}
		}
	}
	return found
}

func (r *Runs) get(c *actor.Context, m Get) {
	for _, record := range r.past {
		if record.RunID == m.ID {
			m.Reply.Send(record, nil)
			return
		}
	}
	pass(c, r, m.ID, m.Reply)
}

func (r *Runs) notLive(id string) error {
	if slices.ContainsFunc(r.past, func(record toolscript.RunRecord) bool { return record.RunID == id }) {
		return errEnded(id)
	}
	return &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("no run %.100q; the last %d are listed by: toolscript runs list", id, maxRecords)}
}

func errEnded(id string) error {
	return &toolscript.Error{Kind: toolscript.Conflict, Err: fmt.Errorf("run %s has ended", id)}
}
