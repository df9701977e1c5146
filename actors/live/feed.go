// Package live has what operators see of a gateway: the Feed with the current entry of everything that
// is shown, which its readers follow by generations, and the Watches of what servers announce to
// clients.
package live

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
)

// Feed has the current entry of everything that operators see, and a generation, which increases with each
// change of an entry. An actor puts its entry when its state changes. A reader asks what has changed since a
// generation, so that an entry that changes faster than the reader reads is read once. Without a reader, a
// Feed starts no goroutine and no timer.
//
// A Feed is created before the actors and outlives them. It is safe for concurrent use. Its methods do not
// block, except Read.
type Feed struct {
	life      string      // id of this Feed, part of the ids of events
	on        atomic.Bool // calls are put, because there is a reader or was one a moment ago
	arguments atomic.Bool // with their arguments
	sources   Sources

	mu         sync.Mutex
	generation uint64 // of the last change
	rows       map[key]*row
	ended      map[toolscript.LiveType][]key // entries that do not change any more, the oldest first; see kept
	gone       []removed                     // the entries that were removed last
	oldest     uint64                        // a reader with an older generation needs a snapshot
	read       uint64                        // the highest generation that a reader has got
	changed    chan struct{}                 // closed at the next change; nil if no reader waits for one
	lines      uint64                        // lines of the log so far

	readers  map[*reader]struct{}
	looks    *looks      // while there is a reader
	sleep    *time.Timer // ends on; nil with a reader
	deriving sync.Mutex  // held while derive works
	facts    uint64      // generation of the last change of an entry that other entries follow from
	derived  uint64      // facts of the last derive
	warned   uint64      // 1 + the catalog generation of warnings; 0 without warnings
	warning  bool        // warnings are being computed
	warnings []string
}

type key struct {
	kind toolscript.LiveType
	id   string
}

// row is a version of an entry. It is not changed after it is in the Feed, except that it is encoded once.
type row struct {
	key
	entry       any    // an entry, or a line
	first, last uint64 // generations of the first version of the entry, and of this one
	put         uint64 // generation of the last version that the owner of the entry has put
	ended       bool   // the entry is in Feed.ended

	encode     sync.Once
	text, full json.RawMessage // full has the arguments of a call; nil: it has none
}

// removed is an entry that is gone. A reader with a generation from first on, and before at, shows it. Of an ended
// entry, at is the generation of its end: later readers know that and drop it themselves.
type removed struct {
	key
	first, at uint64
}

// maxGone bounds Feed.gone. A reader that needs more gets a snapshot.
const maxGone = 4096

// kept bounds the ended entries of each type. Readers apply the same bounds.
var kept = map[toolscript.LiveType]int{
	toolscript.LiveRun: toolscript.SnapshotRuns, toolscript.LiveCall: toolscript.SnapshotCalls, toolscript.LiveLog: toolscript.SnapshotLogs,
}

// NewFeed returns an empty Feed.
func NewFeed() *Feed {
	return &Feed{
		life: strings.ToLower(rand.Text()[:10]), rows: map[key]*row{}, ended: map[toolscript.LiveType][]key{}, readers: map[*reader]struct{}{},
	}
}

// On reports whether calls are wanted. Without a reader, a call costs this one atomic load.
func (f *Feed) On() bool { return f.on.Load() }

// Arguments reports whether a reader wants arguments of calls.
func (f *Feed) Arguments() bool { return f.arguments.Load() }

// Call puts a call, if calls are wanted. Its ID may be empty.
func (f *Feed) Call(c toolscript.CallEntry) {
	if !f.on.Load() {
		return
	}
	c = identified(c)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.on.Load() { // fallAsleep may have run before the lock was taken; then the end of the call would never be put
		f.set(keyOf(c), c)
	}
}

// identified sets the ID of a call, which is unique among all calls.
func identified(c toolscript.CallEntry) toolscript.CallEntry {
	c.ID = cmp.Or(c.CallID, c.RequestID)
	if c.Run != "" {
		c.ID = c.Run + "/" + c.ID
	}
	return c
}

// Put replaces the entry with the same type and ID. The entry must not be changed afterwards. What its owner
// does not know stays as it was: the counters, and what the Feed computes for GatewayInfo.
func (f *Feed) Put(entry any) {
	k := keyOf(entry)
	f.mu.Lock()
	defer f.mu.Unlock()
	if old := f.rows[k]; old != nil {
		entry = completed(entry, old.entry)
	}
	if r := f.set(k, entry); r != nil {
		r.put = r.last
	}
}

