package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/session"
	"github.com/toolscript/toolscript/test/fixture/testhost"
)

// process replaces the process of a sandbox. Its PID is that of the test, which uses almost no processor time.
type process struct{ done chan struct{} }

func (p process) PID() int              { return os.Getpid() }
func (p process) Done() <-chan struct{} { return p.done }

// host answers each call with the function begin.
type host struct {
	testhost.Calls
	begin func(h *host, c runner.Call, done func(runner.Answer))
	stdin func(ctx context.Context) ([]byte, error)
	write func()
}

func (h *host) Begin(c runner.Call, done func(runner.Answer)) { h.begin(h, c, done) }
func (h *host) Write(runner.Stream, string)                   { h.write() }
func (h *host) ReadStdin(ctx context.Context) ([]byte, error) { return h.stdin(ctx) }

func options(log *bytes.Buffer) session.Options {
	return session.Options{
		Log: slog.New(slog.NewTextHandler(log, nil)), Poll: 50 * time.Millisecond, MaxAnswer: 10,
		Overrun: func() *toolscript.RunError { return nil },
	}
}

// TestEnds covers every way in which a run ends.
func TestEnds(t *testing.T) {
	limited := runner.Job{RunID: "r", Limits: toolscript.Limits{TimeoutMs: 1000}}
	for _, test := range []struct {
		name    string
		job     runner.Job
		options func(*session.Options)
		during  func(s *session.Session, cancel context.CancelCauseFunc)
		kind    toolscript.Kind
		fails   bool
		after   time.Duration
	}{
		{name: "by itself", during: func(s *session.Session, _ context.CancelCauseFunc) { s.End(runner.Outcome{Exited: true}) }},
		{name: "lost", during: func(s *session.Session, _ context.CancelCauseFunc) { s.Fail(errors.New("gone")) }, fails: true},
		{name: "panic", during: func(s *session.Session, _ context.CancelCauseFunc) { s.Go(func() { panic("broken") }) }, fails: true},
		{name: "wall time", job: limited, kind: toolscript.LimitTime, after: time.Second},
		{
			name: "wall time with grace", job: limited, kind: toolscript.LimitTime, after: 1300 * time.Millisecond,
			options: func(o *session.Options) { o.LimitGrace = 300 * time.Millisecond },
		},
		{
			name: "cancelled", kind: toolscript.Cancelled,
			during: func(_ *session.Session, cancel context.CancelCauseFunc) { cancel(errors.New("no longer needed")) },
		},
		{
			name: "cancelled with grace", kind: toolscript.Cancelled, after: 100 * time.Millisecond,
			options: func(o *session.Options) { o.Cancel, o.CancelGrace = func() {}, 100*time.Millisecond },
			during:  func(_ *session.Session, cancel context.CancelCauseFunc) { cancel(errors.New("no longer needed")) },
		},
		{
			name: "memory", kind: toolscript.LimitMemory, after: 50 * time.Millisecond,
			options: func(o *session.Options) {
				o.Overrun = func() *toolscript.RunError { return toolscript.Fail(toolscript.LimitMemory, "too much") }
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := options(new(bytes.Buffer))
				if test.options != nil {
					test.options(&o)
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				s := session.New(ctx, process{}, test.job, &host{}, o)
				defer s.Close()
				begun := time.Now()
				if test.during != nil {
					test.during(s, cancel)
				}
				outcome, stopped, err := s.Wait(ctx)
				if (err != nil) != test.fails || (stopped != nil) != (test.kind != "") || stopped != nil && stopped.Code != test.kind {
					t.Errorf("Wait = %+v, %+v, %v", outcome, stopped, err)
				}
				if test.name == "by itself" && !outcome.Exited {
					t.Errorf("Wait = %+v, want the outcome of End", outcome)
				}
				if took := time.Since(begun); took != test.after {
					t.Errorf("ended after %v, want %v", took, test.after)
				}
			})
		})
	}
}

// TestClockStops stops the clock of a run for one minute.
func TestClockStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := &runner.Clock{}
		s := session.New(t.Context(), process{}, runner.Job{Limits: toolscript.Limits{TimeoutMs: 1000}, Clock: clock}, &host{}, options(new(bytes.Buffer)))
		defer s.Close()
		begun, release := time.Now(), clock.Hold()
		time.AfterFunc(time.Minute, release)
		_, stopped, err := s.Wait(t.Context())
		if took := time.Since(begun); err != nil || stopped == nil || took < time.Minute+time.Second || took > time.Minute+2*time.Second {
			t.Errorf("stopped with %+v, %v after %v", stopped, err, took)
		}
	})
}

// TestAnswers covers every result of a call, including a panic of the host.
func TestAnswers(t *testing.T) {
	answer := func(a runner.Answer) func(*host, runner.Call, func(runner.Answer)) {
		return func(_ *host, _ runner.Call, done func(runner.Answer)) { done(a) }
	}
	for name, test := range map[string]struct {
		begin func(*host, runner.Call, func(runner.Answer))
		value string
		kind  toolscript.Kind
	}{
		"value":    {answer(runner.Answer{Value: json.RawMessage("1")}), "1", ""},
		"too long": {answer(runner.Answer{Value: json.RawMessage(`"0123456789"`)}), "", toolscript.TooLarge},
		"refused":  {answer(runner.Answer{Failure: &toolscript.ToolError{Code: "busy"}}), "", "busy"},
		"panic":    {func(*host, runner.Call, func(runner.Answer)) { panic("begin") }, "", toolscript.Internal},
		"panic after the answer": {func(_ *host, _ runner.Call, done func(runner.Answer)) {
			done(runner.Answer{Value: json.RawMessage("1")})
			panic("begin")
		}, "1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			answers, o := answered(&log)
			s := session.New(t.Context(), process{}, runner.Job{RunID: "r"}, &host{begin: test.begin}, o)
			if err := s.Call(runner.Call{CallID: "1"}, 1); err != nil {
				t.Fatal(err)
			}
			a := <-answers
			s.Close()
			var kind toolscript.Kind
			if a.Failure != nil {
				kind = a.Failure.Code
			}
			if string(a.Value) != test.value || kind != test.kind || a.CallID != "1" {
				t.Errorf("answer = %+v", a)
			}
			if strings.HasPrefix(name, "panic") != strings.Contains(log.String(), "session_test.go") {
				t.Errorf("the log has: %s", log.String())
			}
		})
	}
}

