package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/egress"
)

// Exporter sends spans and metrics until Close. See Tracer and SendMetrics.
type Exporter struct {
	config   ExporterConfig
	logger   *slog.Logger
	resource *resource.Resource
	client   http.Client

	provider *trace.TracerProvider
	tracer   oteltrace.Tracer

	stop    context.CancelFunc
	ended   chan struct{} // closed when the Exporter no longer sends metrics; nil if it has never sent any
	measure func(context.Context) (toolscript.Measures, error)

	failing atomic.Bool
}

// sendTime bounds one request to the collector.
const sendTime = 10 * time.Second

// NewExporter returns an Exporter. It does not send metrics before SendMetrics.
func NewExporter(c ExporterConfig, logger *slog.Logger) (*Exporter, error) {
	r, err := resource.New(context.Background(),
		resource.WithAttributes(attribute.String("service.name", "toolscript"), attribute.String("service.version", toolscript.Version)),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	e := &Exporter{config: c, logger: logger, resource: r, stop: func() {}, client: http.Client{
		Transport: egress.NewTransport(), Timeout: sendTime,
		// A redirect would take the headers and the data to an address that the user has not written.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if c.Traces.URL != "" {
		e.provider = trace.NewTracerProvider(trace.WithResource(r), trace.WithBatcher(spans{e}))
		e.tracer = e.provider.Tracer("github.com/toolscript/toolscript", oteltrace.WithInstrumentationVersion(toolscript.Version))
	}
	return e, nil
}

// Tracer returns the Exporter as a Tracer; nil if no traces are sent.
func (e *Exporter) Tracer() toolscript.Tracer {
	if e == nil || e.tracer == nil {
		return nil
	}
	return e
}

// SendMetrics begins to send metrics, if the configuration has an endpoint for them.
func (e *Exporter) SendMetrics(measure func(context.Context) (toolscript.Measures, error)) {
	if e == nil || e.config.Metrics.URL == "" || e.ended != nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	e.stop, e.ended, e.measure = stop, make(chan struct{}), measure
	go func() {
		defer close(e.ended)
		ticker := time.NewTicker(e.config.Interval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			e.sendMetrics(ctx)
		}
	}()
}

func (e *Exporter) sendMetrics(ctx context.Context) {
	if m, err := e.measure(ctx); err == nil { // after an error, the gateway is shutting down
		_ = e.send(ctx, e.config.Metrics, metrics(e.resource, Families(m), m.Started, time.Now())) // send logs it
	}
}

// EndMetrics sends the metrics a last time, and waits for that until ctx ends. Call it before the gateway
// shuts down, while its measures can still be read.
func (e *Exporter) EndMetrics(ctx context.Context) {
	if e == nil || e.ended == nil {
		return
	}
	e.stop()
	<-e.ended
	e.sendMetrics(ctx)
}

// Close sends the remaining spans. It gives up when ctx ends.
func (e *Exporter) Close(ctx context.Context) error {
	if e == nil {
		return nil
	}
	e.stop()
	if e.ended != nil {
		<-e.ended
	}
	if e.provider == nil {
		return nil
	}
	return e.provider.Shutdown(ctx)
}

// spans implements the SDK's interface for exporters of spans.
type spans struct{ *Exporter }

// ExportSpans implements trace.SpanExporter.
func (s spans) ExportSpans(ctx context.Context, all []trace.ReadOnlySpan) error {
	_ = s.send(ctx, s.config.Traces, traces(s.resource, all)) // send logs it
	return nil
}

// Shutdown implements trace.SpanExporter.
func (spans) Shutdown(context.Context) error { return nil }

// send posts a message. It logs only the first failure after a success as a warning. Spans that could
// not be sent are lost. Metrics are cumulative, so the next message contains them.
func (e *Exporter) send(ctx context.Context, to Collector, m message) error {
	err := e.post(ctx, to, m)
	if err == nil {
		e.failing.Store(false)
		return nil
	}
	level := slog.LevelWarn
	if e.failing.Swap(true) {
		level = slog.LevelDebug
	}
	e.logger.LogAttrs(ctx, level, "telemetry not sent", slog.String("endpoint", shownEndpoint(to.URL)), slog.String("error", err.Error()))
	return err
}

func (e *Exporter) post(ctx context.Context, to Collector, m message) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(m))
	if err != nil {
		return errors.New("the endpoint is no URL")
	}
	for name, value := range to.Headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	request.Header.Set("User-Agent", "toolscript/"+toolscript.Version)
	response, err := e.client.Do(request) //nolint:gosec // G704: the endpoint that the user configured
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			return failed.Err // without the URL, because the URL may contain a key
		}
		return err
	}
	defer response.Body.Close() //nolint:errcheck // the body is not needed
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10))
	if response.StatusCode/100 != 2 {
		return errors.New(response.Status)
	}
	return nil
}

// shownEndpoint returns an endpoint without user, query and fragment.
func shownEndpoint(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "(no URL)"
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// Start implements toolscript.Tracer.
func (e *Exporter) Start(parent string, o toolscript.SpanOptions) toolscript.Span {
	ctx := context.Background()
	if parent != "" {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": parent})
	}
	kind := oteltrace.SpanKindInternal
	if o.Client {
		kind = oteltrace.SpanKindClient
	}
	attributes := make([]attribute.KeyValue, 0, len(o.Attributes))
	for _, a := range o.Attributes {
		if a.Value != "" {
			attributes = append(attributes, attribute.String(a.Name, strings.ToValidUTF8(a.Value, "\ufffd")))
		}
	}
	_, s := e.tracer.Start(ctx, strings.ToValidUTF8(o.Name, "\ufffd"), oteltrace.WithSpanKind(kind), oteltrace.WithAttributes(attributes...))
	return span{s}
}

// span implements toolscript.Span.
type span struct{ oteltrace.Span }

// Traceparent implements toolscript.Span.
func (s span) Traceparent() string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(oteltrace.ContextWithSpan(context.Background(), s.Span), carrier)
	return carrier["traceparent"]
}

// Set implements toolscript.Span.
func (s span) Set(name, value string) { s.SetAttributes(attribute.String(name, value)) }

// End implements toolscript.Span.
func (s span) End(failure string) {
	if failure != "" {
		s.SetAttributes(attribute.String("error.type", failure))
		s.SetStatus(codes.Error, failure)
	}
	s.Span.End()
}
