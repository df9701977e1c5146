package live

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/toolscript/toolscript"
)

// The bounds of the past events that a reader can get later.
const (
	maxMissed      = 4096
	maxMissedBytes = 4 << 20
)

// table has the entries that readers know, and notes which have changed since the last events.
type table struct {
	name    string // prefix of the ids of events
	last    uint64 // number of the last event
	clock   int    // counts changes by facts
	rows    map[key]*row
	removed map[key]int                      // clock of removals by facts since the begin of the last look
	changed []key                            // changed entries in the order of their first change
	past    []change                         // the last events, the oldest first
	bytes   int                              // size of past
	ended   map[toolscript.LiveType][]string // ids of ended entries, the oldest first; see kept
}

type key struct {
	kind toolscript.LiveType
	id   string
}

// row is an entry as readers see it.
type row struct {
	entry   any
	text    json.RawMessage
	full    json.RawMessage // text with the arguments of the call; nil: the same as text
	clock   int             // clock of the last fact about the entry
	looked  bool            // the last look had the entry
	changed bool            // the entry is in table.changed
	ended   bool            // the entry is in table.ended
}

// change is an event, with and without arguments.
type change struct {
	toolscript.LiveEvent
	full json.RawMessage // Data with arguments; nil: the same as Data
}

func newTable(life string, since int) *table {
	return &table{
		name: life + "." + strconv.Itoa(since), rows: map[key]*row{}, removed: map[key]int{}, ended: map[toolscript.LiveType][]string{},
	}
}

// kept bounds the ended entries of each type that are kept.
var kept = map[toolscript.LiveType]int{
	toolscript.LiveRun: toolscript.SnapshotRuns, toolscript.LiveCall: toolscript.SnapshotCalls, toolscript.LiveLog: toolscript.SnapshotLogs,
}

// put stores a new entry from a fact.
func (t *table) put(kind toolscript.LiveType, entry any) {
	t.clock++
	k := key{kind, idOf(entry)}
	delete(t.removed, k)
	t.set(k, entry).clock = t.clock
}

// saw stores an entry from the look that began at clock, unless a later fact is known.
func (t *table) saw(kind toolscript.LiveType, entry any, clock int) {
	k := key{kind, idOf(entry)}
	if t.removed[k] > clock {
		return
	}
	r := t.rows[k]
	if r == nil && kept[kind] > 0 && isEnded(entry) && t.full(kind) && t.last > 0 { // readers have dropped the entry
		return
	}
	if r == nil || r.clock <= clock {
		r = t.set(k, entry)
	}
	r.looked = true
}

func (t *table) full(kind toolscript.LiveType) bool { return len(t.ended[kind]) >= kept[kind] }

// sweep removes the entries of a type that the look that began at clock did not have.
func (t *table) sweep(kind toolscript.LiveType, clock int) {
	for k, r := range t.rows {
		if k.kind != kind {
			continue
		}
		if !r.looked && !r.ended && r.clock <= clock {
			t.drop(k)
		}
		r.looked = false
	}
}

// began marks the begin of a look.
func (t *table) began() { clear(t.removed) }

// remove removes an entry because of a fact.
func (t *table) remove(kind toolscript.LiveType, id string) {
	t.clock++
	k := key{kind, id}
	t.removed[k] = t.clock
	t.drop(k)
}

func (t *table) drop(k key) {
	r := t.rows[k]
	if r == nil {
		return
	}
	delete(t.rows, k)
	if !r.changed {
		t.changed = append(t.changed, k)
	}
}

// forget removes an entry that no reader knows.
func (t *table) forget(kind toolscript.LiveType, id string) {
	k := key{kind, id}
	delete(t.rows, k)
	t.changed = slices.DeleteFunc(t.changed, func(c key) bool { return c == k })
}

// replace makes entries the only ones of a type.
func (t *table) replace(kind toolscript.LiveType, entries []toolscript.Attention) {
	for _, e := range entries {
		k := key{kind, e.ID}
		t.set(k, e).looked = true
	}
	t.sweep(kind, t.clock)
}

