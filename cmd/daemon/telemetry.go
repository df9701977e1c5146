package daemon

import (
	"context"
	"log/slog"
	"time"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/transport/telemetry/otlp"
)

// exporter sends spans and metrics, nil if none is configured. A mistake is only a warning:
// other programs read the same variables.
func (h *Host) exporter(settings config.Telemetry, logger *slog.Logger) *otlp.Exporter {
	c, err := otlp.Configure(settings.Endpoint, settings.Headers, func(name string) string {
		value, _ := h.Config.LookupEnv(name)
		return value
	})
	if err == nil && !c.Enabled() {
		return nil
	}
	var e *otlp.Exporter
	if err == nil {
		e, err = otlp.New(c, logger)
	}
	if err != nil {
		logger.Warn("no telemetry is sent", slog.String("error", err.Error()))
	}
	return e
}

// flushTime bounds what the end of a program waits for the collector, for metrics and for
// spans.
const flushTime = 2 * time.Second

// endMetrics sends the metrics a last time. It is called before the actors end.
func (d *Daemon) endMetrics(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	d.telemetry.EndMetrics(ctx)
}

// endSpans sends the spans that wait. It is called after the actors have ended.
func (d *Daemon) endSpans(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	return d.telemetry.Close(ctx)
}
