package runs_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs"
)

func TestEffective(t *testing.T) {
	asked := toolscript.Limits{MemoryMB: 100_000, ToolCalls: 7}
	configured := toolscript.Limits{MemoryMB: 64, ToolCalls: 9, StackKB: 1024, LogLines: 3}
	limits, lowered := runs.Effective(asked, configured)
	want := runs.Defaults
	want.MemoryMB, want.ToolCalls, want.StackKB, want.LogLines = 96, 7, 512, 3
	if diff := cmp.Diff(want, limits); diff != "" {
		t.Errorf("limits (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(toolscript.Limits{MemoryMB: 100_000, StackKB: 1024}, lowered); diff != "" {
		t.Errorf("lowered (-want +got):\n%s", diff)
	}
	const text = "--memory 100000 is reduced to the maximum, 96 MB; --stack 1024 is reduced to the maximum, 512 KB"
	if got := runs.Lowered(lowered); got != text {
		t.Errorf("Lowered = %q, want %q", got, text)
	}
	if got := runs.Lowered(toolscript.Limits{}); got != "" {
		t.Errorf("Lowered of nothing = %q", got)
	}
}

// TestEveryLimitHasItsBound: a limit that Effective omits would not hold.
func TestEveryLimitHasItsBound(t *testing.T) {
	const huge = 1 << 62
	all := toolscript.Limits{}
	limits, _ := runs.Effective(all, all)
	if diff := cmp.Diff(runs.Defaults, limits); diff != "" {
		t.Errorf("nothing asked (-want +got):\n%s", diff)
	}
	each := fill(huge)
	limits, lowered := runs.Effective(each, all)
	if diff := cmp.Diff(each, lowered); diff != "" {
		t.Errorf("lowered (-want +got):\n%s", diff)
	}
	if again, more := runs.Effective(limits, all); again != limits || more != all {
		t.Errorf("the ceilings themselves give %+v, lowered %+v", again, more)
	}
}

// fill sets every limit.
func fill(n int64) (l toolscript.Limits) {
	for _, field := range reflect.ValueOf(&l).Elem().Fields() {
		field.SetInt(n)
	}
	return l
}
