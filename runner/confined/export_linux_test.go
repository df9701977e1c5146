package confined

import (
	"testing"

	"github.com/toolscript/toolscript"
)

// WithoutGate makes GateMissing return a reason until the end of the test, so that no Gate checks connections.
func WithoutGate(t *testing.T, reason string) {
	t.Helper()
	before := gateMissing
	gateMissing = func() string { return reason }
	t.Cleanup(func() { gateMissing = before })
}

// Network describes the confinement of the network, with or without the filter of system calls.
func Network(net []string, filtered bool) toolscript.Confinement {
	return network(net, toolscript.Confinement{Name: callsName, Active: filtered, Detail: "no filter"})
}
