package mcpclient

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/transport/upstream"
)

// stdio is a server in a child process. This package starts and ends the process itself: mcp-go
// would leak grandchildren and pass the gateway's environment on. mcp-go only implements the protocol.
type stdio struct {
	proc   *process
	wire   *transport.Stdio
	log    *tail
	redact upstream.Redactor
	on     upstream.Events
	calls  *calls

	output     output
	noise      *tail                  // lines on standard output that are not messages
	object     jsonObject             // JSON object that the server prints on several such lines
	stdoutText atomic.Pointer[string] // first line that is not a message
	pumped     chan struct{}          // closed when standard output has ended
	broke      error                  // why reading ended, nil at the end of output; valid after pumped is closed

	stopReading func() // ends the wait for memory for a message; nil before the start

	requests serverRequests

	left    atomic.Bool // the installation continues without this program
	install proc.Installation

	gone   chan struct{}
	why    error // valid after gone is closed
	ending sync.Once
	ended  error
}

// startStdio starts the server's process and watches it.
func (d Dialer) startStdio(cfg upstream.Config, on upstream.Events, redact upstream.Redactor, open *calls) (*stdio, error) {
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
	s := &stdio{redact: redact, on: on, calls: open, pumped: make(chan struct{}), gone: make(chan struct{})}
	argv := append([]string{cfg.Command}, cfg.Args...)
	s.install = proc.NewInstallation(argv, installKey(argv, env.vars))
	s.log, s.noise = &tail{redact: redact, start: proc.NewStart(argv)}, &tail{redact: redact}
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
	s.read(fromServer, d.Answers)
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
