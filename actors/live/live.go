// Package live is the actor that publishes what happens in the gateway to operators: a
// snapshot, and then each change. It receives the facts of the other actors, and reads
// their counters twice a second. Without a reader, it keeps no state.
package live

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

const (
	flushDelay = 25 * time.Millisecond  // between a change and its event, which combines changes of one entry
	lookEvery  = 500 * time.Millisecond // between two looks at counters
	lookTime   = 2 * time.Second        // bounds one look
	linger     = 30 * time.Second       // how long the state is kept after the last reader, which may come back
	maxReaders = 32
	maxQuick   = 100 // calls that begin and end between two flushes and still get an event
)

// Options configure the actor. All fields are required.
type Options struct {
	Feed    *Feed
	Gateway func() toolscript.GatewayInfo  // without ID, Ready, Total, Warnings and Omitted; does not block
	Look    func(context.Context) Observed // asks the other actors; returns soon after the end of its context
	Warn    func(context.Context) []string // computes the warnings of the current catalog; may take long
	Logger  *slog.Logger
}

// Observed is what the actor has seen in one look.
type Observed struct {
	Servers   []toolscript.ServerStatus
	Actors    []toolscript.ActorStatus // nil if they did not answer
	Runs      []toolscript.RunEntry    // nil if they did not answer
	Approvals []toolscript.Approval    // nil if they did not answer
	Calls     []toolscript.CallEntry   // calls in flight
	Index     []toolscript.IndexEntry
}

// Live is the state of the actor. Only Receive accesses it.
type Live struct {
	Options

	life context.Context // ends with the actor
	end  context.CancelFunc
	post func(message any) // sends a message to this actor

	id      string // id of this actor's life, part of the ids of events
	readers map[*Reader]struct{}
	waiting []Subscribe // readers that wait for the first look
	awake   bool
	looks   int
	seen    bool // there was a look since the actor woke up
	lost    bool // calls were lost: the next look reads the calls in flight
	since   int  // number of the current wake period
	sleep   *time.Timer

	table   *table
	looking bool
	next    *time.Timer // the next look
	flush   *time.Timer // the next flush; nil without changes
	gateway toolscript.GatewayInfo
	warned  uint64 // 1 + the catalog generation of the warnings; 0 without warnings
	warning bool   // warnings are being computed
}

// Subscribe adds a reader, which gets the events after the event with the id After, or begins
// with a snapshot. The sender must send Unsubscribe later, even after an error. The error is
// Busy if there are too many readers.
type Subscribe struct {
	Reader *Reader
	After  string
	Reply  mailbox.Reply[struct{}]
}

// Unsubscribe removes a reader. The reader may be gone already.
type Unsubscribe struct{ Reader *Reader }

// The messages of the actor to itself. since is the number of the wake period of the message.
type (
	pending struct{} // the Feed has calls or lines
	due     struct{} // it is time to flush the changes
	look    struct{ since int }
	seen    struct {
		since, clock int
		observed     Observed
		err          error
	}
	warned struct {
		generation uint64
		warnings   []string
	}
	sleepNow struct{ since int }
)

// New returns the actor.
func New(o Options) *Live { return &Live{Options: o} }

// Receive handles one message.
func (l *Live) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		l.start(c)
	case Subscribe:
		l.subscribe(m)
	case Unsubscribe:
		l.remove(m.Reader)
	case catalog.ServerChanged, catalog.ActorChanged, catalog.RunChanged, catalog.ApprovalChanged:
		l.fact(m)
	case pending:
		l.flushSoon()
	case due:
		l.flushNow()
	case look:
		l.look(m.since)
	case seen:
		l.seenAll(m)
	case warned:
		l.warn(m)
	case sleepNow:
		l.fallAsleep(m.since)
	case actor.Stopped:
		l.stop()
	}
}

func (l *Live) start(c *actor.Context) {
	engine, self := c.Engine(), c.PID()
	l.post = func(message any) { mailbox.Send(engine, self, message) }
	l.life, l.end = context.WithCancel(context.Background())
	l.id, l.readers = strings.ToLower(rand.Text()[:10]), map[*Reader]struct{}{}
}

