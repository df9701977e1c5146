package worker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/session"
)

// TestInternalErrorEndsTheRun checks that a panic of the gateway while it reads from a
// sandbox ends the run with an internal error.
func TestInternalErrorEndsTheRun(t *testing.T) {
	var log bytes.Buffer
	s, err := StartSandbox(t.Context(), Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.link = newLink(faulty{s.conn})
	outcome, err := s.Run(t.Context(), runner.Job{RunID: "r1", Compiled: runner.Compiled{JavaScript: "for (;;);"}}, noHost{})
	if !errors.Is(err, session.ErrPanic) || outcome.Err == nil || outcome.Err.Code != toolscript.Internal {
		t.Errorf("Run = %+v, %v; want an error of kind %s", outcome.Err, err, toolscript.Internal)
	}
	<-s.Done()
	if text := log.String(); !strings.Contains(text, "read broke") || !strings.Contains(text, "run=r1") || !strings.Contains(text, "guard_test.go") {
		t.Errorf("the log lacks the cause, the run or the stack:\n%s", text)
	}
}

// faulty is a connection whose Read panics.
type faulty struct{ io.ReadWriteCloser }

func (faulty) Read([]byte) (int, error) { panic("read broke") }

// noHost is the host of a script that makes no requests.
type noHost struct{}

func (noHost) Begin(runner.Call, func(runner.Answer))    {}
func (noHost) Cancel(string, error)                      {}
func (noHost) CancelAll(error)                           {}
func (noHost) Write(runner.Stream, string)               {}
func (noHost) ReadStdin(context.Context) ([]byte, error) { return nil, nil }