// set stores the current version of an entry, and notes whether its text has changed.
func (t *table) set(k key, entry any) *row {
	text, full := encode(entry)
	r := t.rows[k]
	if r == nil {
		r = &row{}
		t.rows[k] = r
	} else if bytes.Equal(r.text, text) && bytes.Equal(r.full, full) {
		r.entry = entry
		return r
	}
	r.entry, r.text, r.full = entry, text, full
	if !r.changed {
		r.changed = true
		t.changed = append(t.changed, k)
	}
	if kept[k.kind] > 0 && !r.ended && isEnded(entry) {
		r.ended = true
		t.ended[k.kind] = append(t.ended[k.kind], k.id)
	}
	return r
}

// trim limits the number of ended entries. Readers apply the same limit, so they get no event.
func (t *table) trim() {
	for kind, ids := range t.ended {
		over := max(0, len(ids)-kept[kind])
		for _, id := range ids[:over] {
			delete(t.rows, key{kind, id})
		}
		t.ended[kind] = slices.Delete(ids, 0, over)
	}
}

// changes returns the events for all changes since the last call.
func (t *table) changes() []change {
	all := make([]change, 0, len(t.changed))
	for _, k := range t.changed {
		r := t.rows[k]
		if r != nil && !r.changed {
			continue // the entry was removed and came back
		}
		t.last++
		c := change{LiveEvent: toolscript.LiveEvent{ID: t.eventID(t.last), Type: k.kind}}
		if r == nil {
			c.Data, _ = encode(toolscript.Gone{ID: k.id, Gone: true})
		} else {
			c.Data, c.full, r.changed = r.text, r.full, false
		}
		t.bytes += c.size()
		all = append(all, c)
	}
	t.changed = nil
	t.trim()
	t.past = append(t.past, all...)
	first := 0
	for first < len(t.past) && (len(t.past)-first > maxMissed || t.bytes > maxMissedBytes) {
		t.bytes -= t.past[first].size()
		first++
	}
	t.past = slices.Delete(t.past, 0, first)
	return all
}

func (c change) size() int { return len(c.Data) + len(c.full) + 64 }

func (t *table) eventID(n uint64) string { return t.name + "." + strconv.FormatUint(n, 10) }

// after returns the events after the event with this id, if all of them are kept.
func (t *table) after(id string) ([]change, bool) {
	number, ok := strings.CutPrefix(id, t.name+".")
	n, err := strconv.ParseUint(number, 10, 64)
	first := t.last - uint64(len(t.past)) // the last event that is not kept
	if !ok || err != nil || n < first || n > t.last {
		return nil, false
	}
	return slices.Clone(t.past[n-first:]), true
}

// snapshot returns the event with all entries. It has the id of the last event before it.
func (t *table) snapshot(arguments bool) change {
	var s toolscript.Snapshot
	for _, r := range t.rows {
		entry := r.entry
		if call, ok := entry.(toolscript.CallEntry); ok && !arguments {
			call.Args = ""
			entry = call
		}
		s.Put(entry)
	}
	s.Sort()
	text, _ := toolscript.PlainJSON(s) // a Snapshot can always be encoded
	return change{LiveEvent: toolscript.LiveEvent{ID: t.eventID(t.last), Type: toolscript.LiveSnapshot, Data: text}}
}

// encode encodes an entry on one line. full has the arguments of a call; nil for an entry
// without arguments.
func encode(entry any) (text, full json.RawMessage) {
	if call, ok := entry.(toolscript.CallEntry); ok && call.Args != "" {
		full, _ = toolscript.PlainJSON(call) // entries can always be encoded
		call.Args = ""
		entry = call
	}
	text, _ = toolscript.PlainJSON(entry)
	return text, full
}

func idOf(entry any) string {
	switch e := entry.(type) {
	case toolscript.GatewayInfo:
		return e.ID
	case toolscript.ServerEntry:
		return e.ID
	case toolscript.ActorEntry:
		return e.ID
	case toolscript.RunEntry:
		return e.ID
	case toolscript.CallEntry:
		return e.ID
	case toolscript.Approval:
		return e.ID
	case toolscript.IndexEntry:
		return e.ID
	case toolscript.LogLine:
		return e.ID
	case toolscript.Attention:
		return e.ID
	}
	return ""
}

// isEnded reports whether an entry does not change any more; see kept.
func isEnded(entry any) bool {
	switch e := entry.(type) {
	case toolscript.RunEntry:
		return e.EndedAt != nil
	case toolscript.CallEntry:
		return e.State == toolscript.CallEnded
	case toolscript.LogLine:
		return true
	}
	return false
}
