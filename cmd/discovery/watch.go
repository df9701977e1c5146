package discovery

import (
	"context"
	"time"
)

const (
	watchEvery = 2 * time.Second
	// idleLimit is the idle time after which a gateway ends if its client cannot be watched.
	idleLimit = time.Hour
)

// WatchClient waits until a gateway must end without a hook: because its client has ended, for
// example after SIGKILL, or because the gateway has been idle for an hour on a system that
// cannot tell whether the client has ended. It returns the reason, or "" if ctx ended before.
func WatchClient(ctx context.Context, client interface{ Gone() (gone, known bool) }, idle func() time.Duration) string {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return ""
		case <-ticker.C:
		}
		gone, known := client.Gone()
		switch {
		case gone:
			return "the client has ended"
		case !known && idle() > idleLimit:
			return "the gateway is not used, and the system does not say whether the client runs"
		}
	}
}
