package live

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/texts"
)

// maxPending bounds the calls and the lines that wait for the actor. The bound is reached only if
// the actor does not run.
const maxPending = 20_000

// Feed collects events that are too frequent for messages: calls, and lines of the log. Without
// a reader of GET /events, a call costs one atomic load, and a line is kept for the next reader.
// A Feed is created before the actor and outlives it. It is safe for concurrent use.
type Feed struct {
	on        atomic.Bool // there is a reader
	arguments atomic.Bool // there is a reader of arguments

	mu    sync.Mutex
	wake  func() // tells the actor that calls or lines wait
	calls []toolscript.CallEntry
	lost  bool   // there was no room in calls
	lines []line // lines since the actor last took them
	kept  []line // the last lines, the oldest first
	last  uint64 // id of the last line
}

// line is a line of the log that is not formatted yet.
type line struct {
	id     uint64
	record slog.Record
	with   *with
}

// NewFeed returns a Feed without an actor.
func NewFeed() *Feed { return &Feed{} }

// On reports whether a reader wants calls.
func (f *Feed) On() bool { return f.on.Load() }

// Arguments reports whether a reader wants arguments of calls.
func (f *Feed) Arguments() bool { return f.arguments.Load() }

// Call adds the new state of a call. It does not block.
func (f *Feed) Call(c toolscript.CallEntry) {
	if !f.on.Load() {
		return
	}
	f.mu.Lock()
	first := len(f.calls)+len(f.lines) == 0
	if len(f.calls) < maxPending {
		f.calls = append(f.calls, c)
	} else {
		f.lost = true
	}
	wake := f.wake
	f.mu.Unlock()
	if first && wake != nil {
		wake()
	}
}

// log adds a line of the log. It does not block.
func (f *Feed) log(record slog.Record, with *with) {
	f.mu.Lock()
	f.last++
	l := line{f.last, record, with}
	if len(f.kept) >= 2*toolscript.SnapshotLogs {
		f.kept = append(f.kept[:0], f.kept[len(f.kept)-toolscript.SnapshotLogs:]...)
	}
	f.kept = append(f.kept, l)
	var wake func()
	if f.on.Load() {
		if len(f.calls)+len(f.lines) == 0 {
			wake = f.wake
		}
		if len(f.lines) < maxPending {
			f.lines = append(f.lines, l)
		}
	}
	f.mu.Unlock()
	if wake != nil {
		wake()
	}
}

// open starts the collection of calls, and returns the last lines before that.
func (f *Feed) open(wake func()) []line {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on.Store(true)
	f.wake = wake
	return append([]line{}, f.kept[max(0, len(f.kept)-toolscript.SnapshotLogs):]...)
}

func (f *Feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on.Store(false)
	f.arguments.Store(false)
	f.calls, f.lines, f.lost, f.wake = nil, nil, false, nil
}

// take returns and removes the waiting calls and lines.
func (f *Feed) take() (calls []toolscript.CallEntry, lines []line, lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls, lines, lost = f.calls, f.lines, f.lost
	f.calls, f.lines, f.lost = nil, nil, false
	return calls, lines, lost
}

// Handler returns a handler that passes lines to next and to the feed.
func (f *Feed) Handler(next slog.Handler) slog.Handler { return &handler{next: next, feed: f} }

// laterHandler is a copy of actors.LaterHandler, which this package cannot import.
type laterHandler interface {
	slog.Handler
	HandleLater(context.Context, slog.Record)
	Flush()
}

type handler struct {
	next slog.Handler
	feed *Feed
	with *with
}

// with has the group and the attributes of a handler, which follow those of before.
type with struct {
	before *with
	group  string
	attrs  []slog.Attr
}

// Enabled implements slog.Handler.
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, record slog.Record) error {
	h.feed.log(record, h.with)
	return h.next.Handle(ctx, record)
}

// HandleLater implements actors.LaterHandler. It gets the lines of successful calls of scripts,
// which are not kept without a reader.
func (h *handler) HandleLater(ctx context.Context, record slog.Record) {
	if h.feed.On() {
		h.feed.log(record, h.with)
	}
	if later, ok := h.next.(laterHandler); ok {
		later.HandleLater(ctx, record)
		return
	}
	_ = h.next.Handle(ctx, record) // slog ignores this error too
}

// Flush implements actors.LaterHandler.
func (h *handler) Flush() {
	if later, ok := h.next.(laterHandler); ok {
		later.Flush()
	}
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.next.WithAttrs(attrs), h.feed, &with{before: h.with, attrs: attrs}}
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.next.WithGroup(name), h.feed, &with{before: h.with, group: name}}
}

// maxValue bounds a text of a line, in bytes.
const maxValue = 2000

// entry formats a line.
func (l line) entry() toolscript.LogLine {
	e := toolscript.LogLine{
		ID: strconv.FormatUint(l.id, 10), Time: l.record.Time.Round(0), Level: l.record.Level.String(), Message: texts.Short(l.record.Message, maxValue), Attrs: map[string]string{},
	}
	prefix := l.with.add(e.Attrs)
	l.record.Attrs(func(a slog.Attr) bool {
		put(e.Attrs, prefix, a)
		return true
	})
	return e
}

// add adds the attributes of a handler, and returns the prefix of the names of later attributes.
func (w *with) add(to map[string]string) (prefix string) {
	if w == nil {
		return ""
	}
	prefix = w.before.add(to)
	if w.group != "" {
		prefix += w.group + "."
	}
	for _, a := range w.attrs {
		put(to, prefix, a)
	}
	return prefix
}

func put(to map[string]string, prefix string, a slog.Attr) {
	value := a.Value.Resolve()
	if value.Kind() == slog.KindGroup {
		if a.Key != "" {
			prefix += a.Key + "."
		}
		for _, inner := range value.Group() {
			put(to, prefix, inner)
		}
		return
	}
	text := value.String()
	if value.Kind() == slog.KindTime {
		text = value.Time().Format(time.RFC3339Nano)
	}
	to[prefix+a.Key] = texts.Short(text, maxValue)
}
