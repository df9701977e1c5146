package egress

import (
	"net/http"
	"strconv"
	"time"
)

// RetryAfter returns the time in the header Retry-After of an answer, which is a number of seconds or a date. named is
// false if the answer names none.
func RetryAfter(header http.Header, now time.Time) (wait time.Duration, named bool) {
	text := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, 1<<30)) * time.Second, true
	}
	at, err := http.ParseTime(text)
	return max(0, at.Sub(now)), err == nil
}
