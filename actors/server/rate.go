package server

import (
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// bucket keeps the token bucket of a server from one actor to the next, so that the end
// of an actor brings no new tokens. It is safe for concurrent use.
type bucket struct {
	mu      sync.Mutex
	limiter *rate.Limiter
}

// configure returns the limiter with the configured rate; nil if there is no limit. A
// limiter that exists keeps its tokens.
func (b *bucket) configure(c upstream.RateLimit) *rate.Limiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.Calls == 0 {
		b.limiter = nil
		return nil
	}
	limit := rate.Limit(float64(c.Calls) / c.Per.Seconds())
	if b.limiter == nil {
		b.limiter = rate.NewLimiter(limit, c.Burst)
		return b.limiter
	}
	now := time.Now()
	b.limiter.SetLimitAt(now, limit)
	b.limiter.SetBurstAt(now, c.Burst)
	return b.limiter
}

// setRate sets the rate limit of calls that begin later; nil: no limit.
func (f *inFlight) setRate(l *rate.Limiter) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rate = l
}

// tokenIn returns the time until the bucket has n tokens, rounded up; 0 if it has them, or
// without a limit.
func (f *inFlight) tokenIn(n int) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lacks(n)
}

// lacks is tokenIn for a caller that holds mu.
func (f *inFlight) lacks(n int) time.Duration {
	if f.rate == nil {
		return 0
	}
	missing := float64(n) - f.rate.TokensAt(time.Now())
	if missing <= 0 {
		return 0
	}
	return time.Duration(math.Ceil(missing / float64(f.rate.Limit()) * float64(time.Second)))
}

// tokenDue: the bucket may have a token for the next waiting call.
type tokenDue struct{}

// awaitToken wakes the actor when the bucket has a token for the next waiting call, after
// the given time. 0 means that the call waits for a slot, and awaitToken does nothing.
func (s *Server) awaitToken(after time.Duration) {
	switch {
	case after == 0:
	case s.token == nil:
		post := s.post
		s.token = time.AfterFunc(after, func() { post(tokenDue{}) })
	default:
		s.token.Reset(after)
	}
}

// limited returns the error of a call that cannot begin before its deadline, because the
// calls before it take the tokens until then. It assumes that no call of another run
// arrives, and that no waiting call is cancelled.
func (s *Server) limited(m Call) error {
	start := s.calls.tokenIn(s.queue.before(m.Run) + 1)
	if start == 0 {
		return nil
	}
	left := time.Duration(math.MaxInt64)
	if deadline, bounded := m.Ctx.Deadline(); bounded {
		left = time.Until(deadline)
	}
	if m.Left != nil {
		left = min(left, m.Left())
	}
	if left > start {
		s.Port.Traffic.Delayed.Add(1)
		return nil
	}
	s.Port.Traffic.Refused.Add(1)
	return &toolscript.Error{
		Kind: toolscript.Busy, RetryAfter: start, Server: s.Name, Tool: m.Tool,
		Err: fmt.Errorf("the rate limit of the server (%s) allows the call only after its deadline; try again in %s", s.Config.RateLimit, rounded(start)),
	}
}

// rounded rounds a duration up for people.
func rounded(d time.Duration) time.Duration {
	unit := time.Millisecond
	if d > time.Second {
		unit = time.Second
	}
	return (d + unit - 1).Truncate(unit)
}

// rateStatus returns the rate limit in the status; nil if there is none.
func (s *Server) rateStatus() *toolscript.RateLimit {
	c := s.Config.RateLimit
	if c.Calls == 0 {
		return nil
	}
	status := &toolscript.RateLimit{
		Calls: c.Calls, PerMs: c.Per.Milliseconds(), Burst: c.Burst,
		Delayed: s.Port.Traffic.Delayed.Load(), Refused: s.Port.Traffic.Refused.Load(),
	}
	if s.calls.tokenIn(1) > 0 {
		status.Waiting = s.queue.count
	}
	return status
}
