package mcpclient

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/toolscript/toolscript/transport/upstream"
)

// Printer is a Started that records what the server prints during the call.
type Printer interface {
	// Printed describes what the server has written since the call began: to standard error, and
	// to standard output if it is not a message. text is the end of a sentence that begins with
	// "; ", or empty. failure reports whether text explains why there is no answer.
	Printed() (text string, failure bool)
}

// printMark is a position in the output of a server.
type printMark struct{ stderr, stdout int64 }

// Printed implements Printer. The output may be about other calls in flight.
func (c *sentCall) Printed() (text string, failure bool) {
	if s, ok := c.conn.peer.(*stdio); ok {
		text, failure = s.printedSince(c.mark)
	}
	if err := c.nameless.Load(); err != nil {
		text += fmt.Sprintf("; it answered with an error without the id of a request, which may be for this one: %q", c.conn.redact.Printable(err.Message))
		failure = true
	}
	return text, failure
}

func (s *stdio) mark() printMark { return printMark{s.log.written.Load(), s.noise.written.Load()} }

func (s *stdio) printedSince(m printMark) (text string, failure bool) {
	if lines := s.log.since(m.stderr); len(lines) > 0 {
		line := telling(lines)
		text = fmt.Sprintf("; meanwhile the server wrote to stderr: %q", line)
		failure = namesError(line)
	}
	if lines := s.noise.since(m.stdout); len(lines) > 0 {
		return text + fmt.Sprintf("; on stdout it wrote text that is not a message: %q", lines[len(lines)-1]), true
	}
	if line := s.redact.PrintableCut(s.output.unfinished()); line != "" {
		return text + fmt.Sprintf("; its last line on stdout has no line break: %q", line), true
	}
	return text, failure
}

// namesError reports whether a line reports a failure.
func namesError(line string) bool {
	for _, form := range errorForms() {
		if form.MatchString(line) {
			return true
		}
	}
	return false
}

// text handles a line that is not a message. If the line contains the answer to a call, or completes
// an answer on several lines, text ends the call.
func (s *stdio) text(line []byte) {
	words := s.redact.Printable(string(line[:min(len(line), upstream.MaxRaw)]))
	if words == "" {
		return
	}
	s.stdoutText.CompareAndSwap(nil, &words)
	s.noise.add(words)
	s.on.Logf(slog.LevelDebug, "text on standard output: %s", words)
	if s.calls.unreadable(line, "") {
		return
	}
	whole := s.object.add(line)
	if whole == nil {
		return
	}
	s.noise.add(s.redact.Printable(string(whole[:min(len(whole), upstream.MaxRaw)])))
	if m, ok := parse(whole); !s.calls.unreadable(whole, "it is spread over several lines") && ok && m.method == "" {
		s.calls.other(m)
	}
}

// output reads the standard output of a server, and keeps the beginning of the unfinished line.
type output struct {
	from io.Reader

	mu   sync.Mutex
	open []byte
}

func (o *output) Read(p []byte) (int, error) {
	n, err := o.from.Read(p)
	o.mu.Lock()
	defer o.mu.Unlock()
	rest := p[:n]
	if end := bytes.LastIndexByte(rest, '\n'); end >= 0 {
		rest, o.open = rest[end+1:], o.open[:0]
	}
	o.open = append(o.open, rest[:min(len(rest), edge-len(o.open))]...)
	return n, err
}

func (o *output) unfinished() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.open)
}
