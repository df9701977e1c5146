package status

import (
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
)

// rateLine says that calls of a server wait because of its rate limit; "" if none do.
func rateLine(s toolscript.ServerStatus) string {
	r := s.RateLimit
	if r == nil || r.Waiting == 0 {
		return ""
	}
	calls := "calls wait"
	if r.Waiting == 1 {
		calls = "call waits"
	}
	return fmt.Sprintf("%s: %d %s because of its rate limit (%d per %s)", s.Name, r.Waiting, calls, r.Calls, time.Duration(r.PerMs)*time.Millisecond)
}