// TestOneIDTwice checks a sandbox that uses one id for two calls.
func TestOneIDTwice(t *testing.T) {
	s := session.New(t.Context(), process{}, runner.Job{}, &host{begin: waiting}, options(new(bytes.Buffer)))
	defer s.Close()
	for _, c := range []struct {
		id   string
		want bool
	}{{"2", true}, {"1", true}, {"2", false}, {"x", false}} {
		if err := s.Call(runner.Call{CallID: c.id}, 1); (err == nil) != c.want {
			t.Errorf("call %s: %v", c.id, err)
		}
	}
}

// answered returns options that send answers to the returned channel.
func answered(log *bytes.Buffer) (<-chan session.Answer, session.Options) {
	answers, o := make(chan session.Answer, 2), options(log)
	o.Deliver = func(a session.Answer) (rest func()) {
		answers <- a
		return nil
	}
	return answers, o
}

// waiting is a call that ends when it is cancelled.
func waiting(h *host, c runner.Call, done func(runner.Answer)) {
	h.Make(c, done, func(ctx context.Context) (json.RawMessage, *toolscript.ToolError) {
		<-ctx.Done()
		return nil, &toolscript.ToolError{Code: toolscript.Cancelled, Message: fmt.Sprint(context.Cause(ctx))}
	})
}

// TestCancelCall cancels one of two calls, and then the run.
func TestCancelCall(t *testing.T) {
	answers, o := answered(new(bytes.Buffer))
	s := session.New(t.Context(), process{}, runner.Job{}, &host{begin: waiting}, o)
	for _, id := range []string{"1", "2"} {
		if err := s.Call(runner.Call{CallID: id}, 1); err != nil {
			t.Fatal(err)
		}
	}
	s.CancelCall("1")
	s.CancelCall("9") // no such call
	if a := <-answers; a.CallID != "1" || a.Failure.Message != runner.ErrCallCancelled.Error() {
		t.Errorf("answer = %+v", a)
	}
	s.Close()
	if a := <-answers; a.CallID != "2" || a.Failure.Message != context.Canceled.Error() {
		t.Errorf("answer = %+v", a)
	}
}

// TestStdin covers a host that returns input, fails or panics, and a run that has already ended.
func TestStdin(t *testing.T) {
	for name, test := range map[string]struct {
		read  func(context.Context) ([]byte, error)
		want  string
		fails bool
	}{
		"piece": {func(context.Context) ([]byte, error) { return []byte("x"), nil }, "x", false},
		"end":   {func(context.Context) ([]byte, error) { return nil, nil }, "", false},
		"error": {func(context.Context) ([]byte, error) { return nil, errors.New("broken pipe") }, "", true},
		"panic": {func(context.Context) ([]byte, error) { panic("read") }, "", true},
	} {
		s := session.New(t.Context(), process{}, runner.Job{}, &host{stdin: test.read}, options(new(bytes.Buffer)))
		piece, err := s.ReadStdin(t.Context())
		s.Close()
		if string(piece) != test.want || (err != nil) != test.fails {
			t.Errorf("%s: %q, %v", name, piece, err)
		}
		if _, err := s.ReadStdin(t.Context()); err == nil {
			t.Errorf("%s: a read after the end of the run succeeds", name)
		}
	}
}

// TestHostThatIgnoresCancellation checks that Close abandons a call if its host ignores the cancellation.
func TestHostThatIgnoresCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var answer func(runner.Answer)
		_, o := answered(new(bytes.Buffer))
		s := session.New(t.Context(), process{}, runner.Job{}, &host{begin: func(_ *host, _ runner.Call, done func(runner.Answer)) { answer = done }}, o)
		if err := s.Call(runner.Call{CallID: "1"}, 1); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		s.Close()
		if took := time.Since(begun); took != session.GracePeriod {
			t.Errorf("Close took %v, want %v", took, session.GracePeriod)
		}
		answer(runner.Answer{})
	})
}

// TestAnswerThatBlocks checks that the host does not wait for a process that does not read an
// answer, and that the bytes of the answer are held meanwhile.
func TestAnswerThatBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		taken, o := make(chan struct{}), options(new(bytes.Buffer))
		o.Deliver = func(session.Answer) (rest func()) { return func() { <-taken } }
		released := false
		s := session.New(t.Context(), process{}, runner.Job{}, &host{begin: func(_ *host, _ runner.Call, done func(runner.Answer)) {
			done(runner.Answer{Release: func() { released = true }})
		}}, o)
		if err := s.Call(runner.Call{CallID: "1"}, 1); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if released {
			t.Error("the answer was released before it was taken")
		}
		close(taken)
		s.Close()
		if !released {
			t.Error("the answer was not released")
		}
	})
}
