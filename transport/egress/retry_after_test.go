package egress_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/toolscript/toolscript/transport/egress"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]struct {
		wait  time.Duration
		named bool
	}{
		"7":                             {7 * time.Second, true},
		"0":                             {0, true},
		"99999999999":                   {1 << 30 * time.Second, true},
		"Mon, 30 Nov 2026 12:01:00 GMT": {time.Minute, true},
		"Mon, 30 Nov 2026 11:00:00 GMT": {0, true},
		"":                              {},
		"-1":                            {},
		"soon":                          {},
	} {
		if wait, named := egress.RetryAfter(http.Header{"Retry-After": {text}}, now); wait != want.wait || named != want.named {
			t.Errorf("%q: %v, %t; want %v, %t", text, wait, named, want.wait, want.named)
		}
	}
}
