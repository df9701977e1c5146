package server_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// A server that logs without end gets a limited number of lines, then one summary
// every ten seconds.
func TestLogFloodIsSummarized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		r := start(t, options{
			logger: slog.New(slog.NewTextHandler(&log, nil)),
			config: upstream.Config{Env: map[string]string{"THE_KEY": "hunter2hunter2"}},
			dial:   func(context.Context, int) (server.Conn, error) { return withTools("a"), nil },
		})
		said := 0
		for range 300 { // thirty seconds
			time.Sleep(100 * time.Millisecond)
			for range 100 {
				r.on.Log(slog.LevelWarn, "the server's request roots/list was refused: hunter2hunter2 ghp_0123456789abcdefghij0123456789abcdef")
				r.on.Log(slog.LevelDebug, "which is not logged and does not count")
				said++
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		lines := strings.Count(log.String(), `"server log"`)
		summaries := strings.Count(log.String(), `"log lines of the server left out"`)
		if lines > 4*20 || summaries < 3 || summaries > 4 || log.Len() > 32<<10 {
			t.Errorf("%d bytes with %d lines and %d summaries of %d words", log.Len(), lines, summaries, said)
		}
		if strings.Contains(log.String(), "hunter2") || strings.Contains(log.String(), "ghp_") {
			t.Errorf("the log has a secret:\n%s", log.String())
		}
		log.Reset()
		r.on.Log(slog.LevelWarn, "one word")
		if !strings.Contains(log.String(), `text="one word"`) {
			t.Errorf("after the flood: %q", log.String())
		}
	})
}
