package mailbox

import (
	"time"

	"github.com/cenkalti/backoff/v4"
)

const (
	initial = 500 * time.Millisecond
	spread  = 0.5
	longest = 30 * time.Second
	maxBase = 20 * time.Second // longest delay without jitter; with jitter half a minute

	// healthy is how long a server or actor must have worked before its failures are forgotten.
	// Without it, a server that dies right after its handshake would be started twice a
	// second for ever.
	healthy = 30 * time.Second
)

// Schedule computes the delays between attempts: they double from half a second to at
// most half a minute. Jitter of half the delay keeps servers that failed together from
// returning together. It is not safe for concurrent use.
type Schedule struct {
	tries *backoff.ExponentialBackOff
}

// NewSchedule returns a schedule without failures.
func NewSchedule() *Schedule {
	return &Schedule{backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(initial),
		backoff.WithMultiplier(2),
		backoff.WithRandomizationFactor(spread),
		backoff.WithMaxInterval(maxBase),
		backoff.WithMaxElapsedTime(0), // the default gives up after 15 minutes
	)}
}

// Forgets reports whether a server or actor has worked long enough for its earlier failures to be forgotten.
func Forgets(worked time.Duration) bool { return worked >= healthy }

// Next returns the delay before the next attempt after a failure. worked is how long the
// server or actor had worked before it failed; 0 if it never worked.
func (s *Schedule) Next(worked time.Duration) time.Duration {
	if Forgets(worked) {
		s.tries.Reset()
	}
	d := s.tries.NextBackOff()
	if d == backoff.Stop { // negative: its timer would fire at once
		return longest
	}
	return min(d, longest)
}
