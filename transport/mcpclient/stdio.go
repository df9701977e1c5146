package mcpclient

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
)

const (
	exitDelay = 500 * time.Millisecond // for a process that has closed its pipes to exit
	drainIdle = 200 * time.Millisecond // without output after the process has ended; the output then counts as complete
	drainTime = 20 * time.Second       // for all output after the process has ended
)

// stdio is a server in a child process. Only the protocol is left to mcp-go, whose
// process handling leaks grandchildren and passes the gateway's environment on.
type stdio struct {
	proc  *process
	wire  *transport.Stdio
	log   *tail
	words redactor
	on    Events
	calls *calls

	stdoutText atomic.Pointer[string] // the first line on standard output that is not a message
	pumped     chan struct{}          // closed when standard output has ended
	broke      error                  // why reading ended, nil at the end of output; valid after pumped is closed

	stopReading func() // ends the wait for memory for a message; nil before the start

	gone   chan struct{}
	why    error // valid after gone is closed
	ending sync.Once
	ended  error
}

// startStdio starts the server's process and watches it.
func (d Dialer) startStdio(cfg Config, on Events, words redactor, open *calls) (*stdio, error) {
	if cfg.Command == "" {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New(`a stdio server needs a "command"`)}
	}
	env := environment(os.Environ(), cfg)
	for _, name := range env.refused {
		on.logf(slog.LevelWarn, "%s of its configured environment is not passed on: names that begin with %s are reserved", name, ownPrefix)
	}
	for _, name := range env.withheld {
		on.logf(slog.LevelWarn, "%s is not passed on: its value holds a user name or password; to pass it, add it to inheritEnv", name)
	}
	s := &stdio{words: words, on: on, calls: open, pumped: make(chan struct{}), gone: make(chan struct{})}
	s.log = &tail{words: words}
	dir := cmp.Or(cfg.Dir, d.Dir)
	start, err := d.confined(cfg, append([]string{cfg.Command}, cfg.Args...), env.vars, dir, on)
	if err != nil {
		return nil, err
	}
	s.proc, err = startProcess(start, dir, s.log, on, d.Reaper)
	start.CloseFiles()
	if err != nil {
		start.End()
		return nil, err
	}
	go func() {
		<-s.proc.exited
		start.End()
	}()
	messages, fromServer := io.Pipe()
	// mcp-go keeps a bufio.Reader of this size; otherwise it would read 4 KiB at a
	// time.
	s.wire = transport.NewIO(bufio.NewReaderSize(messages, 1<<20), s.proc.stdin, nil)
	reading, stop := context.WithCancel(context.Background())
	s.stopReading = stop
	go func() {
		defer stop()
		s.pump(&filter{
			to: fromServer, limit: maxMessage, text: s.text, tooLarge: open.tooLarge,
			ctx: reading, answers: d.Answers, take: open.answer, direct: open.direct,
		})
	}()
	go s.watch(fromServer)
	return s, nil
}

func (s *stdio) transport() transport.Interface { return s.wire }
func (s *stdio) lost() <-chan struct{}          { return s.gone }
func (s *stdio) reason() error                  { return s.why }
func (s *stdio) stderr() []string               { return s.log.last() }

func (s *stdio) stdoutLine() string {
	if line := s.stdoutText.Load(); line != nil {
		return *line
	}
	return ""
}

// text handles a line that is not a message.
func (s *stdio) text(line []byte) {
	words := s.words.clean(string(line[:min(len(line), maxRaw)]))
	if words == "" {
		return
	}
	s.stdoutText.CompareAndSwap(nil, &words)
	s.on.logf(slog.LevelDebug, "text on standard output: %s", words)
}

// pump filters the server's output until it ends.
func (s *stdio) pump(f *filter) {
	defer close(s.pumped)
	defer recovered(s.on)
	s.broke = errFault // remains set after a panic
	err := f.run(s.proc)
	if s.broke = nil; errors.Is(err, errTooLarge) {
		s.broke = err
	}
}

