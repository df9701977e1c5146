package telemetry_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/telemetry"
)

// parsed reads the metrics with the parser of Prometheus.
func parsed(t *testing.T, m toolscript.Measures) map[string]*dto.MetricFamily {
	t.Helper()
	var text bytes.Buffer
	if err := telemetry.WriteText(&text, telemetry.Families(m)); err != nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(&text)
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// value returns the value of the metric with these labels, written a=b,c=d.
func value(t *testing.T, families map[string]*dto.MetricFamily, name, labels string) float64 {
	t.Helper()
	for _, m := range families[name].GetMetric() {
		if labelsOf(m) == labels {
			return m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	t.Errorf("there is no %s{%s}", name, labels)
	return math.NaN()
}

func labelsOf(m *dto.Metric) string {
	var all []string
	for _, l := range m.GetLabel() {
		all = append(all, l.GetName()+"="+l.GetValue())
	}
	return strings.Join(all, ",")
}

func durations(all ...time.Duration) (d toolscript.Durations) {
	for _, one := range all {
		d.Sum += one
		i := 0
		for i < len(toolscript.DurationBounds) && one > toolscript.DurationBounds[i] {
			i++
		}
		d.Counts[i]++
	}
	return d
}

func TestText(t *testing.T) {
	const odd = "a \"quoted\" \\ name\nof two lines"
	m := toolscript.Measures{
		Started: time.Unix(1700000000, 0), AuditDropped: 9,
		Servers: []toolscript.ServerMeasures{
			{
				ServerStatus: toolscript.ServerStatus{Name: "github", State: toolscript.Ready, Restarts: 2, InFlight: 3, Queued: 4, Tools: 5, RateLimit: &toolscript.RateLimit{Delayed: 12, Refused: 13}},
				Outcomes:     map[string]uint64{"ok": 7, "timeout": 1}, AnswerBytes: 1234, DroppedLines: 6,
				Durations: durations(50*time.Microsecond, time.Millisecond, 3*time.Second, time.Hour),
			},
			{ServerStatus: toolscript.ServerStatus{Name: odd, State: toolscript.Backoff}},
		},
		Unrouted:  map[string]uint64{"not_found": 9},
		Tools:     []toolscript.ToolMeasures{{Server: "github", Tool: "github__search", Outcomes: map[string]uint64{"ok": 2}}},
		Runs:      toolscript.RunMeasures{Live: 1, Outcomes: map[string]uint64{"ok": 11, "threw": 2}, Durations: durations(time.Second)},
		CacheHits: map[string]uint64{"compiled": 8}, Approvals: 1,
		Actors: []toolscript.ActorStatus{{Name: "registry", Restarts: 1}, {Name: "run/run_1", Waiting: 2}, {Name: "run/run_2", Waiting: 3}, {Name: "server/github", Waiting: 1}},
	}
	families := parsed(t, m)
	for _, tt := range []struct {
		name, labels string
		want         float64
	}{
		{"toolscript_gateway_info", "version=" + toolscript.Version, 1},
		{"process_start_time_seconds", "", 1700000000},
		{"toolscript_approvals_pending", "", 1},
		{"toolscript_servers", "state=ready", 1},
		{"toolscript_servers", "state=needs_auth", 0},
		{"toolscript_server_up", "server=github", 1},
		{"toolscript_server_up", "server=" + odd, 0},
		{"toolscript_server_restarts_total", "server=github", 2},
		{"toolscript_server_tools", "server=github", 5},
		{"toolscript_server_calls_in_flight", "server=github", 3},
		{"toolscript_server_calls_queued", "server=github", 4},
		{"toolscript_server_calls_delayed_total", "server=github", 12},
		{"toolscript_server_calls_refused_total", "server=github", 13},
		{"toolscript_server_answer_size_bytes_total", "server=github", 1234},
		{"toolscript_server_log_lines_dropped_total", "server=github", 6},
		{"toolscript_audit_lines_dropped_total", "", 9},
		{"toolscript_calls_total", "server=github,outcome=ok", 7},
		{"toolscript_calls_total", "server=,outcome=not_found", 9},
		{"toolscript_tool_calls_total", "server=github,gen_ai_tool_name=github__search,outcome=ok", 2},
		{"toolscript_runs_total", "outcome=threw", 2},
		{"toolscript_runs_live", "", 1},
		{"toolscript_run_cache_hits_total", "cache=compiled", 8},
		{"toolscript_actor_restarts_total", "actor=registry", 1},
		{"toolscript_actor_mailbox_messages", "actor=run", 5},
		{"toolscript_actor_mailbox_messages", "actor=server/github", 1},
	} {
		if got := value(t, families, tt.name, tt.labels); got != tt.want {
			t.Errorf("%s{%s} is %v, want %v", tt.name, tt.labels, got, tt.want)
		}
	}
	duration := families["mcp_client_operation_duration_seconds"].GetMetric()[0]
	if got := labelsOf(duration); got != "server=github,mcp_method_name=tools/call" {
		t.Errorf("the histogram has the labels %s", got)
	}
	h := duration.GetHistogram()
	if h.GetSampleCount() != 4 || math.Abs(h.GetSampleSum()-3603.00105) > 1e-9 {
		t.Errorf("the histogram has %d values, %v seconds", h.GetSampleCount(), h.GetSampleSum())
	}
	for _, b := range h.GetBucket() {
		want := map[float64]uint64{0.0001: 1, 0.0005: 1, 0.001: 2, 0.01: 2, 2: 2, 5: 3, 300: 3, math.Inf(1): 4}
		if n, ok := want[b.GetUpperBound()]; ok && n != b.GetCumulativeCount() {
			t.Errorf("%d values are at most %v, want %d", b.GetCumulativeCount(), b.GetUpperBound(), n)
		}
	}
}

// The number of label values is bounded, even if a configuration has many servers.
func TestValuesOfLabelsAreBounded(t *testing.T) {
	var m toolscript.Measures
	for i := range 500 {
		name := fmt.Sprintf("server%03d", i)
		m.Servers = append(m.Servers, toolscript.ServerMeasures{
			ServerStatus: toolscript.ServerStatus{Name: name, Restarts: 1}, Outcomes: map[string]uint64{"ok": 2}, Durations: durations(time.Second),
		})
		m.Actors = append(m.Actors, toolscript.ActorStatus{Name: "server/" + name, Waiting: 1}, toolscript.ActorStatus{Name: fmt.Sprint("run/", i), Waiting: 1})
	}
	families := parsed(t, m)
	for name, family := range families {
		if n := len(family.GetMetric()); n > 202 {
			t.Errorf("%s has %d values", name, n)
		}
	}
	if got := value(t, families, "toolscript_server_restarts_total", "server=(other)"); got != 300 {
		t.Errorf("the servers without a value of their own have %v restarts, want 300", got)
	}
	if got := value(t, families, "toolscript_actor_mailbox_messages", "actor=server/(other)"); got != 300 {
		t.Errorf("their actors have %v messages, want 300", got)
	}
	all := families["mcp_client_operation_duration_seconds"].GetMetric()
	if n := all[len(all)-1].GetHistogram().GetSampleCount(); n != 300 {
		t.Errorf("their histogram has %d values, want 300", n)
	}
}
