package config

import "github.com/toolscript/toolscript"

// Telemetry are the settings of metrics and traces.
type Telemetry struct {
	MetricsPort int               // port that serves the metrics without a capability; 0: none
	Tools       toolscript.Filter // tools whose calls are counted individually

	Endpoint string            // endpoint of OTLP over HTTP; "": the variables OTEL_* decide
	Headers  map[string]string // headers of requests to Endpoint; they are secret
}

// apply lays the settings of a file over the earlier ones.
func (t *Telemetry) apply(n *node) {
	metrics := n.child("metrics")
	if port := metrics.child("port"); port != nil {
		t.MetricsPort = int(port.count())
	}
	if tools := metrics.child("tools"); tools != nil {
		t.Tools = tools.texts()
	}
	// The endpoint is replaced as a whole, so that its headers are never sent to another endpoint.
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
