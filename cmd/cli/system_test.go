package cli

import (
	"log/slog"
	"testing"
)

// TestWorkersLogToTheGatewaysLog: their panics belong where all others are.
func TestWorkersLogToTheGatewaysLog(t *testing.T) {
	a := &app{dataDir: t.TempDir()}
	logger := slog.New(slog.DiscardHandler)
	if got := a.workerOptions(logger); got.Log != logger || got.CacheDir == "" {
		t.Errorf("workerOptions = %+v, want the logger and a cache", got)
	}
}
