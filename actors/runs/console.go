package runs

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/runner"
)

// console emits the output of a script up to the limits of bytes and lines. The rest is
// kept in a file, and the script continues. It is safe for concurrent use.
type console struct {
	run    string
	limits toolscript.Limits
	events *emitter
	kept   kept.Outputs
	paces  *paces // limits of the rate; nil: no limit

	mu             sync.Mutex
	stdout, stderr int64 // emitted bytes
	lines          int64
	open           bool // the last line of stdout has no newline
	cut            bool
	closed         bool       // set for a nested run that outlives its caller: it writes nothing more
	rest           *kept.File // output after the cut; nil before the cut, or if it cannot be kept

	usedBytes, usedLines atomic.Int64 // use of the limits; read without mu, which Write may hold for long
}

// Write implements runner.Host.
func (o *console) Write(s runner.Stream, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	if s == runner.Progress {
		o.report(text)
		return
	}
	if o.paces != nil {
		text = o.paces.keep(text)
	}
	if o.cut {
		o.keep(text)
		return
	}
	now := text[:o.room(text)]
	o.lines += int64(strings.Count(now, "\n"))
	kind := toolscript.EventStdout
	if s == runner.Stderr {
		kind = toolscript.EventStderr
		o.stderr += int64(len(now))
	} else if now != "" {
		o.stdout += int64(len(now))
		o.open = !strings.HasSuffix(now, "\n")
	}
	o.usedBytes.Store(o.stdout + o.stderr)
	o.usedLines.Store(o.lines)
	if now != "" {
		o.events.emit(toolscript.Event{Type: kind, Data: now})
	}
	if len(now) < len(text) {
		o.cutOff(text[len(now):])
	}
}

// room returns how much of a text may be emitted: whole lines, or whole characters of a
// line that is too long itself.
func (o *console) room(text string) int {
	room := len(text)
	if left := o.limits.OutputBytes - o.stdout - o.stderr; int64(room) > left {
		room = len(texts.Cut(text, int(left)))
		if end := strings.LastIndexByte(text[:room], '\n') + 1; end > 0 {
			room = end
		}
	}
	left := o.limits.LogLines - o.lines
	if int64(strings.Count(text[:room], "\n")) < left {
		return room
	}
	end := 0
	for range left {
		end += strings.IndexByte(text[end:], '\n') + 1
	}
	return end
}

// cutOff emits a notice, once, that there is more output, with the command that reads it.
func (o *console) cutOff(rest string) {
	o.cut = true
	limit := fmt.Sprintf("%d bytes", o.limits.OutputBytes)
	if o.lines >= o.limits.LogLines {
		limit = fmt.Sprintf("%d lines", o.limits.LogLines)
	}
	handle := "read the rest with: " + toolscript.Command("output", o.run)
	var err error
	if o.rest, err = o.kept.Create(o.run, kept.Output); err != nil {
		handle = fmt.Sprintf("the rest is lost: %v", err)
	}
	o.keep(rest)
	if o.open { // the value that follows begins a new line
		o.events.emit(toolscript.Event{Type: toolscript.EventStdout, Data: "\n"})
	}
	o.events.emit(toolscript.Event{
		Type: toolscript.EventStderr, Data: fmt.Sprintf("\n[output cut at its limit of %s; %s]\n", limit, handle),
	})
}

func (o *console) keep(text string) {
	if o.rest != nil {
		_, _ = o.rest.Write([]byte(text)) // on a full disk the file is shorter
	}
}

// close closes the file and returns its size.
func (o *console) close() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.rest == nil {
		return 0
	}
	size := o.rest.Size()
	_ = o.rest.Close() // no write is pending
	o.rest = nil
	return size
}

// written returns the numbers of emitted bytes.
func (o *console) written() (stdout, stderr int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.stdout, o.stderr
}
