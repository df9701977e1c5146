package api

import (
	"bytes"
	"context"
	"log/slog"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/telemetry"
)

// metrics answers GET /metrics for Prometheus.
func (s *Server) metrics(x *exchange) error {
	measures, err := s.backend.Measures(x.ctx)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := telemetry.WriteText(&text, telemetry.Families(measures)); err != nil {
		return err
	}
	x.c.Set(fiber.HeaderContentType, telemetry.ContentType)
	return x.c.Send(text.Bytes())
}

// Measure returns the counters of a gateway; see Backend.Measures.
type Measure func(context.Context) (toolscript.Measures, error)

// ListenMetrics listens on a port of 127.0.0.1 and serves the metrics until Close; port 0 is any free port.
// health returns why a hub cannot be used at present; if health is nil, there is no GET /health.
func ListenMetrics(measures Measure, health func() error, port int, logger *slog.Logger) (*telemetry.Endpoint, error) {
	listener, err := Listen("127.0.0.1", port)
	if err != nil {
		return nil, err
	}
	return telemetry.Serve(telemetry.EndpointOptions{Listener: listener, Measures: measures, Health: health, Status: statusOf, Logger: logger}), nil
}