// watch waits for the end of the connection, whichever part ends first, and notifies
// the waiting goroutines: mcp-go by the end of its input, the others by gone.
func (s *stdio) watch(messages *io.PipeWriter) {
	defer recovered(s.on)
	s.why = s.awaitEnd()
	close(s.gone)        // first, so that the errors of calls contain the reason
	_ = messages.Close() // mcp-go closes itself at the end of its input; its Close would drop earlier answers
	s.calls.lose()
	<-s.proc.exited
	_ = s.proc.stdout.Close() // no reader is left
	_ = s.proc.stdin.Close()  // ends the goroutine of the outbox
}

// answering returns a request handler that writes the answers itself. mcp-go would
// report each answer that cannot be written to the program's default logger, without
// a limit.
func (s *stdio) answering(ask transport.RequestHandler) transport.RequestHandler {
	return func(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
		response, err := ask(ctx, request)
		if err != nil {
			response = transport.NewJSONRPCErrorResponse(request.ID, mcp.INTERNAL_ERROR, err.Error(), nil)
		}
		message, err := json.Marshal(response)
		if err == nil {
			_, err = s.proc.stdin.Write(append(message, '\n'))
		}
		if err != nil && !errors.Is(err, errClosed) { // errClosed: the connection is ending
			s.on.logf(slog.LevelWarn, "the server's request %s was not answered: %v", printable(request.Method), err)
		}
		return nil, nil //nolint:nilnil // mcp-go then writes nothing
	}
}

// awaitEnd waits until no more answers can arrive and returns the reason.
func (s *stdio) awaitEnd() (why error) {
	defer recovered(s.on, func() { why = errFault }, s.terminate)
	select {
	case <-s.pumped:
		if s.broke != nil {
			s.terminate()
			return s.broke
		}
		if s.proc.gone(exitDelay) {
			return s.proc.status()
		}
		s.terminate()
		return errors.New("the server closed its standard output")
	case <-s.proc.stdin.broken:
		if s.proc.gone(exitDelay) {
			s.drain()
			return s.proc.status()
		}
		s.terminate()
		return errors.New("the server closed its standard input")
	case <-s.proc.exited:
		s.drain()
		return s.proc.status()
	}
}

// drain waits until the last output of an ended process has been read, for at most
// drainTime. A process that has left the group may hold the pipe open indefinitely
// and even write to it.
func (s *stdio) drain() {
	limit := time.AfterFunc(drainTime, func() { _ = s.proc.stdout.Close() }) // makes the read fail
	defer limit.Stop()
	s.proc.stdoutIdle()
	<-s.pumped
}

// terminate ends a process that no longer serves, in the background.
func (s *stdio) terminate() {
	go func() {
		defer recovered(s.on)
		if err := s.proc.abort(); err != nil {
			s.on.logf(slog.LevelError, "%v", err)
		}
	}()
}

func (s *stdio) close() error { return s.end((*process).close) }

func (s *stdio) abort() error { return s.end((*process).abort) }

// end ends the process and waits until watch has noticed it. Output that is still
// unread then is discarded, because no call waits for an answer.
func (s *stdio) end(how func(*process) error) error {
	s.ending.Do(func() {
		if s.ended = how(s.proc); s.ended != nil {
			return
		}
		if s.known() {
			return
		}
		if s.stopReading != nil {
			s.stopReading()
		}
		_ = s.proc.stdout.Close() // makes the read fail
		if !s.known() {
			s.ended = fmt.Errorf("the output of process %d did not end", s.proc.cmd.Process.Pid)
		}
	})
	return s.ended
}

// known waits up to lastOutput for watch to notice the end and reports whether it
// did.
func (s *stdio) known() bool {
	select {
	case <-s.gone:
		return true
	case <-time.After(lastOutput):
		return false
	}
}
