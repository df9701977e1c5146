// Package retry says when to try again what failed: a connection to a server,
// or an actor that panicked.
package retry

import (
	"time"

	"github.com/cenkalti/backoff/v4"
)

const (
	initial = 500 * time.Millisecond
	spread  = 0.5
	longest = 30 * time.Second
	settled = 20 * time.Second // with the spread it reaches the longest delay, and no further

	// held is how long a thing must have worked before its failures are
	// forgotten. Forgetting them as soon as it works would let a server that dies
	// right after its handshake be started twice a second for ever.
	held = 30 * time.Second
)

// Schedule gives the delays between the tries of one thing: doubling from half a
// second to at most half a minute, each spread by half of itself either way so
// that those who failed together do not return together. It is for one goroutine.
type Schedule struct {
	tries *backoff.ExponentialBackOff
}

// New makes the schedule of something that has not failed yet.
func New() *Schedule {
	return &Schedule{backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(initial),
		backoff.WithMultiplier(2),
		backoff.WithRandomizationFactor(spread),
		backoff.WithMaxInterval(settled),
		backoff.WithMaxElapsedTime(0), // the default gives up after 15 minutes
	)}
}

// Forgets reports whether something that worked for this long starts a new row
// of tries when it fails.
func Forgets(worked time.Duration) bool { return worked >= held }

// Next is the delay before the next try of something that has now failed and
// had worked for this long before; 0 when it never did.
func (s *Schedule) Next(worked time.Duration) time.Duration {
	if Forgets(worked) {
		s.tries.Reset()
	}
	d := s.tries.NextBackOff()
	if d == backoff.Stop { // negative: a timer of it would fire at once
		return longest
	}
	return min(d, longest)
}