// completed returns an entry with the fields that its owner does not know.
func completed(entry, before any) any {
	switch e := entry.(type) {
	case toolscript.GatewayInfo:
		old := before.(toolscript.GatewayInfo)
		e.Ready, e.Total, e.Warnings = old.Ready, old.Total, old.Warnings
		return e
	case toolscript.ServerEntry:
		old := before.(toolscript.ServerEntry)
		e.Calls, e.Errors, e.P50Ms, e.P95Ms, e.Hour = old.Calls, old.Errors, old.P50Ms, old.P95Ms, old.Hour
		return e
	case toolscript.ActorEntry:
		old := before.(toolscript.ActorEntry)
		e.InFlight, e.Confinement, e.MailboxMs = old.InFlight, old.Confinement, old.MailboxMs
		return e
	}
	return entry
}

// Remove removes an entry.
func (f *Feed) Remove(kind toolscript.LiveType, id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.remove(key{kind, id})
}

// Clear removes all entries of a type, whose owner has lost them.
func (f *Feed) Clear(kind toolscript.LiveType) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for k := range f.rows {
		if k.kind == kind {
			f.remove(k)
		}
	}
}

// set stores a version of an entry and returns its row; nil if nothing has changed. The caller holds mu.
func (f *Feed) set(k key, entry any) *row {
	old := f.rows[k]
	if old != nil && reflect.DeepEqual(old.entry, entry) {
		return nil
	}
	f.changes(k.kind)
	r := &row{key: k, entry: entry, first: f.generation, last: f.generation}
	if old != nil {
		r.first, r.put, r.ended = old.first, old.put, old.ended
	}
	f.rows[k] = r
	if most := kept[k.kind]; most > 0 && !r.ended && isEnded(entry) {
		r.ended = true
		all := append(f.ended[k.kind], k)
		for ; len(all) > most; all = all[1:] {
			if over := f.rows[all[0]]; over != nil {
				delete(f.rows, all[0])
				f.bury(over, over.last)
			}
		}
		f.ended[k.kind] = all
	}
	return r
}

// remove removes an entry. The caller holds mu.
func (f *Feed) remove(k key) {
	r := f.rows[k]
	if r == nil {
		return
	}
	delete(f.rows, k)
	f.changes(k.kind)
	f.bury(r, f.generation)
}

// bury notes that an entry is gone, if a reader may show it. The caller holds mu.
func (f *Feed) bury(r *row, at uint64) {
	if r.first > f.read || r.first >= at {
		return
	}
	f.gone = append(f.gone, removed{r.key, r.first, at})
	if len(f.gone) > maxGone {
		f.oldest = max(f.oldest, f.gone[0].at)
		f.gone = f.gone[1:]
	}
}

// changes begins a new generation. The caller holds mu.
func (f *Feed) changes(kind toolscript.LiveType) {
	f.generation++
	switch kind {
	case toolscript.LiveGateway, toolscript.LiveServer, toolscript.LiveActor, toolscript.LiveApproval, toolscript.LiveIndex:
		f.facts = f.generation
	case toolscript.LiveAttention, toolscript.LiveRun, toolscript.LiveCall, toolscript.LiveSession, toolscript.LiveLog, toolscript.LiveSnapshot, toolscript.LiveNotice:
	}
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
}

// next returns a channel that is closed when the Feed has a generation after this one, or derive has to work.
func (f *Feed) next(generation uint64) <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.changed == nil {
		f.changed = make(chan struct{})
	}
	if f.generation > generation || f.facts != f.derived { // the facts have changed during derive
		now := make(chan struct{})
		close(now)
		return now
	}
	return f.changed
}

func keyOf(entry any) key {
	switch e := entry.(type) {
	case toolscript.GatewayInfo:
		return key{toolscript.LiveGateway, e.ID}
	case toolscript.Attention:
		return key{toolscript.LiveAttention, e.ID}
	case toolscript.ServerEntry:
		return key{toolscript.LiveServer, e.ID}
	case toolscript.ActorEntry:
		return key{toolscript.LiveActor, e.ID}
	case toolscript.RunEntry:
		return key{toolscript.LiveRun, e.ID}
	case toolscript.CallEntry:
		return key{toolscript.LiveCall, e.ID}
	case toolscript.Approval:
		return key{toolscript.LiveApproval, e.ID}
	case toolscript.SessionEntry:
		return key{toolscript.LiveSession, e.ID}
	case toolscript.IndexEntry:
		return key{toolscript.LiveIndex, e.ID}
	}
	return key{}
}

// isEnded reports whether an entry does not change any more; see kept.
func isEnded(entry any) bool {
	switch e := entry.(type) {
	case toolscript.RunEntry:
		return e.EndedAt != nil
	case toolscript.CallEntry:
		return e.State == toolscript.CallEnded
	case line:
		return true
	}
	return false
}
