package faults_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

// targets are the kinds of processes that are killed.
var targets = []string{"own server", "shared server", "hub", "gateway", "sandbox", "checker"}

// bag contains each target as often as it is killed in one round.
var bag = []string{
	"own server", "own server", "own server", "shared server", "shared server", "hub", "gateway", "sandbox", "sandbox", "sandbox", "checker",
}

// kills counts the kills of each target.
type kills map[string]*atomic.Int64

func newKills() kills {
	k := kills{}
	for _, what := range targets {
		k[what] = new(atomic.Int64)
	}
	return k
}

func (k kills) String() string {
	var counts []string
	for _, what := range targets {
		counts = append(counts, fmt.Sprint(k[what].Load()))
	}
	return strings.Join(counts, ", ")
}

// killUntil kills one process after another until ctx ends, and waits until killed gateways have been
// replaced. The seed determines the order of the targets, the pauses, and the choice among the
// processes of a kind.
func (w *world) killUntil(ctx context.Context) {
	var starting sync.WaitGroup
	defer starting.Wait()
	var round []string
	for {
		if len(round) == 0 {
			round = slices.Clone(bag)
			w.order.Shuffle(len(round), func(i, j int) { round[i], round[j] = round[j], round[i] })
		}
		what, choice := round[0], w.order.Float64()
		round = round[1:]
		const shortest, longest = 200, 800 // ms
		pause := time.NewTimer(time.Duration(shortest+w.order.IntN(longest-shortest)) * time.Millisecond)
		select {
		case <-pause.C:
		case <-ctx.Done():
			return
		}
		w.kill(what, choice, &starting)
	}
}

// kill kills a process of the kind what, if there is one.
func (w *world) kill(what string, choice float64, starting *sync.WaitGroup) {
	if what == "gateway" {
		s := w.slots[spared+int(choice*float64(len(w.slots)-spared))]
		g := s.now.Load()
		if g == nil || g.killed.Swap(true) {
			return
		}
		w.kills[what].Add(1)
		_ = g.Signal(syscall.SIGKILL) // the gateway runs, so this does not fail
		starting.Go(func() {
			_ = g.Wait() // killed, so an error is expected
			w.start(s)
		})
		return
	}
	candidates := w.candidates(what)
	if len(candidates) == 0 {
		return
	}
	if syscall.Kill(candidates[int(choice*float64(len(candidates)))].PID, syscall.SIGKILL) == nil {
		w.kills[what].Add(1)
	}
}

// candidates returns the processes of a kind below the gateways and the hub.
func (w *world) candidates(what string) []harness.Process {
	return slices.DeleteFunc(w.Started(), func(p harness.Process) bool {
		arg := func(i int) string {
			if i < len(p.Args) {
				return p.Args[i]
			}
			return ""
		}
		switch what {
		case "own server":
			return arg(1) != asServer || arg(2) != "name=own"
		case "shared server":
			return arg(1) != asServer || arg(2) == "name=own"
		case "hub":
			return arg(1) != "hub"
		default:
			return p.Worker() != what
		}
	})
}
