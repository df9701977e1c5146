package mailbox_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

func TestDurations(t *testing.T) {
	var d mailbox.Durations
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

func TestHour(t *testing.T) {
	var h mailbox.Hour
	begin := time.Date(2026, 2, 3, 4, 0, 0, 0, time.UTC)
	if got := h.Read(begin); got != nil {
		t.Errorf("an empty hour is %+v", got)
	}
	for i := range 20 {
		h.Observe(begin, time.Duration(i+1)*time.Millisecond)
	}
	h.Observe(begin.Add(3*time.Minute), time.Second)
	want := func(at time.Duration, calls map[int]uint64) {
		t.Helper()
		got := h.Read(begin.Add(at))
		for i := range toolscript.HourParts {
			if got.Calls[i] != calls[i] || (got.P95Ms[i] > 0) != (calls[i] > 0) {
				t.Errorf("after %s: part %d has %d calls and p95 %v, want %d calls", at, i, got.Calls[i], got.P95Ms[i], calls[i])
			}
		}
	}
	want(3*time.Minute, map[int]uint64{28: 20, 29: 1})
	if p95 := h.Read(begin).P95Ms[29]; p95 < 15 || p95 > 25 {
		t.Errorf("p95 is %v ms, want about 19", p95)
	}
	want(30*time.Minute, map[int]uint64{14: 20, 15: 1})
	want(61*time.Minute, map[int]uint64{0: 1})
	h.Observe(begin.Add(time.Hour), time.Minute) // in the place of the first part
	want(time.Hour, map[int]uint64{0: 1, 29: 1})
	if got := h.Read(begin.Add(3 * time.Hour)); got != nil {
		t.Errorf("after three hours: %+v", got)
	}
	if n := testing.AllocsPerRun(100, func() { h.Observe(begin, time.Millisecond) }); n != 0 {
		t.Errorf("a duration costs %v allocations", n)
	}
}

func TestOutcomes(t *testing.T) {
	var c mailbox.Calls
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
