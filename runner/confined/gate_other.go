//go:build !linux

package confined

import (
	"errors"
	"log/slog"
	"os"

	"github.com/toolscript/toolscript/runner/observed"
)

// A Gate makes system calls for a server. Only Linux needs it.
type Gate struct{}

// GateMissing returns why a Gate does not work on this system.
func GateMissing() string { return "only Linux has user notification" }

// NewGate returns an error.
func NewGate(Spec, *observed.Record, func(level slog.Level, format string, args ...any)) (*Gate, *os.File, error) {
	return nil, nil, errors.New(GateMissing())
}

// Close does nothing.
func (*Gate) Close() {}
