package daemon

import (
	"log/slog"
	"testing"

	"github.com/toolscript/toolscript/cmd/config"
)

// TestWorkersLogToTheGatewaysLog: the gateway's log contains the panics of its workers.
func TestWorkersLogToTheGatewaysLog(t *testing.T) {
	h := &Host{Config: config.Options{DataDir: t.TempDir()}, Warn: t.Logf}
	logger := slog.New(slog.DiscardHandler)
	if got := h.WorkerOptions(logger); got.Log != logger || got.CacheDir == "" {
		t.Errorf("WorkerOptions = %+v, want the logger and a cache", got)
	}
}
