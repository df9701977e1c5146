package mcpclient_test

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/toolscript/toolscript/transport/upstream"
)

// The server makes requests without end and does not read the answers. Nothing is written to the
// default logger.
func TestAnswersThatCannotBeWrittenAreNoFloodInTheLog(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	c := dial(t, config(t, "closes-input", "flood=5000"), upstream.Events{})
	_ = awaitLost(t, c) // the server has closed its standard input
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	slog.SetDefault(before)
	if log.Len() > 0 {
		t.Errorf("%d bytes, beginning with %.300s", log.Len(), log.String())
	}
}
