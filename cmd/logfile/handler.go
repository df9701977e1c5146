package logfile

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	// maxDelay is how long a line of HandleLater waits at most.
	maxDelay = 10 * time.Millisecond
	// maxWaiting bounds the lines that wait.
	maxWaiting = 1024
)

// Handler writes the lines of a log, in order. Lines of HandleLater wait for a moment, so
// that one write has many of them. It is safe for concurrent use.
type Handler struct {
	format slog.Handler // writes to batch.text
	batch  *batch
}

// batch is common to the handlers of one log.
type batch struct {
	writing sync.Mutex // held while lines are formatted and written
	to      io.Writer
	text    bytes.Buffer

	mu      sync.Mutex
	waiting []line
	timer   *time.Timer // of the first line that waits; nil: none waits
}

type line struct {
	format slog.Handler
	ctx    context.Context //nolint:containedctx // that of HandleLater
	record slog.Record
}

// NewHandler returns a handler of a log with lines in the form of format, which may wrap
// any handler that writes each line to its writer.
func NewHandler(to io.Writer, format func(io.Writer) slog.Handler) *Handler {
	b := &batch{to: to}
	return &Handler{format: format(&b.text), batch: b}
}

// Enabled implements slog.Handler.
func (h *Handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.format.Enabled(ctx, level)
}

// WithAttrs implements slog.Handler.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &Handler{format: h.format.WithAttrs(attrs), batch: h.batch}
}

// WithGroup implements slog.Handler.
func (h *Handler) WithGroup(name string) slog.Handler {
	return &Handler{format: h.format.WithGroup(name), batch: h.batch}
}

// Handle implements slog.Handler. It writes a line after those that wait.
func (h *Handler) Handle(ctx context.Context, record slog.Record) error {
	return h.batch.write(line{h.format, ctx, record})
}

// HandleLater is Handle for a line that may wait for up to 10 ms, the next line of Handle,
// or Flush. It blocks only while too many lines wait.
func (h *Handler) HandleLater(ctx context.Context, record slog.Record) {
	if !h.batch.keep(line{h.format, ctx, record.Clone()}) {
		h.Flush()
	}
}

// Flush writes the lines that wait.
func (h *Handler) Flush() { _ = h.batch.write() } // a log that cannot be written has no reader

// keep reports whether more lines may wait after this one.
func (b *batch) keep(l line) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, l)
	if b.timer == nil {
		b.timer = time.AfterFunc(maxDelay, func() { _ = b.write() }) // see Flush
	}
	return len(b.waiting) < maxWaiting
}

// take returns the lines that wait.
func (b *batch) take() []line {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer == nil {
		return nil
	}
	b.timer.Stop()
	lines := b.waiting
	b.timer, b.waiting = nil, nil
	return lines
}

// write writes the lines that wait and then some more.
func (b *batch) write(more ...line) error {
	b.writing.Lock()
	defer b.writing.Unlock()
	for _, l := range append(b.take(), more...) {
		_ = l.format.Handle(l.ctx, l.record) // the buffer takes everything
	}
	defer b.text.Reset()
	if b.text.Len() == 0 {
		return nil
	}
	_, err := b.to.Write(b.text.Bytes())
	return err
}
