//go:build !linux

package observed

import (
	"fmt"
	"os"
	"runtime"

	"github.com/toolscript/toolscript/runner/internal/notify"
)

// Works returns an error: servers cannot be watched on this system.
func Works() error {
	return fmt.Errorf("%w: servers are watched on Linux only; this is %s", notify.ErrNotHere, runtime.GOOS)
}

// Hand returns an error: the calling thread cannot be watched.
func Hand(int) error { return Works() }

// A Watch records what a process does. On this system, Start returns none.
type Watch struct{}

// Start returns an error.
func Start(*Record) (*Watch, *os.File, error) { return nil, nil, Works() }

// Close does nothing.
func (*Watch) Close() {}
