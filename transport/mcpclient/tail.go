package mcpclient

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/transport/upstream"
)

const (
	tailLines = 100
	tailBytes = 16 << 10
)

// tail is an io.Writer that keeps the last lines written to it. It removes secrets and control characters.
type tail struct {
	redact upstream.Redactor
	start  *proc.Start // also receives the lines; may be nil

	written atomic.Int64 // number of finished lines that are not empty, including dropped ones

	mu    sync.Mutex
	lines []string
	size  int    // bytes of lines
	open  []byte // the unfinished line, at most MaxRaw bytes
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rest := p
	t.start.Logged(len(p))
	for {
		line, after, ended := bytes.Cut(rest, []byte{'\n'})
		t.open = append(t.open, line[:min(len(line), upstream.MaxRaw-len(t.open))]...)
		if !ended {
			return len(p), nil
		}
		t.endLine()
		rest = after
	}
}

// endLine stores the finished line.
func (t *tail) endLine() {
	line := t.redact.Printable(string(t.open))
	t.open = t.open[:0]
	t.keep(line)
}

// add stores a line that is already clean.
func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keep(line)
}

// keep stores a line and drops the oldest lines above the limit.
func (t *tail) keep(line string) {
	if line == "" {
		return
	}
	t.written.Add(1)
	t.start.Line(line)
	t.lines = append(t.lines, line)
	t.size += len(line)
	drop := 0
	for len(t.lines)-drop > tailLines || t.size > tailBytes {
		t.size -= len(t.lines[drop])
		drop++
	}
	t.lines = slices.Delete(t.lines, 0, drop)
}

// last returns the stored lines, oldest first, and the unfinished line.
func (t *tail) last() []string { return t.since(0) }

// since is like last, but leaves out the first n lines that were ever written.
func (t *tail) since(n int64) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	dropped := t.written.Load() - int64(len(t.lines))
	lines := slices.Clone(t.lines[max(0, min(n-dropped, int64(len(t.lines)))):])
	if line := t.redact.PrintableCut(string(t.open)); line != "" {
		lines = append(lines, line)
	}
	return lines
}
