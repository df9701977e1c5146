package mcpclient

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/upstream"
)

const (
	exitDelay = 500 * time.Millisecond // how long a process that has closed its pipes may take to exit
	drainIdle = 200 * time.Millisecond // without output after the process has ended; the output then counts as complete
	drainTime = 20 * time.Second       // limit for reading all output after the process has ended
)

// watch waits until the first part of the connection ends, and then notifies the waiting goroutines.
// mcp-go sees the end of its input; for the others, watch closes gone.
func (s *stdio) watch(messages *io.PipeWriter) {
	defer rescue.Catch(panicked(s.on))
	s.why = s.awaitEnd()
	close(s.gone)        // before the rest, so that the errors of calls contain the reason
	_ = messages.Close() // mcp-go closes itself at the end of its input; its Close would drop earlier answers
	s.calls.lose()
	if s.left.Load() {
		return // another process reads the pipes
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

// drain waits until the last output of an ended process has been read, but at most drainTime: a
// process that has left the group may keep the pipe open forever and even write to it.
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

// end ends the process and waits until watch has noticed it. It discards output that is still
// unread, because no call waits for an answer.
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

// known waits up to lastOutput until watch has noticed the end, and reports whether it has.
func (s *stdio) known() bool {
	select {
	case <-s.gone:
		return true
	case <-time.After(lastOutput):
		return false
	}
}

// lose ends all calls that do not go through mcp-go, and rejects new requests. It is called when the
// connection has ended.
func (c *calls) lose() {
	c.mu.Lock()
	c.closed = true
	var lost []*sentCall
	for _, call := range c.open {
		if call.direct {
			lost = append(lost, call)
		}
	}
	c.mu.Unlock()
	for _, call := range lost {
		c.complete(call, reply{lost: true})
	}
}
