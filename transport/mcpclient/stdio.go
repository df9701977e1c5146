package mcpclient

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/upstream"
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
	words upstream.Concealer
	on    upstream.Events
	calls *calls

	output     output
	noise      *tail                  // lines on standard output that are not messages
	object     jsonObject             // JSON object that is printed on several of these lines
	stdoutText atomic.Pointer[string] // first line that is not a message
	pumped     chan struct{}          // closed when standard output has ended
	broke      error                  // why reading ended, nil at the end of output; valid after pumped is closed

	stopReading func() // ends the wait for memory for a message; nil before the start

	requests serverRequests

	left    atomic.Bool // the installation goes on without this program
	install proc.Installation

	gone   chan struct{}
	why    error // valid after gone is closed
	ending sync.Once
	ended  error
}

// startStdio starts the server's process and watches it.
func (d Dialer) startStdio(cfg upstream.Config, on upstream.Events, words upstream.Concealer, open *calls) (*stdio, error) {
	if cfg.Command == "" {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New(`a stdio server needs a "command"`)}
	}
	env := environment(os.Environ(), cfg)
	for _, name := range env.refused {
		on.Logf(slog.LevelWarn, "%s of its configured environment is not passed on: names that begin with %s are reserved", name, ownPrefix)
	}
	for _, name := range env.withheld {
		on.Logf(slog.LevelWarn, "%s is not passed on: its value holds a user name or password; to pass it, add it to inheritEnv", name)
	}
	s := &stdio{words: words, on: on, calls: open, pumped: make(chan struct{}), gone: make(chan struct{})}
	argv := append([]string{cfg.Command}, cfg.Args...)
	s.install = proc.NewInstallation(argv, installKey(argv, env.vars))
	s.log, s.noise = &tail{words: words, start: proc.NewStart(argv)}, &tail{words: words}
	dir := cmp.Or(cfg.Dir, d.Dir)
	start, err := d.confined(cfg, argv, env.vars, dir, on)
	if err != nil {
		return nil, namingVariables(cfg, err)
	}
	start.Install = s.install
	s.proc, err = startIn(cfg.Project, start, dir, s.log, on, d.Reaper)
	start.CloseFiles()
	if err != nil {
		start.End()
		return nil, namingVariables(cfg, err)
	}
	go func() {
		<-s.proc.exited
		start.End()
	}()
	s.output.from = s.proc
	messages, fromServer := io.Pipe()
	// mcp-go keeps a bufio.Reader of this size; otherwise it would read 4 KiB at a
	// time.
	s.wire = transport.NewIO(bufio.NewReaderSize(messages, 1<<20), s.proc.stdin, nil)
	reading, stop := context.WithCancel(context.Background())
	s.stopReading = stop
	open.asked = func(m message) bool { return s.asked(reading, m) }
	go func() {
		defer stop()
		s.pump(&filter{
			to: fromServer, limit: maxMessage, text: s.text, refused: open.refuse,
			ctx: reading, answers: d.Answers, take: open.answer, direct: s.direct,
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

// text handles a line that is not a message. If it contains the answer to a call, or completes
// one on several lines, the call ends.
func (s *stdio) text(line []byte) {
	words := s.words.Printable(string(line[:min(len(line), upstream.MaxRaw)]))
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
	s.noise.add(s.words.Printable(string(whole[:min(len(whole), upstream.MaxRaw)])))
	if m, ok := parse(whole); !s.calls.unreadable(whole, "it is spread over several lines") && ok && m.method == "" {
		s.calls.other(m)
	}
}

// direct handles a message that is not for mcp-go, or a line that is not JSON. It returns false for others.
func (s *stdio) direct(line []byte) bool {
	if s.calls.direct(line) {
		return true
	}
	if rawjson.Valid(line) {
		return false
	}
	s.text(line)
	return true
}

// pump filters the server's output until it ends.
func (s *stdio) pump(f *filter) {
	defer close(s.pumped)
	defer rescue.Catch(panicked(s.on))
	s.broke = upstream.ErrFault // remains set after a panic
	err := f.run(&s.output)
	if s.broke = nil; errors.Is(err, errTooLarge) {
		s.broke = err
	}
}

// watch waits for the end of the connection, whichever part ends first, and notifies
// the waiting goroutines: mcp-go by the end of its input, the others by gone.
func (s *stdio) watch(messages *io.PipeWriter) {
	defer rescue.Catch(panicked(s.on))
	s.why = s.awaitEnd()
	close(s.gone)        // first, so that the errors of calls contain the reason
	_ = messages.Close() // mcp-go closes itself at the end of its input; its Close would drop earlier answers
	s.calls.lose()
	if s.left.Load() {
		return // another process has the pipes
	}
	<-s.proc.exited
	_ = s.proc.stdout.Close() // no reader is left
	_ = s.proc.stdin.Close()  // ends the goroutine of the outbox
}

// awaitEnd waits until no more answers can arrive and returns the reason.
func (s *stdio) awaitEnd() (why error) {
	defer rescue.Catch(panicked(s.on, func() { why = upstream.ErrFault }, s.terminate))
	select {
	case <-s.pumped:
		if s.left.Load() {
			return errLeft
		}
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
		defer rescue.Catch(panicked(s.on))
		if err := s.proc.abort(); err != nil {
			s.on.Logf(slog.LevelError, "%v", err)
		}
	}()
}

func (s *stdio) close() error { return s.end((*process).close) }

func (s *stdio) abort() error { return s.end((*process).abort) }

func (s *stdio) undo() error { return s.end((*process).undo) }

// errLeft is the reason for the end of a connection whose server is still being installed.
var errLeft = errors.New("its installation goes on in the background")

// caches are the variables that say where a package manager or container runtime keeps what it
// has installed.
var caches = []string{"DOCKER_CONTEXT", "DOCKER_HOST", "HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_CACHE_HOME", "npm_config_cache", "NPM_CONFIG_CACHE", "UV_CACHE_DIR", "PNPM_HOME", "BUN_INSTALL", "PIPX_HOME", "CONTAINER_HOST"}

// installKey identifies what a command line installs, and where.
func installKey(argv, env []string) []string {
	key := slices.Clone(argv)
	for _, entry := range env {
		if name, _, _ := strings.Cut(entry, "="); slices.Contains(caches, name) {
			key = append(key, entry)
		}
	}
	return key
}

// leave lets an installation go on without this program. It returns false if nothing is being
// installed. After it, the end of the connection ends no process.
func (s *stdio) leave(by *proc.Reaper) (bool, error) {
	if !s.log.start.Look().Installing {
		return false, nil
	}
	if err := by.Leave(s.proc.cmd.Process.Pid, s.install, s.proc.stdout.File, s.proc.stderr); err != nil {
		return false, err
	}
	s.left.Store(true)
	s.ending.Do(func() {
		if s.stopReading != nil {
			s.stopReading()
		}
		_ = s.proc.stdin.Close()                            // never fails
		_, _ = s.proc.stdout.Close(), s.proc.stderr.Close() // makes the reads fail; the other process has copies
		s.known()
	})
	return true, nil
}

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
