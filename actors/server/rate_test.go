package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// starts records when calls begin on a connection that answers them after a time.
type starts struct {
	takes time.Duration
	mu    sync.Mutex
	begin time.Time
	tools []string
	at    []time.Duration
}

func (s *starts) call(_ context.Context, tool string, _ func()) (json.RawMessage, error) {
	s.mu.Lock()
	s.tools, s.at = append(s.tools, tool), append(s.at, time.Since(s.begin))
	s.mu.Unlock()
	time.Sleep(s.takes)
	return json.RawMessage(`{}`), nil
}

// limited starts a rig with a rate limit.
func limited(t *testing.T, calls int, per time.Duration, burst int) (*rig, *starts) {
	t.Helper()
	s := &starts{}
	r := start(t, options{config: upstream.Config{RateLimit: upstream.RateLimit{Calls: calls, Per: per, Burst: burst}}, dial: calling(s.call)})
	s.begin = time.Now()
	return r, s
}

func wait(t *testing.T, calls []<-chan outcome) {
	t.Helper()
	for _, done := range calls {
		if got := <-done; got.err != nil {
			t.Error(got.err)
		}
	}
}

// Calls begin as the bucket gets tokens, and after a pause burst of them at once.
func TestRateLimitSpacesCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := limited(t, 60, time.Minute, 3)
		for range 2 { // the second time after a pause
			var calls []<-chan outcome
			for range 6 {
				calls = append(calls, r.call(t.Context(), "a"))
				synctest.Wait()
			}
			if status := r.status(); status.Queued != 3 || status.RateLimit.Waiting != 3 {
				t.Errorf("%d calls wait, %d of them for a token; want 3", status.Queued, status.RateLimit.Waiting)
			}
			wait(t, calls)
			time.Sleep(time.Hour - time.Since(s.begin)%time.Hour)
		}
		second := time.Second
		want := []time.Duration{0, 0, 0, second, 2 * second, 3 * second, time.Hour, time.Hour, time.Hour, time.Hour + second, time.Hour + 2*second, time.Hour + 3*second}
		if diff := cmp.Diff(want, rounded(s.at)); diff != "" {
			t.Errorf("starts of calls (-want +got):\n%s", diff)
		}
		if got, want := *r.status().RateLimit, (toolscript.RateLimit{Calls: 60, PerMs: 60_000, Burst: 3, Delayed: 6}); got != want {
			t.Errorf("status = %+v, want %+v", got, want)
		}
	})
}

// rounded rounds to milliseconds: the bucket counts in floating point.
func rounded(at []time.Duration) []time.Duration {
	var out []time.Duration
	for _, d := range at {
		out = append(out, d.Round(time.Millisecond))
	}
	return out
}

// Calls on the connection directly take tokens of the same bucket. Without a token, they wait behind earlier calls.
func TestRateLimitOfThePort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := limited(t, 1, time.Second, 2)
		for i, want := range []time.Duration{0, 0, time.Second} {
			begin := time.Now()
			if _, err := r.direct(t.Context()); time.Since(begin) != want || err != nil {
				t.Errorf("direct call %d: %v after %v, want it after %v", i, err, time.Since(begin), want)
			}
		}
		first := r.call(t.Context(), "waits")
		second := r.call(t.Context(), "waits too")
		third := r.inBackground(t.Context())
		wait(t, []<-chan outcome{first, second})
		if err := <-third; err != nil {
			t.Error(err)
		}
		if len(s.tools) != 6 || s.tools[3] == "a" {
			t.Errorf("the server got %v, want the call of the Port after one that waited before", s.tools)
		}
	})
}

