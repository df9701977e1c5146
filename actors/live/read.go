package live

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

const (
	pause      = 25 * time.Millisecond // between a change and its event, which combines the changes of an entry
	maxReaders = 32
)

// reader is a caller of Read.
type reader struct{ arguments bool }

// Read calls emit with a snapshot and then with the changes, until ctx or the gateway ends or emit fails. A
// query with the id of an event continues after that event, if it is known what has changed since. Changes
// while emit does not return come together afterwards, so that a slow reader costs no memory.
//
// The error is Busy if there are too many readers, or that of emit or of ctx. The last event before the end
// of the gateway is a Notice.
func (f *Feed) Read(ctx context.Context, q toolscript.LiveQuery, emit func([]toolscript.LiveEvent) error) error {
	closing := f.sources.Closing
	if closing.Err() != nil {
		return mailbox.ErrStopped
	}
	one := &reader{q.Arguments}
	first, ok := f.enter(one)
	if !ok {
		return &toolscript.Error{
			Kind: toolscript.Busy, RetryAfter: time.Second, Err: errors.New("too many programs look at this gateway; close a page or a terminal with it"),
		}
	}
	defer f.leave(one)
	for at, wait := f.after(q.After), first; ; wait = f.next(at.generation) {
		select {
		case <-wait:
		case <-ctx.Done():
			return toolscript.ContextError(ctx)
		case <-closing.Done():
			return emit([]toolscript.LiveEvent{stopping()})
		}
		if wait != first {
			time.Sleep(pause)
		}
		f.derive()
		var events []toolscript.LiveEvent
		if events, at = f.since(at, q.Arguments); len(events) > 0 {
			if err := emit(events); err != nil {
				return err
			}
		}
	}
}

// position is what a reader has read.
type position struct {
	generation uint64
	known      bool // false: the reader needs a snapshot
}

// after returns the position of a reader that has read the event with an id.
func (f *Feed) after(id string) position {
	number, ours := strings.CutPrefix(id, f.life+".")
	n, err := strconv.ParseUint(number, 10, 64)
	f.mu.Lock()
	defer f.mu.Unlock()
	return position{n, ours && err == nil && n <= f.generation}
}

// since returns what has changed since a position, or a snapshot, and the new position.
func (f *Feed) since(at position, arguments bool) ([]toolscript.LiveEvent, position) {
	f.mu.Lock()
	now := position{f.generation, true}
	whole := !at.known || at.generation < f.oldest
	var rows []*row
	var gone []removed
	for _, r := range f.rows {
		if whole || r.last > at.generation {
			rows = append(rows, r)
		}
	}
	for _, g := range f.gone {
		if !whole && g.first <= at.generation && at.generation < g.at {
			gone = append(gone, g)
		}
	}
	f.read = max(f.read, f.generation)
	f.mu.Unlock()
	if whole {
		return []toolscript.LiveEvent{f.snapshot(rows, now.generation, arguments)}, now
	}
	return f.events(rows, gone, arguments), now
}

// events returns the events of changes in their order.
func (f *Feed) events(rows []*row, gone []removed, arguments bool) []toolscript.LiveEvent {
	type change struct {
		generation uint64
		event      toolscript.LiveEvent
	}
	all := make([]change, 0, len(rows)+len(gone))
	for _, r := range rows {
		all = append(all, change{r.last, toolscript.LiveEvent{ID: f.eventID(r.last), Type: r.kind, Data: r.data(arguments)}})
	}
	for _, g := range gone {
		text, _ := toolscript.PlainJSON(toolscript.Gone{ID: g.id, Gone: true}) // it can always be encoded
		all = append(all, change{g.at, toolscript.LiveEvent{ID: f.eventID(g.at), Type: g.kind, Data: text}})
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Compare(a.generation, b.generation) })
	events := make([]toolscript.LiveEvent, len(all))
	for i, c := range all {
		events[i] = c.event
	}
	return events
}

func (f *Feed) eventID(generation uint64) string {
	return f.life + "." + strconv.FormatUint(generation, 10)
}

// snapshot returns the event with all entries.
func (f *Feed) snapshot(rows []*row, generation uint64, arguments bool) toolscript.LiveEvent {
	var s toolscript.Snapshot
	for _, r := range rows {
		entry := r.value()
		if call, ok := entry.(toolscript.CallEntry); ok && !arguments {
			call.Args = ""
			entry = call
		}
		s.Put(entry)
	}
	s.Sort()
	text, _ := toolscript.PlainJSON(s) // a Snapshot can always be encoded
	return toolscript.LiveEvent{ID: f.eventID(generation), Type: toolscript.LiveSnapshot, Data: text}
}

// value returns the entry of a row.
func (r *row) value() any {
	if l, ok := r.entry.(line); ok {
		return l.entry()
	}
	return r.entry
}

// data returns the entry on one line of JSON. All readers share the text.
func (r *row) data(arguments bool) []byte {
	r.encode.Do(func() {
		entry := r.value()
		if call, ok := entry.(toolscript.CallEntry); ok && call.Args != "" {
			r.full, _ = toolscript.PlainJSON(call) // entries can always be encoded
			call.Args = ""
			entry = call
		}
		r.text, _ = toolscript.PlainJSON(entry) // as above
	})
	if arguments && r.full != nil {
		return r.full
	}
	return r.text
}

// stopping returns the last event of a gateway that ends.
func stopping() toolscript.LiveEvent {
	text, _ := toolscript.PlainJSON(toolscript.Notice{Reason: toolscript.NoticeStopping, Message: "the gateway is stopping"}) // texts can always be encoded
	return toolscript.LiveEvent{Type: toolscript.LiveNotice, Data: text}
}