func (l *Live) subscribe(m Subscribe) {
	if len(l.readers)+len(l.waiting) >= maxReaders {
		m.Reply.Send(struct{}{}, &toolscript.Error{
			Kind: toolscript.Busy, RetryAfter: time.Second, Err: errors.New("too many programs look at this gateway; close a page or a terminal with it"),
		})
		return
	}
	if m.Reader.arguments {
		l.Feed.arguments.Store(true)
	}
	l.wakeUp()
	if !l.seen {
		l.waiting = append(l.waiting, m)
		return
	}
	l.flushNow() // the snapshot has everything
	l.begin(m)
}

// begin gives a reader its first events: the missed events, or a snapshot.
func (l *Live) begin(m Subscribe) {
	if missed, ok := l.table.after(m.After); ok {
		m.Reader.add(missed)
	} else {
		m.Reader.add([]change{l.table.snapshot(m.Reader.arguments)})
	}
	l.readers[m.Reader] = struct{}{}
	m.Reply.Send(struct{}{}, nil)
}

// wakeUp begins to keep the state.
func (l *Live) wakeUp() {
	if l.sleep != nil {
		l.sleep.Stop()
		l.sleep = nil
	}
	if l.awake {
		return
	}
	l.awake = true
	l.since++
	l.table = newTable(l.id, l.since)
	l.gateway, l.warned = toolscript.GatewayInfo{}, 0
	post := l.post
	for _, line := range l.Feed.open(func() { post(pending{}) }) {
		l.table.put(toolscript.LiveLog, line.entry())
	}
	l.look(l.since)
}

func (l *Live) remove(r *Reader) {
	delete(l.readers, r)
	l.waiting = slices.DeleteFunc(l.waiting, func(m Subscribe) bool { return m.Reader == r })
	arguments := slices.ContainsFunc(l.waiting, func(m Subscribe) bool { return m.Reader.arguments })
	for r := range l.readers {
		arguments = arguments || r.arguments
	}
	l.Feed.arguments.Store(arguments)
	if len(l.readers)+len(l.waiting) > 0 || !l.awake || l.sleep != nil {
		return
	}
	post, since := l.post, l.since
	l.sleep = time.AfterFunc(linger, func() { post(sleepNow{since}) })
}

// fallAsleep drops the state.
func (l *Live) fallAsleep(since int) {
	if !l.awake || since != l.since || len(l.readers)+len(l.waiting) > 0 {
		return
	}
	l.Feed.close()
	stopAll(l.next, l.flush, l.sleep)
	l.awake, l.seen, l.table, l.next, l.flush, l.sleep = false, false, nil, nil, nil, nil
}

// look asks all actors for their state, in a goroutine.
func (l *Live) look(since int) {
	if !l.awake || since != l.since || l.looking {
		return
	}
	l.looking = true
	l.table.began()
	post, ask, parent, clock := l.post, l.Look, l.life, l.table.clock
	mailbox.Go(func() {
		ctx, cancel := context.WithTimeout(parent, lookTime)
		defer cancel()
		post(seen{since: since, clock: clock, observed: ask(ctx)})
	}, func(err error) { post(seen{since: since, err: err}) })
}

// seenAll takes the result of a look. It keeps entries that facts have changed meanwhile.
func (l *Live) seenAll(m seen) {
	l.looking = false
	if !l.awake {
		return
	}
	if m.since != l.since { // the look belongs to an earlier wake period
		l.look(l.since)
		return
	}
	post, since := l.post, l.since
	l.next = time.AfterFunc(lookEvery, func() { post(look{since}) })
	if m.err != nil {
		mailbox.LogFailure(l.Logger, slog.LevelError, "state of the gateway not read", m.err)
	} else {
		l.adopt(m.observed, m.clock)
	}
	first := !l.seen
	l.seen = true
	if first {
		l.drain()
		l.derive()
		l.table.changes() // the first snapshot has them
		l.table.past, l.table.bytes = nil, 0
		for _, m := range l.waiting {
			l.begin(m)
		}
		l.waiting = nil
		return
	}
	l.flushSoon()
}

