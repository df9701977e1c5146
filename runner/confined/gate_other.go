//go:build !linux

package confined

import (
	"errors"
	"log/slog"
	"os"

	"github.com/toolscript/toolscript/runner/observed"
)

// A Gate makes the connections of a server to its proxy. Only Linux needs it.
type Gate struct{}

// GateMissing says why connections cannot be checked here.
func GateMissing() string { return "only Linux has user notification" }

// NewGate is an error.
func NewGate(Spec, *observed.Record, func(level slog.Level, format string, args ...any)) (*Gate, *os.File, error) {
	return nil, nil, errors.New(GateMissing())
}

// Close does nothing.
func (*Gate) Close() {}
