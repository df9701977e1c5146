package sandbox_test

import (
	"testing"
	"time"
)

// await polls until the condition is true.
func await(t *testing.T, missing string, every time.Duration, seen func() bool) {
	t.Helper()
	for deadline := time.After(time.Minute); !seen(); {
		select {
		case <-deadline:
			t.Fatal(missing)
		case <-time.After(every):
		}
	}
}