func (l *Live) adopt(o Observed, clock int) {
	t := l.table
	for _, s := range o.Servers {
		if old, ok := t.rows[key{toolscript.LiveServer, s.Name}]; ok && s.Since.Before(old.entry.(toolscript.ServerEntry).Since) {
			old.looked = true // the registry has not got the last fact yet
			continue
		}
		t.saw(toolscript.LiveServer, toolscript.ServerEntry{ID: s.Name, ServerStatus: s}, clock)
	}
	t.sweep(toolscript.LiveServer, clock)
	if o.Actors != nil {
		for _, a := range o.Actors {
			t.saw(toolscript.LiveActor, l.calm(toolscript.ActorEntry{ID: a.Name, ActorStatus: a}), clock)
		}
		l.looks++
		t.sweep(toolscript.LiveActor, clock)
	}
	if o.Runs != nil {
		for _, r := range o.Runs {
			t.saw(toolscript.LiveRun, r, clock)
		}
		t.sweep(toolscript.LiveRun, clock)
	}
	if o.Approvals != nil {
		for _, a := range o.Approvals {
			t.saw(toolscript.LiveApproval, a, clock)
		}
		t.sweep(toolscript.LiveApproval, clock)
	}
	if !l.seen || l.lost { // otherwise the Feed has all calls
		l.lost = false
		for _, c := range o.Calls {
			t.saw(toolscript.LiveCall, identified(c), clock)
		}
	}
	for _, i := range o.Index {
		t.saw(toolscript.LiveIndex, i, clock)
	}
}

// calm updates the number of messages of an actor only in every fourth look, because each look
// sends messages itself.
func (l *Live) calm(a toolscript.ActorEntry) toolscript.ActorEntry {
	if old, ok := l.table.rows[key{toolscript.LiveActor, a.ID}]; ok && l.looks%4 != 0 {
		a.Messages = old.entry.(toolscript.ActorEntry).Messages
	}
	return a
}

// fact takes a fact from another actor.
func (l *Live) fact(fact any) {
	if !l.awake {
		return
	}
	t := l.table
	switch m := fact.(type) {
	case catalog.ServerChanged:
		entry := toolscript.ServerEntry{ID: m.Status.Name, ServerStatus: m.Status}
		entry.Settled = !entry.State.Connects() || entry.Rested
		if old, ok := t.rows[key{toolscript.LiveServer, entry.ID}]; ok { // keep the fields that the server's actor does not know
			before := old.entry.(toolscript.ServerEntry)
			entry.Settled = entry.Settled || before.Settled
			entry.Calls, entry.Errors, entry.P50Ms, entry.P95Ms, entry.Hour = before.Calls, before.Errors, before.P50Ms, before.P95Ms, before.Hour
		}
		entry.Stale = entry.Tools > 0 && !entry.Serves()
		t.put(toolscript.LiveServer, entry)
	case catalog.ActorChanged:
		if m.Gone {
			t.remove(toolscript.LiveActor, m.Status.Name)
			break
		}
		entry := toolscript.ActorEntry{ID: m.Status.Name, ActorStatus: m.Status}
		if old, ok := t.rows[key{toolscript.LiveActor, entry.ID}]; ok { // keep the measurements, which a fact does not have
			before := old.entry.(toolscript.ActorEntry)
			entry.InFlight, entry.Confinement = before.InFlight, before.Confinement
			entry.MailboxMs = before.MailboxMs
		}
		t.put(toolscript.LiveActor, entry)
	case catalog.RunChanged:
		t.put(toolscript.LiveRun, m.Run)
	case catalog.ApprovalChanged:
		if m.Gone {
			t.remove(toolscript.LiveApproval, m.Approval.ID)
			break
		}
		t.put(toolscript.LiveApproval, m.Approval)
	}
	l.flushSoon()
}

