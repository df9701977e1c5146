//go:build unix

package wall

import (
	"fmt"
	"os"
	"syscall"
)

// replace makes this process another program.
func replace(path string, argv []string) error {
	err := syscall.Exec(path, argv, os.Environ()) //nolint:gosec // Confine was told to
	return fmt.Errorf("start %s: %w", path, err)
}
