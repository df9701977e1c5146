package config

import "github.com/toolscript/toolscript"

// Telemetry are the settings of metrics.
type Telemetry struct {
	MetricsPort int               // on which the metrics are served without a capability; 0: none
	Tools       toolscript.Filter // tools whose calls are counted alone
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
}
