package daemon

import (
	"context"
	"log/slog"
	"time"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/transport/telemetry"
)

// exporter returns the exporter of spans and metrics, or nil if none is configured. A
// mistake is only a warning, because other programs read the same variables.
func (h *Host) exporter(settings config.Telemetry, logger *slog.Logger) *telemetry.Exporter {
	c, err := telemetry.ConfigureExporter(settings.Endpoint, settings.Headers, func(name string) string {
		value, _ := h.Config.LookupEnv(name)
		return value
	})
	if err == nil && !c.Enabled() {
		return nil
	}
	var e *telemetry.Exporter
	if err == nil {
		e, err = telemetry.NewExporter(c, logger)
	}
	if err != nil {
		logger.Warn("no telemetry is sent", slog.String("error", err.Error()))
	}
	return e
}

// flushTime bounds the final flush of metrics, and that of spans.
const flushTime = 2 * time.Second

// endMetrics flushes the metrics. It must be called before the actors end.
func (d *Daemon) endMetrics(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	d.telemetry.EndMetrics(ctx)
}

// endSpans flushes the spans. It must be called after the actors have ended.
func (d *Daemon) endSpans(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	return d.telemetry.Close(ctx)
}
