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

// tail is an io.Writer that keeps the last lines written to it, cleaned by words.
type tail struct {
	words redactor

	mu    sync.Mutex
	lines []string
	size  int    // bytes of lines
	open  []byte // the unfinished line; bytes beyond maxRaw are dropped
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

// endLine stores the finished line and drops the oldest lines above the limit.
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

// last returns the stored lines, oldest first, and the unfinished line.
func (t *tail) last() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := slices.Clone(t.lines)
	if line := t.words.clean(string(t.open)); line != "" {
		lines = append(lines, line)
	}
	return lines
}
