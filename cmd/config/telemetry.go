package config

import "github.com/toolscript/toolscript"

// Telemetry are the settings of metrics and traces.
type Telemetry struct {
	MetricsPort int               // on which the metrics are served without a capability; 0: none
	Tools       toolscript.Filter // tools whose calls are counted alone

	Endpoint string            // of OTLP over HTTP; "": the variables OTEL_* say it
	Headers  map[string]string // of requests to it; secrets
}

// apply puts the settings of a file over the others.
func (t *Telemetry) apply(n *node) {
	metrics := n.child("metrics")
	if port := metrics.child("port"); port != nil {
		t.MetricsPort = int(port.count())
	}
	if tools := metrics.child("tools"); tools != nil {
		t.Tools = tools.texts()
	}
	// The endpoint is replaced as a whole: the headers of one must not be sent to another.
	// If a variable is not set, there is no endpoint.
	if otlp := n.child("otlp"); otlp != nil {
		t.Endpoint, t.Headers = "", nil
		if len(otlp.missing()) == 0 {
			t.Endpoint = otlp.child("endpoint").text()
			for name, value := range otlp.child("headers").children() {
				if t.Headers == nil {
					t.Headers = map[string]string{}
				}
				t.Headers[name] = value.text()
			}
		}
	}
}
