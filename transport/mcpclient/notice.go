package mcpclient

import (
	"encoding/json"
	"errors"
	"log/slog"
	"runtime/debug"

	"github.com/toolscript/toolscript"
)

// errFault is why a connection ended whose goroutines panicked.
var errFault error = &toolscript.Error{
	Kind: toolscript.Internal,
	Err:  errors.New("a fault of toolscript ended the connection; the log has its stack"),
}

// levels are MCP's log levels, which are those of syslog.
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

// logged passes a line of the server's log on.
func (c *Conn) logged(fields map[string]any) {
	name, _ := fields["level"].(string)
	text, isText := fields["data"].(string)
	if !isText {
		raw, err := json.Marshal(fields["data"])
		if err != nil {
			return // it was JSON a moment ago, so this cannot be
		}
		text = string(raw)
	}
	c.on.logf(levels[name], "%s", c.words.clean(text))
}

// recovered, deferred, keeps a panic from ending the process. What panicked has
// then not done its work: then, in order, does what follows from that.
func recovered(on Events, then ...func()) {
	if r := recover(); r != nil {
		on.logf(slog.LevelError, "panic while serving the connection: %v\n%s", r, debug.Stack())
		for _, f := range then {
			f()
		}
	}
}
