package mcpclient

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/toolscript/toolscript"
)

const (
	exitDelay = 500 * time.Millisecond // that a process may outlive its own pipes before the connection counts as ended
	drainIdle = 200 * time.Millisecond // without output of a process that has ended, before it is taken for complete
	drainTime = 20 * time.Second       // for all output that comes after the end
)

// stdio is a server that is our child process. mcp-go only speaks with it: its
// own process handling leaks grandchildren and the gateway's environment.
type stdio struct {
	proc  *process
	wire  *transport.Stdio
	log   *tail
	words cleaner
	on    Events

	chat   atomic.Pointer[string] // the first line on standard output that is no message
	pumped chan struct{}          // closed when nothing more comes from standard output
	broke  error                  // why, if not for its end; read after pumped

	gone   chan struct{}
	why    error // read after gone
	ending sync.Once
	ended  error
}

// startStdio starts the server's process and watches it.
func (d Dialer) startStdio(cfg Config, on Events, words cleaner, tooLarge func(id string) bool) (*stdio, error) {
	if cfg.Command == "" {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New(`a stdio server needs a "command"`)}
	}
	env, refused := environment(os.Environ(), cfg)
	for _, name := range refused {
		on.logf(slog.LevelWarn, "%s of its configured environment is not passed on: names that begin with %s are our own", name, ownPrefix)
	}
	s := &stdio{words: words, on: on, pumped: make(chan struct{}), gone: make(chan struct{})}
	s.log = &tail{words: words}
	var err error
	argv := append([]string{cfg.Command}, cfg.Args...)
	if s.proc, err = startProcess(argv, env, cfg.Dir, s.log, on, d.Reaper); err != nil {
		return nil, err
	}
	messages, fromServer := io.Pipe()
	// A bufio.Reader of this size is kept by mcp-go, which would otherwise read 4 KiB at a time.
	s.wire = transport.NewIO(bufio.NewReaderSize(messages, 1<<20), s.proc.stdin, nil)
	go s.pump(&filter{to: fromServer, limit: maxMessage, text: s.text, tooLarge: tooLarge})
	go s.watch(fromServer)
	return s, nil
}

func (s *stdio) transport() transport.Interface { return s.wire }
func (s *stdio) lost() <-chan struct{}          { return s.gone }
func (s *stdio) reason() error                  { return s.why }
func (s *stdio) stderr() []string               { return s.log.last() }

func (s *stdio) chatter() string {
	if line := s.chat.Load(); line != nil {
		return *line
	}
	return ""
}

// text takes a line that is no message.
func (s *stdio) text(line []byte) {
	words := s.words.clean(string(line[:min(len(line), maxRaw)]))
	if words == "" {
		return
	}
	s.chat.CompareAndSwap(nil, &words)
	s.on.logf(slog.LevelDebug, "text on standard output: %s", words)
}

// pump carries what the server writes to mcp-go.
func (s *stdio) pump(f *filter) {
	defer close(s.pumped)
	defer recovered(s.on)
	s.broke = errFault // stands after a panic
	err := f.run(s.proc)
	if s.broke = nil; errors.Is(err, errTooLarge) {
		s.broke = err
	}
}

// watch notices the end of the connection, whichever of its parts ends first,
// and tells those who wait: mcp-go by the end of its input, the others by gone.
func (s *stdio) watch(messages *io.PipeWriter) {
	defer recovered(s.on)
	s.why = s.awaitEnd()
	close(s.gone)        // first: who is told by mcp-go looks here for the reason
	_ = messages.Close() // mcp-go closes itself when it gets there; its Close would drop the answers before
	<-s.proc.exited
	_ = s.proc.stdout.Close() // nobody reads it any more
	_ = s.proc.stdin.Close()  // ends its goroutine
}

// awaitEnd returns why no more answers can come.
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

// drain lets what a dead server wrote last be read, however slowly. A process
// that has left the group may hold the pipe open for ever, and even write to it.
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

// end ends the process and waits until the connection knows. Output that is
// slow to be read is given up then, since nobody waits for an answer any more.
func (s *stdio) end(how func(*process) error) error {
	s.ending.Do(func() {
		if s.ended = how(s.proc); s.ended != nil {
			return
		}
		if s.known() {
			return
		}
		_ = s.proc.stdout.Close() // makes the read fail
		if !s.known() {
			s.ended = fmt.Errorf("the output of process %d did not end", s.proc.cmd.Process.Pid)
		}
	})
	return s.ended
}

// known reports whether the connection knows of its end, and gives it a moment.
func (s *stdio) known() bool {
	select {
	case <-s.gone:
		return true
	case <-time.After(lastOutput):
		return false
	}
}
