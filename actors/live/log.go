package live

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/texts"
)

// line is a line of the log that is formatted only for a reader.
type line struct {
	id     string
	record slog.Record
	with   *with
}

// log puts a line of the log.
func (f *Feed) log(record slog.Record, with *with) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines++
	id := strconv.FormatUint(f.lines, 10)
	f.set(key{toolscript.LiveLog, id}, line{id, record, with})
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
		ID: l.id, Time: l.record.Time.Round(0), Level: l.record.Level.String(), Message: texts.Short(l.record.Message, maxValue), Attrs: map[string]string{},
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
