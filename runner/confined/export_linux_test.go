package confined

import (
	"testing"

	"github.com/toolscript/toolscript"
)

// WithoutGate has connections be unchecked for a reason, until the end of the test.
func WithoutGate(t *testing.T, reason string) {
	t.Helper()
	before := gateMissing
	gateMissing = func() string { return reason }
	t.Cleanup(func() { gateMissing = before })
}

// Network is what holds for the network with or without the filter of system calls.
func Network(net []string, filtered bool) toolscript.Confinement {
	return network(net, toolscript.Confinement{Name: callsName, Active: filtered, Detail: "no filter"})
}
