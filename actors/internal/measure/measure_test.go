package measure_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/measure"
)

func TestDurations(t *testing.T) {
	var d measure.Durations
	var wait sync.WaitGroup
	for range 4 { // concurrently
		wait.Go(func() {
			for ms := range 100 {
				d.Observe(time.Duration(ms+1) * time.Millisecond)
			}
		})
	}
	wait.Wait()
	h := d.Read()
	if h.Count() != 400 || h.Sum != 4*5050*time.Millisecond {
		t.Errorf("%d durations of %s", h.Count(), h.Sum)
	}
	for q, want := range map[float64]time.Duration{0: 0, 0.5: 50 * time.Millisecond, 0.95: 95 * time.Millisecond, 1: 100 * time.Millisecond} {
		if got := h.Quantile(q); (got - want).Abs() > 10*time.Millisecond {
			t.Errorf("quantile %v is %s, want about %s", q, got, want)
		}
	}
	d.Observe(0)
	d.Observe(time.Hour)
	d.Observe(toolscript.DurationBounds[3]) // a bound belongs to its bucket
	h = d.Read()
	if last := h.Counts[len(h.Counts)-1]; last != 1 || h.Counts[0] != 1 || h.Counts[3] != 5 {
		t.Errorf("buckets %v", h.Counts)
	}
	if got, most := h.Quantile(1), toolscript.DurationBounds[len(toolscript.DurationBounds)-1]; got != most {
		t.Errorf("a duration above all bounds counts as %s, want %s", got, most)
	}
	if got := (&toolscript.Durations{}).Quantile(0.5); got != 0 {
		t.Errorf("the quantile of nothing is %s", got)
	}
	if n := testing.AllocsPerRun(100, func() { d.Observe(time.Millisecond) }); n != 0 {
		t.Errorf("a duration costs %v allocations", n)
	}
}

func TestOutcomes(t *testing.T) {
	var c measure.Calls
	for _, outcome := range []string{"", "ok", "timeout", "internal", "unheard of"} {
		c.Ended(outcome, 10)
	}
	want := map[string]uint64{"ok": 2, "timeout": 1, "internal": 2}
	if diff := cmp.Diff(want, c.Outcomes.Read()); diff != "" || c.Bytes.Load() != 50 {
		t.Errorf("%d bytes\n%s", c.Bytes.Load(), diff)
	}
	if n := testing.AllocsPerRun(100, func() { c.Ended("tool_failed", 1) }); n != 0 {
		t.Errorf("a call costs %v allocations", n)
	}
}
