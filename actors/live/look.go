package live

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/internal/rescue"
)

const (
	lookEvery = 500 * time.Millisecond // between two looks at counters
	lookTime  = 2 * time.Second        // bounds one look
	linger    = 30 * time.Second       // how long calls are put after the last reader, which may come back
)

// Sources are what a Feed asks while it has a reader. All fields are required.
type Sources struct {
	// Look returns entries with their counters. It asks the actors, and returns soon after the end of its
	// context. Entries that were not put do not count, except those of type IndexEntry.
	Look    func(context.Context) []any
	Calls   func() []toolscript.CallEntry  // the calls in flight
	Warn    func(context.Context) []string // computes the warnings of the current catalog; may take long
	Closing context.Context                //nolint:containedctx // ends with the gateway
	Logger  *slog.Logger
}

// Open sets the sources. It must be called before Read.
func (f *Feed) Open(s Sources) { f.sources = s }

// looks reads counters while there is a reader.
type looks struct {
	end   context.CancelFunc
	first chan struct{} // closed after the first look
	count int
}

// enter adds a reader. first is closed when all counters were read; ok is false if there are too many
// readers.
func (f *Feed) enter(one *reader) (first <-chan struct{}, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.readers) >= maxReaders {
		return nil, false
	}
	f.readers[one] = struct{}{}
	f.count()
	if f.sleep != nil {
		f.sleep.Stop()
		f.sleep = nil
	}
	if f.looks == nil {
		ctx, end := context.WithCancel(f.sources.Closing)
		f.looks = &looks{end: end, first: make(chan struct{})}
		l, begins := f.looks, !f.on.Swap(true)
		mailbox.Go(func() { f.keepLooking(ctx, l, begins) }, func(error) {})
	}
	return f.looks.first, true
}

// leave removes a reader.
func (f *Feed) leave(one *reader) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.readers, one)
	f.count()
	if len(f.readers) == 0 {
		f.looks.end()
		f.looks, f.sleep = nil, time.AfterFunc(linger, f.fallAsleep)
	}
}

// count notes whether a reader wants arguments. The caller holds mu.
func (f *Feed) count() {
	wanted := false
	for r := range f.readers {
		wanted = wanted || r.arguments
	}
	f.arguments.Store(wanted)
}

// fallAsleep drops the calls. A reader that comes back gets a snapshot.
func (f *Feed) fallAsleep() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.readers) > 0 {
		return
	}
	f.on.Store(false)
	maps.DeleteFunc(f.rows, func(k key, _ *row) bool { return k.kind == toolscript.LiveCall })
	f.generation++
	f.ended[toolscript.LiveCall], f.gone, f.oldest, f.read, f.sleep = nil, nil, f.generation, 0, nil
}

// keepLooking looks at counters until ctx ends. If it begins to put calls, it first adds those in flight.
func (f *Feed) keepLooking(ctx context.Context, l *looks, begins bool) {
	failed := func(err error) {
		mailbox.LogFailure(f.sources.Logger, slog.LevelError, "state of the gateway not read", err)
	}
	if begins {
		rescue.Run(f.addCalls, failed)
	}
	rescue.Run(func() { f.look(ctx, l) }, failed)
	close(l.first)
	pace := time.NewTicker(lookEvery)
	defer pace.Stop()
	for {
		select {
		case <-pace.C:
			rescue.Run(func() { f.look(ctx, l) }, failed)
		case <-ctx.Done():
			return
		}
	}
}

// addCalls adds the calls in flight that began before calls were put.
func (f *Feed) addCalls() {
	calls := f.sources.Calls()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range calls {
		c = identified(c)
		if k := keyOf(c); c.ID != "" && f.rows[k] == nil { // without an id, its end would not be known
			f.set(k, c)
		}
	}
}

// look reads the counters once. An entry that was put meanwhile stays.
func (f *Feed) look(ctx context.Context, l *looks) {
	f.mu.Lock()
	began := f.generation
	f.mu.Unlock()
	bounded, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	seen := f.sources.Look(bounded)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, entry := range seen {
		k := keyOf(entry)
		r := f.rows[k]
		if r == nil && k.kind != toolscript.LiveIndex || r != nil && (r.put > began || r.ended) {
			continue
		}
		if a, ok := entry.(toolscript.ActorEntry); ok && l.count%4 != 0 { // each look sends messages itself
			a.Messages = r.entry.(toolscript.ActorEntry).Messages
			entry = a
		}
		f.set(k, entry)
	}
	l.count++
}

// derive updates the entries that follow from others.
func (f *Feed) derive() {
	f.deriving.Lock()
	defer f.deriving.Unlock()
	f.mu.Lock()
	facts := f.facts
	if facts == f.derived {
		f.mu.Unlock()
		return
	}
	status, approvals := f.status()
	f.mu.Unlock()
	all := toolscript.Attend(status, approvals)
	f.mu.Lock()
	defer f.mu.Unlock()
	current := f.facts == facts
	info := toolscript.GatewayInfo{ID: gatewayID}
	if r := f.rows[key{toolscript.LiveGateway, gatewayID}]; r != nil {
		info = r.entry.(toolscript.GatewayInfo)
	}
	info.Ready, info.Total, info.Warnings = 0, 0, status.Warnings
	for _, s := range status.Servers {
		if !s.Disabled {
			info.Total++
		}
		if s.Serves() {
			info.Ready++
		}
	}
	f.set(keyOf(info), info)
	f.attend(all)
	if current {
		f.derived = f.facts
	}
	f.warnSoon(info.Generation)
}

const gatewayID = "gateway"

// status returns what needs attention follows from. The caller holds mu.
func (f *Feed) status() (status toolscript.Status, approvals []toolscript.Approval) {
	for k, r := range f.rows {
		switch entry := r.entry.(type) {
		case toolscript.ServerEntry:
			status.Servers = append(status.Servers, entry.ServerStatus)
		case toolscript.ActorEntry:
			status.Actors = append(status.Actors, entry.ActorStatus)
		case toolscript.Approval:
			approvals = append(approvals, entry)
		case toolscript.IndexEntry:
			if k.id == "search" && entry.Search != nil {
				status.Search = *entry.Search
			}
		}
	}
	slices.SortFunc(status.Servers, func(a, b toolscript.ServerStatus) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(status.Actors, func(a, b toolscript.ActorStatus) int { return cmp.Compare(a.Name, b.Name) })
	status.Warnings = f.warnings
	return status, approvals
}

// attend makes these the only problems. The caller holds mu.
func (f *Feed) attend(all []toolscript.Attention) {
	for k := range f.rows {
		if k.kind == toolscript.LiveAttention && !slices.ContainsFunc(all, func(a toolscript.Attention) bool { return a.ID == k.id }) {
			f.remove(k)
		}
	}
	for _, a := range all {
		f.set(keyOf(a), a)
	}
}

// warnSoon computes the warnings of a new catalog, in a goroutine. The caller holds mu.
func (f *Feed) warnSoon(generation uint64) {
	if f.warning || f.warned == generation+1 {
		return
	}
	f.warning = true
	warned := func(warnings []string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.warning, f.warned, f.warnings = false, generation+1, warnings
		f.changes(toolscript.LiveGateway)
	}
	mailbox.Go(func() { warned(f.sources.Warn(f.sources.Closing)) }, func(err error) { warned([]string{err.Error()}) })
}
