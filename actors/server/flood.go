package server

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript/transport/upstream"
)

const (
	floodInterval = 10 * time.Second
	floodLines    = 20 // per server and interval; further lines are counted
)

// serverLog writes a server's messages, and remarks about them, to the gateway's log.
// In each interval it writes a limited number of lines, then one summary. It is safe
// for concurrent use.
type serverLog struct {
	logger *slog.Logger
	redact func(string) string

	dropped *atomic.Uint64

	mu      sync.Mutex
	lines   int // lines in the current interval
	timer   *time.Timer
	left    map[slog.Level]int // omitted lines by level
	example string             // the last omitted line
}

func newServerLog(logger *slog.Logger, config upstream.Config, dropped *atomic.Uint64) *serverLog {
	return &serverLog{logger: logger, redact: upstream.NewRedactor(config).Line, dropped: dropped}
}

// write writes a line, or counts it if the limit is reached.
func (l *serverLog) write(level slog.Level, message string, attrs ...slog.Attr) {
	ctx := context.Background()
	if !l.logger.Enabled(ctx, level) || !l.admit(level, message, attrs) {
		return
	}
	l.logger.LogAttrs(ctx, level, message, attrs...)
}

// logMessage writes a message of the server.
func (l *serverLog) logMessage(level slog.Level, text string) {
	ctx := context.Background()
	if l.logger.Enabled(ctx, level) && l.admit(level, text, nil) {
		l.logger.LogAttrs(ctx, level, "server log", slog.String("text", l.redact(text)))
	}
}

func (l *serverLog) admit(level slog.Level, message string, attrs []slog.Attr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer == nil {
		l.lines, l.left = 0, map[slog.Level]int{}
		l.timer = time.AfterFunc(floodInterval, l.summarize)
	}
	if l.lines++; l.lines <= floodLines {
		return true
	}
	l.left[level]++
	l.dropped.Add(1)
	if l.example = message; len(attrs) > 0 {
		l.example = fmt.Sprint(message, " ", attrs)
	}
	return false
}

// summarize ends an interval and writes the summary of the omitted lines.
func (l *serverLog) summarize() {
	l.mu.Lock()
	left, example := l.left, l.example
	l.timer, l.left, l.example = nil, nil, ""
	l.mu.Unlock()
	total, worst := 0, slog.LevelDebug
	for level, n := range left {
		total, worst = total+n, max(worst, level)
	}
	if total == 0 {
		return
	}
	l.logger.LogAttrs(context.Background(), worst, "log lines of the server left out", slog.Int("left_out", total),
		slog.Duration("within", floodInterval), slog.String("last", l.redact(example)))
}

// end writes the summary of the current interval at once.
func (l *serverLog) end() {
	l.mu.Lock()
	running := l.timer != nil && l.timer.Stop()
	l.mu.Unlock()
	if running {
		l.summarize()
	}
}
