package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
)

// log writes one line per request. The line never contains a path, a header, an argument or
// a result. It contains the text of an error only if the error is internal.
func (x *exchange) log(status int, err error) {
	kind := toolscript.KindOf(err)
	attrs := []slog.Attr{
		slog.String("request", x.id),
		slog.String("method", x.method),
		slog.String("route", x.route),
		slog.Int("status", status),
		slog.Duration("duration", time.Since(x.start).Round(time.Microsecond)),
		slog.String("outcome", outcome(kind)),
	}
	if x.tool != "" {
		attrs = append(attrs, slog.String("tool", x.redact(x.tool)))
	}
	if x.run != "" {
		attrs = append(attrs, slog.String("run", x.redact(x.run)))
	}
	if kind == toolscript.Internal {
		attrs = append(attrs, slog.String("error", x.redact(err.Error())), slog.String("stack", x.redact(stackOf(err))))
	}
	severity := level(x.method, status, kind)
	if x.fault != nil { // a failed login is not polling
		severity = max(severity, slog.LevelWarn)
	}
	x.server.log.LogAttrs(context.Background(), severity, "request", attrs...)
}

func outcome(kind toolscript.Kind) string {
	if kind == "" {
		return "ok"
	}
	return string(kind)
}

// level returns the log level of a request. Requests that only read are logged for debugging, even
// if the answer is an error, such as a GET /ready while servers connect: clients poll.
func level(method string, status int, kind toolscript.Kind) slog.Level {
	switch {
	case kind == toolscript.Internal:
		return slog.LevelError
	case method == http.MethodGet || method == http.MethodHead:
		return slog.LevelDebug
	case status >= http.StatusInternalServerError, status == statusNotRepeated:
		return slog.LevelWarn
	default:
		return slog.LevelInfo
	}
}

// panicked is for rescue.Catch: it logs a panic on a goroutine of fasthttp, where the panic would end
// the process.
func (x *exchange) panicked(p *rescue.Error) {
	x.server.log.LogAttrs(context.Background(), slog.LevelError, "panic after an answer",
		slog.String("request", x.id), slog.String("stack", x.redact(string(p.Stack))))
}

// stackTracer is an error with the stack of a recovered panic.
type stackTracer interface {
	error
	StackTrace() []byte
}

// stackOf returns the stack of err, or the current stack.
func stackOf(err error) string {
	var traced stackTracer
	if errors.As(err, &traced) {
		return string(traced.StackTrace())
	}
	return string(debug.Stack())
}