// Runs take turns while they wait for a slot or a token: a call of a second run is sent after one call of the first run,
// not after all of them.
func TestRunsTakeTurns(t *testing.T) {
	for name, config := range map[string]upstream.Config{
		"slots": {Concurrency: 1}, "tokens": {RateLimit: upstream.RateLimit{Calls: 1, Per: time.Second, Burst: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &starts{takes: time.Millisecond}
				r := start(t, options{config: config, dial: calling(s.call)})
				var calls []<-chan outcome
				for _, tool := range []string{"greedy0", "greedy1", "greedy2", "greedy3", "modest0", "modest1"} {
					calls = append(calls, r.callOf(t.Context(), tool[:6], tool))
					synctest.Wait()
				}
				wait(t, calls)
				want := []string{"greedy0", "greedy1", "modest0", "greedy2", "modest1", "greedy3"}
				if diff := cmp.Diff(want, s.tools); diff != "" {
					t.Errorf("order (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A call that cannot begin before its deadline fails at once, with the time after which
// it can. Deadlines are compared with the turn of the call's run.
func TestRateLimitBeyondTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := limited(t, 1, time.Second, 1)
		calls := []<-chan outcome{r.callOf(t.Context(), "greedy", "now")}
		synctest.Wait()
		for range 10 { // until second 10
			calls = append(calls, r.callOf(t.Context(), "greedy", "waits"))
			synctest.Wait()
		}
		within, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		late := map[string]<-chan outcome{
			"the deadline of the context": r.callOf(within, "greedy", "late"),
			"the end of the run":          r.send(t.Context(), server.Call{Run: "greedy", Tool: "late", Left: func() time.Duration { return 5 * time.Second }}),
		}
		for name, done := range late {
			got := <-done
			var e *toolscript.Error
			if !errors.As(got.err, &e) || e.Kind != toolscript.Busy || e.RetryAfter.Round(time.Millisecond) != 11*time.Second || got.took != 0 || e.Tool != "late" ||
				!strings.Contains(e.Error(), "1 calls per 1s, burst 1") || !strings.Contains(e.Error(), "try again in 11s") {
				t.Errorf("%s: %v after %v, retry after %v", name, got.err, got.took, e.RetryAfter)
			}
		}
		calls = append(calls, r.callOf(within, "modest", "in time")) // in second 2
		wait(t, calls)
		if got := r.status().RateLimit; got.Refused != 2 || got.Delayed != 11 {
			t.Errorf("%d calls refused, %d delayed; want 2 and 11", got.Refused, got.Delayed)
		}
		// The error says when a call can begin.
		if got := <-r.call(t.Context(), "again"); got.err != nil {
			t.Error(got.err)
		}
	})
}

// A refused call leaves the connection to the calls that come after it.
func TestRateLimitRefusalLeavesThePortOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := limited(t, 1, time.Minute, 1)
		wait(t, []<-chan outcome{r.call(t.Context(), "a")})
		within, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if got := <-r.call(within, "a"); toolscript.KindOf(got.err) != toolscript.Busy {
			t.Errorf("call = %v, want busy", got.err)
		}
		time.Sleep(2 * time.Minute)
		if sent, err := r.direct(t.Context()); !sent || err != nil {
			t.Errorf("sent = %v, %v", sent, err)
		}
	})
}

// A call that is cancelled while it waits takes no token.
func TestRateLimitAndCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := limited(t, 1, time.Second, 1)
		wait(t, []<-chan outcome{r.call(t.Context(), "first")})
		ctx, cancel := context.WithCancel(t.Context())
		cancelled := r.call(ctx, "cancelled")
		synctest.Wait()
		next := r.call(t.Context(), "next")
		synctest.Wait()
		cancel()
		if got := <-cancelled; toolscript.KindOf(got.err) != toolscript.Cancelled || got.took != 0 {
			t.Errorf("the cancelled call = %v after %v", got.err, got.took)
		}
		if got := <-next; got.err != nil || got.took.Round(time.Millisecond) != time.Second {
			t.Errorf("the next call = %v after %v, want an answer after 1 s", got.err, got.took)
		}
		if diff := cmp.Diff([]string{"first", "next"}, s.tools); diff != "" {
			t.Errorf("calls on the server (-want +got):\n%s", diff)
		}
	})
}

