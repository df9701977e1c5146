package telemetry

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// ExporterConfig says where spans and metrics go. The zero ExporterConfig sends nothing.
type ExporterConfig struct {
	Traces   Collector     // gets the spans
	Metrics  Collector     // gets the metrics
	Interval time.Duration // time between two requests with metrics
}

// Collector is the address that data is posted to. The zero Collector gets nothing.
type Collector struct {
	URL     string
	Headers map[string]string // headers of each request; their values are secrets
}

// Enabled reports whether anything is sent.
func (c ExporterConfig) Enabled() bool { return c.Traces.URL != "" || c.Metrics.URL != "" }

// defaultInterval is the default of the OpenTelemetry SDK.
const defaultInterval = time.Minute

// ConfigureExporter returns the ExporterConfig for the endpoint in the configuration, such as
// http://127.0.0.1:4318, and its headers. If endpoint is "", ConfigureExporter uses the standard
// environment variables OTEL_*. The error names the endpoint or variable that is not valid.
func ConfigureExporter(endpoint string, headers map[string]string, getenv func(string) string) (ExporterConfig, error) {
	c := ExporterConfig{Interval: defaultInterval}
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return ExporterConfig{}, nil
	}
	if ms := getenv("OTEL_METRIC_EXPORT_INTERVAL"); ms != "" {
		n, err := strconv.Atoi(ms)
		if err != nil || n <= 0 {
			return ExporterConfig{}, fmt.Errorf("OTEL_METRIC_EXPORT_INTERVAL: %.20q is no number of milliseconds", ms)
		}
		c.Interval = time.Duration(n) * time.Millisecond
	}
	if endpoint != "" {
		c.Traces, c.Metrics = Collector{below(endpoint, "traces"), headers}, Collector{below(endpoint, "metrics"), headers}
		return c, c.check()
	}
	common, err := parseHeaders(getenv("OTEL_EXPORTER_OTLP_HEADERS"))
	if err != nil {
		return ExporterConfig{}, err
	}
	for signal, to := range map[string]*Collector{"traces": &c.Traces, "metrics": &c.Metrics} {
		prefix := "OTEL_EXPORTER_OTLP_" + strings.ToUpper(signal) + "_"
		if own := getenv(prefix + "ENDPOINT"); own != "" {
			to.URL = own
		} else if all := getenv("OTEL_EXPORTER_OTLP_ENDPOINT"); all != "" {
			to.URL = below(all, signal)
		}
		if exporter := getenv("OTEL_" + strings.ToUpper(signal) + "_EXPORTER"); exporter != "" && exporter != "otlp" {
			to.URL = ""
		}
		if to.URL == "" {
			continue
		}
		protocol := cmp.Or(getenv(prefix+"PROTOCOL"), getenv("OTEL_EXPORTER_OTLP_PROTOCOL"))
		if protocol != "" && protocol != "http/protobuf" {
			return ExporterConfig{}, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL: %.20q is not supported, only http/protobuf is; "+
				"name an endpoint of OTLP over HTTP in telemetry.otlp of the configuration", protocol)
		}
		own, err := parseHeaders(getenv(prefix + "HEADERS"))
		if err != nil {
			return ExporterConfig{}, err
		}
		to.Headers = maps.Clone(common)
		maps.Copy(to.Headers, own)
	}
	if !c.Enabled() {
		return ExporterConfig{}, nil
	}
	return c, c.check()
}

func below(endpoint, signal string) string {
	return strings.TrimSuffix(endpoint, "/") + "/v1/" + signal
}

func (c ExporterConfig) check() error {
	for _, endpoint := range []string{c.Traces.URL, c.Metrics.URL} {
		if endpoint == "" {
			continue
		}
		u, err := url.Parse(endpoint)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return errors.New("the endpoint for telemetry must be a URL such as http://127.0.0.1:4318")
		}
	}
	return nil
}

// parseHeaders reads name=value,name=value with escapes as in a URL.
func parseHeaders(text string) (map[string]string, error) {
	headers := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil {
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS: write name=value,name=value") // without the text, which may be a secret
		}
		headers[name] = value
	}
	return headers, nil
}
