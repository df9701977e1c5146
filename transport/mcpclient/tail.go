package mcpclient

import (
	"bytes"
	"slices"
	"sync"
)

const (
	tailLines = 100
	tailBytes = 16 << 10
)

// tail is an io.Writer that keeps the last lines written to it, cleaned.
type tail struct {
	words cleaner

	mu    sync.Mutex
	lines []string
	size  int    // of lines
	open  []byte // the line that has no end yet; what is beyond maxRaw is dropped
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rest := p
	for {
		line, after, ended := bytes.Cut(rest, []byte{'\n'})
		t.open = append(t.open, line[:min(len(line), maxRaw-len(t.open))]...)
		if !ended {
			return len(p), nil
		}
		t.endLine()
		rest = after
	}
}

// endLine files the open line, and drops the oldest ones that are too many.
func (t *tail) endLine() {
	line := t.words.clean(string(t.open))
	t.open = t.open[:0]
	if line == "" {
		return
	}
	t.lines = append(t.lines, line)
	t.size += len(line)
	drop := 0
	for len(t.lines)-drop > tailLines || t.size > tailBytes {
		t.size -= len(t.lines[drop])
		drop++
	}
	t.lines = slices.Delete(t.lines, 0, drop)
}

// last returns what is kept, oldest first, with the line that has no end yet.
func (t *tail) last() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := slices.Clone(t.lines)
	if line := t.words.clean(string(t.open)); line != "" {
		lines = append(lines, line)
	}
	return lines
}
