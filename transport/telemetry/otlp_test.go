package telemetry_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/telemetry"
)

// collector receives OTLP over HTTP.
type collector struct {
	*httptest.Server
	traces  chan *tracepb.TracesData
	metrics chan *metricspb.MetricsData
	header  chan http.Header
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{traces: make(chan *tracepb.TracesData, 100), metrics: make(chan *metricspb.MetricsData, 100), header: make(chan http.Header, 100)}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("%s %s with %s: %v", r.Method, r.URL, r.Header.Get("Content-Type"), err)
		}
		traces, metrics := &tracepb.TracesData{}, &metricspb.MetricsData{} // the same wire format as the request messages
		switch r.URL.Path {
		case "/v1/traces":
			err = proto.Unmarshal(body, traces)
			c.traces <- traces
		case "/v1/metrics":
			err = proto.Unmarshal(body, metrics)
			select {
			case c.metrics <- metrics:
			default:
			}
		}
		if err != nil || len(traces.ProtoReflect().GetUnknown())+len(metrics.ProtoReflect().GetUnknown()) > 0 {
			t.Errorf("%s has no message of OTLP: %v", r.URL.Path, err)
		}
		select {
		case c.header <- r.Header:
		default:
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func attributes(all []*commonpb.KeyValue) map[string]string {
	m := map[string]string{}
	for _, a := range all {
		m[a.GetKey()] = a.GetValue().GetStringValue()
	}
	return m
}

func open(t *testing.T, c telemetry.ExporterConfig) *telemetry.Exporter {
	t.Helper()
	e, err := telemetry.NewExporter(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestSpans(t *testing.T) {
	to := newCollector(t)
	config, err := telemetry.ConfigureExporter(to.URL+"/", map[string]string{"Authorization": "Bearer k"}, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	e := open(t, config)
	const caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	run := e.Tracer().Start(caller, toolscript.SpanOptions{Name: "run", Attributes: []toolscript.Attribute{{Name: "toolscript.script.engine", Value: ""}}})
	run.Set("toolscript.run.id", "run_1")
	call := e.Tracer().Start(run.Traceparent(), toolscript.SpanOptions{
		Name: "tools/call \xff", Client: true, Attributes: []toolscript.Attribute{{Name: "mcp.method.name", Value: "tools/call"}},
	})
	call.End("timeout")
	run.End("")
	other := e.Tracer().Start("nonsense", toolscript.SpanOptions{Name: "other"})
	if id := toolscript.TraceID(other.Traceparent()); id == "" || strings.Contains(caller, id) {
		t.Errorf("a traceparent that is none begins the trace %q", id)
	}
	other.End("")
	if err := e.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := kit.Receive(t, to.traces).GetResourceSpans()[0]
	if header := kit.Receive(t, to.header); header.Get("Authorization") != "Bearer k" {
		t.Errorf("the headers are %v", header)
	}
	if r := attributes(got.GetResource().GetAttributes()); r["service.name"] != "toolscript" || r["service.version"] != toolscript.Version {
		t.Errorf("resource: %v", r)
	}
	byName := map[string]*tracepb.Span{}
	for _, s := range got.GetScopeSpans()[0].GetSpans() {
		byName[s.GetName()] = s
		if s.GetEndTimeUnixNano() < s.GetStartTimeUnixNano() || s.GetStartTimeUnixNano() == 0 {
			t.Errorf("%s lasts from %d to %d", s.GetName(), s.GetStartTimeUnixNano(), s.GetEndTimeUnixNano())
		}
	}
	above, below := byName["run"], byName["tools/call \ufffd"]
	if above == nil || below == nil || len(byName) != 3 {
		t.Fatalf("spans: %v", byName)
	}
	if !strings.HasPrefix(run.Traceparent(), "00-0af7651916cd43dd8448eb211c80319c-") || !bytes.Equal(below.GetTraceId(), above.GetTraceId()) ||
		!bytes.Equal(below.GetParentSpanId(), above.GetSpanId()) || len(above.GetParentSpanId()) != 8 {
		t.Errorf("the spans are not below each other: %v, %v", above, below)
	}
	if below.GetKind() != tracepb.Span_SPAN_KIND_CLIENT || above.GetKind() != tracepb.Span_SPAN_KIND_INTERNAL {
		t.Errorf("kinds: %v, %v", below.GetKind(), above.GetKind())
	}
	if below.GetStatus().GetCode() != tracepb.Status_STATUS_CODE_ERROR || above.GetStatus().GetCode() != tracepb.Status_STATUS_CODE_UNSET {
		t.Errorf("states: %v, %v", below.GetStatus(), above.GetStatus())
	}
	if diff := cmp.Diff(map[string]string{"mcp.method.name": "tools/call", "error.type": "timeout"}, attributes(below.GetAttributes())); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"toolscript.run.id": "run_1"}, attributes(above.GetAttributes())); diff != "" {
		t.Error(diff)
	}
}

func TestMetrics(t *testing.T) {
	to := newCollector(t)
	env := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": to.URL, "OTEL_TRACES_EXPORTER": "none", "OTEL_METRIC_EXPORT_INTERVAL": "1", "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20b"}
	config, err := telemetry.ConfigureExporter("", nil, func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	e := open(t, config)
	if e.Tracer() != nil {
		t.Error("spans are recorded although OTEL_TRACES_EXPORTER is none")
	}
	started := time.Unix(1700000000, 0)
	m := toolscript.Measures{Started: started, Servers: []toolscript.ServerMeasures{{
		ServerStatus: toolscript.ServerStatus{Name: "github", State: toolscript.Ready}, Outcomes: map[string]uint64{"ok": 7}, Durations: toolscript.Durations{Sum: time.Second},
	}}}
	m.Servers[0].Durations.Counts[4] = 3
	e.SendMetrics(func(context.Context) (toolscript.Measures, error) { return m, nil })
	got := kit.Receive(t, to.metrics).GetResourceMetrics()[0].GetScopeMetrics()[0].GetMetrics()
	if header := kit.Receive(t, to.header); header.Get("X-Key") != "a b" {
		t.Errorf("the headers are %v", header)
	}
	if err := e.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	byName := map[string]*metricspb.Metric{}
	for _, metric := range got {
		byName[metric.GetName()] = metric
	}
	up := byName["toolscript.server.up"].GetGauge().GetDataPoints()
	if len(up) != 1 || up[0].GetAsDouble() != 1 || attributes(up[0].GetAttributes())["server"] != "github" {
		t.Errorf("toolscript.server.up: %v", up)
	}
	calls := byName["toolscript.calls"].GetSum()
	if p := calls.GetDataPoints(); len(p) != 1 || p[0].GetAsDouble() != 7 || p[0].GetStartTimeUnixNano() != uint64(started.UnixNano()) || !calls.GetIsMonotonic() ||
		calls.GetAggregationTemporality() != metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE {
		t.Errorf("toolscript.calls: %v", calls)
	}
	duration := byName["mcp.client.operation.duration"]
	p := duration.GetHistogram().GetDataPoints()
	if len(p) != 1 || duration.GetUnit() != "s" || p[0].GetCount() != 3 || p[0].GetSum() != 1 || len(p[0].GetBucketCounts()) != len(p[0].GetExplicitBounds())+1 ||
		p[0].GetBucketCounts()[4] != 3 || p[0].GetExplicitBounds()[3] != 0.001 {
		t.Errorf("mcp.client.operation.duration: %v", duration)
	}
}

// An unreachable collector causes one warning.
func TestCollectorIsAway(t *testing.T) {
	away := httptest.NewServer(http.NotFoundHandler())
	defer away.Close()
	var log bytes.Buffer
	e, err := telemetry.NewExporter(telemetry.ExporterConfig{Traces: telemetry.Collector{URL: away.URL + "/v1/traces?key=secret"}}, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	e.Tracer().Start("", toolscript.SpanOptions{Name: "a"}).End("")
	if err := e.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if text := log.String(); strings.Count(text, "telemetry not sent") != 1 || !strings.Contains(text, "404") || strings.Contains(text, "secret") {
		t.Errorf("log: %s", text)
	}
}

func TestConfigure(t *testing.T) {
	for _, tt := range []struct {
		name, endpoint  string
		env             map[string]string
		traces, metrics string
		fails           bool
	}{
		{name: "nothing"},
		{name: "the configuration", endpoint: "http://a:4318", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://b"}, traces: "http://a:4318/v1/traces", metrics: "http://a:4318/v1/metrics"},
		{name: "one variable", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://b/x/"}, traces: "http://b/x/v1/traces", metrics: "http://b/x/v1/metrics"},
		{name: "a variable of one signal", env: map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://b/t"}, traces: "http://b/t"},
		{name: "no metrics", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://b", "OTEL_METRICS_EXPORTER": "none"}, traces: "http://b/v1/traces"},
		{name: "switched off", endpoint: "http://a", env: map[string]string{"OTEL_SDK_DISABLED": "true"}},
		{name: "grpc", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://b:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, fails: true},
		{name: "grpc of an exporter that is not used", env: map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}},
		{name: "no URL", endpoint: "localhost:4318", fails: true},
		{name: "no headers", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://b", "OTEL_EXPORTER_OTLP_HEADERS": "secret"}, fails: true},
	} {
		c, err := telemetry.ConfigureExporter(tt.endpoint, nil, func(name string) string { return tt.env[name] })
		if (err != nil) != tt.fails || c.Traces.URL != tt.traces && !tt.fails || c.Metrics.URL != tt.metrics && !tt.fails {
			t.Errorf("%s: %q, %q (%v)", tt.name, c.Traces.URL, c.Metrics.URL, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error quotes a secret: %v", tt.name, err)
		}
	}
}

// TestHeadersOfASignal: a collector gets the common headers and those of its signal, which may be secrets for the other one.
func TestHeadersOfASignal(t *testing.T) {
	env := map[string]string{
		"OTEL_EXPORTER_OTLP_HEADERS":         "Common=c,Authorization=none",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://a/t", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "Authorization=Bearer%20A",
		"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://b/m", "OTEL_EXPORTER_OTLP_METRICS_HEADERS": "X-Key=B",
	}
	c, err := telemetry.ConfigureExporter("", nil, func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ got, want map[string]string }{
		{c.Traces.Headers, map[string]string{"Common": "c", "Authorization": "Bearer A"}},
		{c.Metrics.Headers, map[string]string{"Common": "c", "Authorization": "none", "X-Key": "B"}},
	} {
		if !maps.Equal(tt.got, tt.want) {
			t.Errorf("headers %v, want %v", tt.got, tt.want)
		}
	}
}

// TestRedirectedCollector: the headers of the configuration are not sent to the target of a redirect.
func TestRedirectedCollector(t *testing.T) {
	evil := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another address was asked") }))
	defer evil.Close()
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		moved := httptest.NewServer(http.RedirectHandler(evil.URL, status))
		var log bytes.Buffer
		e, err := telemetry.NewExporter(telemetry.ExporterConfig{Traces: telemetry.Collector{URL: moved.URL + "/v1/traces", Headers: map[string]string{"X-Api-Key": "k"}}}, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		e.Tracer().Start("", toolscript.SpanOptions{Name: "a"}).End("")
		if err := e.Close(t.Context()); err != nil {
			t.Error(err)
		}
		moved.Close()
		if !strings.Contains(log.String(), "telemetry not sent") {
			t.Errorf("%d: log %s", status, log.String())
		}
	}
}

func TestAllProxy(t *testing.T) {
	for _, variable := range []string{"HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"} {
		t.Setenv(variable, "")
	}
	t.Setenv("ALL_PROXY", "socks4://proxy.test:1") // fails every request that uses this proxy
	var log bytes.Buffer
	e, err := telemetry.NewExporter(telemetry.ExporterConfig{Traces: telemetry.Collector{URL: "https://collector.test/v1/traces"}}, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	e.Tracer().Start("", toolscript.SpanOptions{Name: "a"}).End("")
	if err := e.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "socks4") {
		t.Errorf("log %s, want the error of the proxy", log.String())
	}
}