// The bounds of calls in flight and of waiting calls hold with a rate limit, too.
func TestRateLimitKeepsTheOtherBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options{
			config: upstream.Config{RateLimit: upstream.RateLimit{Calls: 1, Per: time.Minute, Burst: 2000}}, dial: calling(never),
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var calls []<-chan outcome
		for range 64 + 1024 {
			calls = append(calls, r.call(ctx, "a"))
		}
		synctest.Wait()
		if s := r.status(); s.InFlight != 64 || s.Queued != 1024 {
			t.Errorf("%d calls in flight, %d waiting, want 64 and 1,024", s.InFlight, s.Queued)
		}
		if got := <-r.call(ctx, "a"); toolscript.KindOf(got.err) != toolscript.Busy {
			t.Errorf("call 1,089 = %v, want busy", got.err)
		}
		cancel()
		for _, done := range calls {
			<-done
		}
	})
}

// A full queue says when the next call leaves it.
func TestRateLimitOfAFullQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := limited(t, 1, 2*time.Second, 1)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var calls []<-chan outcome
		for range 1 + 1024 {
			calls = append(calls, r.call(ctx, "a"))
		}
		synctest.Wait()
		var e *toolscript.Error
		if got := <-r.call(ctx, "a"); !errors.As(got.err, &e) || e.Kind != toolscript.Busy || e.RetryAfter.Round(time.Millisecond) != 2*time.Second {
			t.Errorf("call 1,026 = %v, want busy for 2 s", got.err)
		}
		cancel()
		for _, done := range calls {
			<-done
		}
	})
}

// TestRateLimitChangesInPlace: a new limit has effect at once, on the same connection, even for calls that wait.
func TestRateLimitChangesInPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := limited(t, 1, 10*time.Minute, 1)
		var calls []<-chan outcome
		for range 4 {
			calls = append(calls, r.call(t.Context(), "a"))
			synctest.Wait()
		}
		adjust := func(limit upstream.RateLimit) {
			r.at.Engine.Send(r.at.PID, server.Adjust{Config: upstream.Config{RateLimit: limit}})
			synctest.Wait()
		}
		adjust(upstream.RateLimit{Calls: 1, Per: 10 * time.Second, Burst: 1})
		time.Sleep(11 * time.Second)
		if n := r.status().Queued; n != 2 {
			t.Errorf("%d calls wait after 11 s at one in 10 s, want 2", n)
		}
		adjust(upstream.RateLimit{})
		if status := r.status(); status.Queued != 0 || status.RateLimit != nil {
			t.Errorf("without a limit: %d calls wait, status %+v", status.Queued, status.RateLimit)
		}
		wait(t, calls)
		adjust(upstream.RateLimit{Calls: 2, Per: time.Second, Burst: 1})
		if got := r.status().RateLimit; got == nil || got.Calls != 2 || got.PerMs != 1000 {
			t.Errorf("status = %+v", got)
		}
		if len(s.at) != 4 || len(r.dialTimes()) != 1 {
			t.Errorf("%d calls, %d dials; want 4 and 1", len(s.at), len(r.dialTimes()))
		}
	})
}

// Tokens are not renewed by a new connection or a new actor.
func TestRateLimitOutlivesTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := limited(t, 1, time.Hour, 1)
		wait(t, []<-chan outcome{r.call(t.Context(), "a")})
		within, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := mailbox.Ask(within, r.at, func(reply mailbox.Reply[toolscript.ServerStatus]) any { return server.Restart{Reply: reply} }); err != nil {
			t.Fatal(err)
		}
		var e *toolscript.Error
		if got := <-r.call(within, "a"); !errors.As(got.err, &e) || e.Kind != toolscript.Busy || e.RetryAfter < 50*time.Minute {
			t.Errorf("after a restart: %v, want busy", got.err)
		}
		next := start(t, options{
			config: upstream.Config{RateLimit: upstream.RateLimit{Calls: 1, Per: time.Hour, Burst: 1}}, port: &r.port, dial: calling(never),
		})
		if got := <-next.call(within, "a"); toolscript.KindOf(got.err) != toolscript.Busy {
			t.Errorf("call of the next actor = %v, want busy", got.err)
		}
	})
}
