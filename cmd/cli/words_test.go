package cli_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
)

// TestTheSchemaHasTheWordsOfRequests: configuration files and requests accept the same values.
func TestTheSchemaHasTheWordsOfRequests(t *testing.T) {
	r := newWorld(t, nil).run(t, "config", "schema")
	var schema struct {
		Properties map[string]struct{ Enum []string }
	}
	if err := json.Unmarshal([]byte(r.stdout), &schema); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{"engine": toolscript.Engines(), "check": toolscript.Checks()} {
		if diff := cmp.Diff(want, schema.Properties[name].Enum); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
