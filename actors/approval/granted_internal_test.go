package approval

import (
	"fmt"
	"testing"
)

// TestForgetRuns checks that approvals for the session do not make those for runs be forgotten.
func TestForgetRuns(t *testing.T) {
	a := &Approvals{granted: map[grant]Pin{}}
	for i := range maxGranted + 1 {
		a.granted[grantOf("", fmt.Sprint("tool", i), Pin{})] = Pin{}
	}
	for i := range maxGranted {
		a.granted[grantOf(fmt.Sprint("run", i), "tool", Pin{})] = Pin{}
	}
	if a.forgetRuns(); len(a.granted) != 2*maxGranted+1 {
		t.Errorf("%d approvals are left", len(a.granted))
	}
	a.granted[grantOf("another", "tool", Pin{})] = Pin{}
	if a.forgetRuns(); len(a.granted) != maxGranted+1 {
		t.Errorf("%d approvals are left, want those for the session", len(a.granted))
	}
}
