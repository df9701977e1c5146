package upstream

import (
	"fmt"
	"time"
)

// RateLimit is a token bucket. It begins with Burst tokens, gets Calls tokens in each Per,
// evenly, and holds at most Burst. A call takes one.
type RateLimit struct {
	Calls int // 0: no limit
	Per   time.Duration
	Burst int
}

// String returns the limit as text, such as "60 calls per 1m0s, burst 10".
func (r RateLimit) String() string {
	return fmt.Sprintf("%d calls per %s, burst %d", r.Calls, r.Per, r.Burst)
}
