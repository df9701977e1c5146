package host

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// TestSlowConsumer checks which notices of the NATS server are logged.
func TestSlowConsumer(t *testing.T) {
	var text bytes.Buffer
	l := natsLog{slog.New(slog.NewTextHandler(&text, nil))}
	l.Noticef("Server is ready")
	l.Noticef("pipe - cid:3 - Slow Consumer Detected: MaxPending of %d Exceeded", maxPending)
	if got := text.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "level=WARN") || !strings.Contains(got, "Slow Consumer") {
		t.Errorf("log %q", got)
	}
}
