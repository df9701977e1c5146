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
	// maxWaiting is the maximum number of waiting lines.
	maxWaiting = 1024
)

// Handler writes the lines of a log, in order. Lines of HandleLater wait for a short time,
// so that one write contains many of them. It is safe for concurrent use.
type Handler struct {
	format slog.Handler // writes to batch.text
	batch  *batch
}

// batch is shared by all handlers of one log.
type batch struct {
	writing sync.Mutex // held while lines are formatted and written
	to      io.Writer
	text    bytes.Buffer
	written []line // empty; its memory is that of the next waiting lines

	mu      sync.Mutex
	waiting []line
	timer   *time.Timer // started by the first waiting line; nil: no line waits
}

type line struct {
	format slog.Handler
	ctx    context.Context //nolint:containedctx // context of HandleLater
	record slog.Record
}

// NewHandler returns a handler that writes lines to the writer to. format returns the handler
// that formats them, which must write each line to its writer.
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

// Handle implements slog.Handler. It writes the line after those that wait.
func (h *Handler) Handle(ctx context.Context, record slog.Record) error {
	return h.batch.write(line{h.format, ctx, record})
}

// HandleLater is like Handle, but the line may wait for up to 10 ms, the next call of
// Handle, or Flush. HandleLater blocks only while too many lines wait.
func (h *Handler) HandleLater(ctx context.Context, record slog.Record) {
	if !h.batch.keep(line{h.format, ctx, record.Clone()}) {
		h.Flush()
	}
}

// Flush writes the waiting lines.
func (h *Handler) Flush() { _ = h.batch.write() } // nobody would see the error

// keep adds a waiting line, and reports whether more lines may wait.
func (b *batch) keep(l line) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, l)
	if b.timer == nil {
		b.timer = time.AfterFunc(maxDelay, func() { _ = b.write() }) // see Flush
	}
	return len(b.waiting) < maxWaiting
}

// take removes and returns the waiting lines. The caller holds writing.
func (b *batch) take() []line {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer == nil {
		return nil
	}
	b.timer.Stop()
	lines := b.waiting
	b.timer, b.waiting, b.written = nil, b.written, nil
	return lines
}

// write writes the waiting lines, and then more.
func (b *batch) write(more ...line) error {
	b.writing.Lock()
	defer b.writing.Unlock()
	lines := append(b.take(), more...)
	for _, l := range lines {
		_ = l.format.Handle(l.ctx, l.record) // writing to a buffer never fails
	}
	clear(lines)
	b.written = lines[:0]
	defer b.text.Reset()
	if b.text.Len() == 0 {
		return nil
	}
	_, err := b.to.Write(b.text.Bytes())
	return err
}