// identified sets the ID of a call, which is unique among all calls.
func identified(c toolscript.CallEntry) toolscript.CallEntry {
	c.ID = cmp.Or(c.CallID, c.RequestID)
	if c.Run != "" {
		c.ID = c.Run + "/" + c.ID
	}
	return c
}

func (l *Live) flushSoon() {
	if l.flush != nil || !l.seen {
		return
	}
	post := l.post
	l.flush = time.AfterFunc(flushDelay, func() { post(due{}) })
}

// flushNow sends the changes to all readers, and drops those that are too slow.
func (l *Live) flushNow() {
	if l.flush != nil {
		l.flush.Stop()
		l.flush = nil
	}
	if !l.seen {
		return
	}
	l.drain()
	l.derive()
	changes := l.table.changes()
	if len(changes) == 0 {
		return
	}
	for r := range l.readers {
		if !r.add(changes) {
			r.close(toolscript.Notice{Reason: toolscript.NoticeSlow, Message: "this reader was too slow; it may come back with Last-Event-ID"})
			l.remove(r)
		}
	}
}

// drain takes the calls and lines of the Feed. Of calls that began and ended since the last
// flush, only the first maxQuick get an event.
func (l *Live) drain() {
	calls, lines, lost := l.Feed.take()
	if lost {
		l.lost = true
		for k, row := range l.table.rows {
			if k.kind == toolscript.LiveCall && !row.ended {
				l.table.drop(k)
			}
		}
	}
	begun, quick := map[string]bool{}, 0
	for _, c := range calls {
		c = identified(c)
		if c.State == toolscript.CallRunning {
			begun[c.ID] = true
			l.table.put(toolscript.LiveCall, c)
			continue
		}
		if begun[c.ID] {
			if quick++; quick > maxQuick {
				l.table.forget(toolscript.LiveCall, c.ID)
				l.gateway.Omitted++
				continue
			}
		}
		l.table.put(toolscript.LiveCall, c)
	}
	for _, line := range lines[max(0, len(lines)-toolscript.SnapshotLogs):] {
		l.table.put(toolscript.LiveLog, line.entry())
	}
}

// derive computes the entries that follow from other entries.
func (l *Live) derive() {
	info := l.Gateway()
	info.ID, info.Omitted, info.Warnings = "gateway", l.gateway.Omitted, l.gateway.Warnings
	var status toolscript.Status
	var approvals []toolscript.Approval
	for k, row := range l.table.rows {
		switch entry := row.entry.(type) {
		case toolscript.ServerEntry:
			status.Servers = append(status.Servers, entry.ServerStatus)
			if !entry.Disabled {
				info.Total++
			}
			if entry.Serves() {
				info.Ready++
			}
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
	status.Warnings = info.Warnings
	l.table.put(toolscript.LiveGateway, info)
	l.gateway = info
	l.table.replace(toolscript.LiveAttention, toolscript.Attend(status, approvals))
	l.warnSoon(info.Generation)
}

// warnSoon computes the warnings of a new catalog, in a goroutine.
func (l *Live) warnSoon(generation uint64) {
	if l.warning || l.warned == generation+1 {
		return
	}
	l.warning = true
	post, compute, ctx := l.post, l.Warn, l.life
	mailbox.Go(func() { post(warned{generation, compute(ctx)}) }, func(err error) {
		post(warned{generation, []string{err.Error()}})
	})
}

func (l *Live) warn(m warned) {
	l.warning = false
	l.warned, l.gateway.Warnings = m.generation+1, m.warnings
	if l.awake {
		l.flushSoon()
	}
}

// stop ends all readers, because the gateway ends or this actor has panicked.
func (l *Live) stop() {
	l.end()
	l.Feed.close()
	stopAll(l.next, l.flush, l.sleep)
	for r := range l.readers {
		r.close(toolscript.Notice{Reason: toolscript.NoticeStopping, Message: "the gateway is stopping, or this part of it is started again"})
	}
	for _, m := range l.waiting {
		m.Reply.Send(struct{}{}, mailbox.ErrStopped)
	}
}

func stopAll(timers ...*time.Timer) {
	for _, t := range timers {
		if t != nil {
			t.Stop()
		}
	}
}
