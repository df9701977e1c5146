package actors_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/audit"
)

// The states that BenchmarkAudit compares. off occurs twice: the difference between the two is the error of the
// measurement.
const (
	auditOn = iota
	auditOff
	auditOffAgain
	auditStates
)

// BenchmarkAudit compares one gateway with itself: its audit is switched on and off in turns. It prints medians:
// what the audit adds to a call in wall time and in the CPU of the process, with its writing, and to the time
// between two results of 64 callers. Each has the median difference between two batches without the audit, off-off,
// which is the error of the measurement.
func BenchmarkAudit(b *testing.B) {
	const calls, callers = 4000, 64
	log := audit.NewLog(audit.Options{Chain: audit.ChainOptions{Dir: b.TempDir()}, Session: "s", Logger: slog.New(slog.DiscardHandler)})
	conn := newConn("a")
	conn.inline = true
	conn.call = func(_ context.Context, _ string, args json.RawMessage) (json.RawMessage, error) { return args, nil }
	s := startWith(b, actors.Options{Servers: configs("a"), Dial: dialer{"a": answers(conn, nil)}.dial, Audit: log})
	if _, pending := s.Await(b.Context(), nil); len(pending) > 0 {
		b.Fatal(pending)
	}
	call := toolscript.Call{ID: "a__echo", Args: json.RawMessage(`{"n":1}`)}
	batch := func(n int) {
		for range n {
			if _, err := s.CallTool(b.Context(), call); err != nil {
				b.Error(err)
				return
			}
		}
	}
	together := func() {
		var all sync.WaitGroup
		for range callers {
			all.Go(func() { batch(calls / callers) })
		}
		all.Wait()
	}
	measure := func(state int, work func()) (wall, cpu float64) {
		var on *audit.Log
		if state == auditOn {
			on = log
		}
		actors.SetAudit(s, on)
		before := log.Stats().Written
		begin, used := time.Now(), processCPU(b)
		work()
		wall = float64(time.Since(begin).Nanoseconds()) / 1000 / calls
		for state == auditOn && log.Stats().Written < before+calls/callers*callers {
			time.Sleep(5 * time.Millisecond) // until the batch is written; the CPU of writing belongs to the batch
		}
		return wall, float64((processCPU(b) - used).Nanoseconds()) / 1000 / calls
	}
	var wall, cpu, rate [auditStates][]float64
	round := 0
	for b.Loop() {
		for i := range auditStates {
			state := (i + round) % auditStates
			w, c := measure(state, func() { batch(calls) })
			t, _ := measure(state, together)
			wall[state], cpu[state], rate[state] = append(wall[state], w), append(cpu[state], c), append(rate[state], t)
		}
		round++
	}
	b.ReportMetric(0, "ns/op")
	report := func(unit string, times [auditStates][]float64) {
		var adds, noise []float64
		for i := range times[auditOn] {
			plain := (times[auditOff][i] + times[auditOffAgain][i]) / 2
			adds = append(adds, times[auditOn][i]-plain)
			noise = append(noise, math.Abs(times[auditOffAgain][i]-times[auditOff][i]))
		}
		b.ReportMetric(middle(adds), unit)
		b.ReportMetric(middle(noise), "off-off-"+unit)
	}
	report("µs-wall/call", wall)
	report("µs-CPU/call", cpu)
	report("µs-wall/parallel-call", rate)
}

func middle(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// processCPU is the processor time of this process.
func processCPU(b *testing.B) time.Duration {
	b.Helper()
	var used unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Nano())
}
