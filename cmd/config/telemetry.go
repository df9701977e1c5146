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
	set(&t.MetricsPort, metrics.child("port"), (*node).integer)
	set(&t.Tools, metrics.child("tools"), func(n *node) toolscript.Filter { return n.texts() })
	// The endpoint is replaced as a whole, so that its headers are never sent to another endpoint.
	// If a variable is not set, there is no endpoint.
	if otlp := n.child("otlp"); otlp != nil {
		t.Endpoint, t.Headers = "", nil
		if len(otlp.missing()) == 0 {
			t.Endpoint, t.Headers = otlp.child("endpoint").text(), otlp.child("headers").textMap()
		}
	}
}
