package mcpclient

import (
	"log/slog"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/upstream"
)

// levels maps MCP's log levels, which are those of syslog, to levels of slog.
var levels = map[string]slog.Level{
	"debug":     slog.LevelDebug,
	"info":      slog.LevelInfo,
	"notice":    slog.LevelInfo,
	"warning":   slog.LevelWarn,
	"error":     slog.LevelError,
	"critical":  slog.LevelError,
	"alert":     slog.LevelError,
	"emergency": slog.LevelError,
}

// logged forwards a log message of the server.
func (c *Conn) logged(fields map[string]any) {
	name, _ := fields["level"].(string)
	raw, err := toolscript.PlainJSON(fields["data"])
	if err != nil {
		return // impossible: fields were decoded from JSON
	}
	if c.on.Said != nil && toolscript.LogRank(name) >= 0 {
		logger, _ := fields["logger"].(string)
		c.on.Said(name, logger, raw)
	}
	text, isText := fields["data"].(string)
	if !isText {
		text = string(raw)
	}
	c.on.Logf(levels[name], "%s", c.redact.Printable(text))
}

// panicked returns a function for rescue.Catch. The function logs the stack and then calls the functions
// in then, in order.
func panicked(on upstream.Events, then ...func()) func(*rescue.Error) {
	return func(p *rescue.Error) {
		on.Logf(slog.LevelError, "panic while serving the connection: %v\n%s", p.Reason, p.Stack)
		for _, f := range then {
			f()
		}
	}
}
