package api

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// preferredWait returns the wait that a request asks for with Prefer: wait=N of RFC 7240, N
// in seconds, or 0 without that header. A wait that is too long is shortened; the answer
// states the applied value. A value that cannot be parsed is ignored.
func (x *exchange) preferredWait() time.Duration {
	for _, line := range x.c.Request().Header.PeekAll("Prefer") {
		for preference := range strings.SplitSeq(string(line), ",") {
			preference, _, _ = strings.Cut(preference, ";")
			name, value, _ := strings.Cut(preference, "=")
			if !strings.EqualFold(strings.TrimSpace(name), "wait") {
				continue
			}
			seconds, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(value), `"`), 10, 31)
			if err != nil {
				return 0
			}
			wait := min(time.Duration(seconds)*time.Second, longestWait)
			x.c.Set("Preference-Applied", fmt.Sprintf("wait=%d", wait/time.Second))
			return wait
		}
	}
	return 0
}
