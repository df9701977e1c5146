package observed_test

import (
	"strconv"
	"testing"

	"github.com/toolscript/toolscript/runner/observed"
)

// TestRecordIsBounded: a full record only counts new entries, and still updates those that it has.
func TestRecordIsBounded(t *testing.T) {
	const most = 50_000
	r := &observed.Record{}
	for i := range most + 10 {
		r.File("/"+strconv.Itoa(i), false, observed.Read)
		r.Act(observed.Signal, strconv.Itoa(i))
	}
	r.File("/0", false, observed.Write)
	r.Act(observed.Signal, "0")
	if files, acts := r.Files(), r.Acts(); len(files) != most || len(acts) != most || files[0].Count() != 2 || acts[0].Count != 2 {
		t.Errorf("%d files, %d acts", len(files), len(acts))
	}
	if n := r.More(); n != 20 {
		t.Errorf("%d were left out, want 20", n)
	}
}
