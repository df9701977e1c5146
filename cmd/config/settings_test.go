package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/cmd/config"
)

// TestSearchChanges: a change of any search setting in the file is detected.
func TestSearchChanges(t *testing.T) {
	var empty config.Search
	full := config.Search{
		Lexical: true, NoCache: true, Limit: 1, Alpha: new(0.5), Threshold: new(0.5),
		Model: "m", Library: "l", Remote: config.Remote{URL: "u"},
	}
	want := []string{"semantic", "cache", "limit", "alpha", "threshold", "model", "library", "remote"}
	if diff := cmp.Diff(want, empty.Changes(full)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	same := full
	same.Alpha = new(0.5)
	if changes := full.Changes(same); changes != nil {
		t.Errorf("changes of the same: %q", changes)
	}
}
