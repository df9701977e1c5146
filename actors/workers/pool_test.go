package workers_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/workers"
)

// process is a worker that does nothing until it is killed.
type process struct {
	dead chan struct{}
	once sync.Once
}

func (p *process) Done() <-chan struct{} { return p.dead }
func (p *process) Confinement() []toolscript.Confinement {
	return []toolscript.Confinement{{Name: "paper", Active: true}}
}
func (p *process) Kill() { p.once.Do(func() { close(p.dead) }) }

type factory struct {
	began atomic.Int64
	fail  atomic.Bool
	panic atomic.Bool
	delay time.Duration

	mu  sync.Mutex
	all []*process
}

func (f *factory) start(ctx context.Context) (workers.Worker, error) {
	f.began.Add(1)
	select {
	case <-time.After(f.delay):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if f.panic.Load() {
		panic("start broke")
	}
	if f.fail.Load() {
		return nil, errors.New("no such file")
	}
	p := &process{dead: make(chan struct{})}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, p)
	return p, nil
}

func (f *factory) living() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, p := range f.all {
		select {
		case <-p.dead:
		default:
			n++
		}
	}
	return n
}

// bench is a pool in a synctest bubble.
type bench struct {
	t  *testing.T
	at mailbox.Address
}

// withPool runs test with a pool and checks that no process outlives the pool.
func withPool(t *testing.T, o workers.Options, f *factory, test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		engine, err := actor.NewEngine(actor.NewEngineConfig())
		if err != nil {
			t.Fatal(err)
		}
		o.Name, o.Start, o.Work = "sandbox", f.start, new(mailbox.Group)
		gone := make(chan struct{})
		at := mailbox.Address{Engine: engine, PID: engine.Spawn(workers.New(o), "pool", mailbox.NewLife().Options("sandbox")...), Gone: gone}
		test(&bench{t, at})
		<-engine.Poison(at.PID).Done()
		close(gone)
		synctest.Wait()
		if n := f.living(); n != 0 {
			t.Errorf("%d processes outlive their pool", n)
		}
	})
}

func (b *bench) take(within time.Duration) (workers.Worker, error) {
	ctx, cancel := context.WithTimeout(b.t.Context(), within)
	defer cancel()
	return workers.Take(ctx, b.at)
}

func (b *bench) mustTake() workers.Worker {
	b.t.Helper()
	w, err := b.take(time.Minute)
	if err != nil {
		b.t.Fatalf("Take: %v", err)
	}
	return w
}

func TestBrokenWorkerIsReplaced(t *testing.T) {
	f := &factory{}
	withPool(t, workers.Options{Max: 1}, f, func(b *bench) {
		first := b.mustTake()
		workers.GiveBack(b.at, first, true)
		second := b.mustTake()
		if second == first {
			b.t.Error("a broken worker was lent again")
		}
		second.Kill() // the worker ends while a run uses it
		if third := b.mustTake(); third == second {
			b.t.Error("a dead worker was lent again")
		}
	})
}

func TestWorkerOfACancelledRequestIsNotLost(t *testing.T) {
	f := &factory{delay: time.Second}
	withPool(t, workers.Options{Max: 1}, f, func(b *bench) {
		// The wait ends at the same time as the worker's start. Both results are
		// possible, and in both the worker must be available for the next run.
		if w, err := b.take(time.Second); err == nil {
			workers.GiveBack(b.at, w, false)
		}
		b.mustTake()
	})
}

func TestStartFailureReachesAllWaitingRequests(t *testing.T) {
	f := &factory{delay: time.Second}
	f.fail.Store(true)
	withPool(t, workers.Options{Max: 2}, f, func(b *bench) {
		var group sync.WaitGroup
		for range 5 {
			group.Go(func() {
				_, err := b.take(time.Minute)
				if toolscript.KindOf(err) != toolscript.Unavailable {
					b.t.Errorf("Take = %v, want unavailable", err)
				}
			})
		}
		group.Wait()
		f.fail.Store(false)
		f.panic.Store(true)
		if _, err := b.take(time.Minute); err == nil {
			b.t.Error("a panic while starting gave a worker")
		}
		f.panic.Store(false)
		b.mustTake()
	})
}

// TestOneFailedStartFailsNoRequest checks that the failed start of a worker, such as
// one that is killed before it is ready, does not fail the waiting runs.
func TestOneFailedStartFailsNoRequest(t *testing.T) {
	f := &factory{delay: time.Second}
	f.fail.Store(true)
	withPool(t, workers.Options{Max: 1}, f, func(b *bench) {
		time.AfterFunc(1500*time.Millisecond, func() { f.fail.Store(false) })
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				w, err := b.take(time.Minute)
				if err != nil {
					b.t.Errorf("Take: %v", err)
					return
				}
				workers.GiveBack(b.at, w, false)
			})
		}
		group.Wait()
		if n := f.began.Load(); n != 2 {
			b.t.Errorf("%d processes were started, want 2", n)
		}
	})
}

func TestIdleWorkersAreEnded(t *testing.T) {
	f := &factory{}
	withPool(t, workers.Options{Max: 4, Spare: 1, IdleTime: time.Minute}, f, func(b *bench) {
		var borrowed []workers.Worker
		for range 3 {
			borrowed = append(borrowed, b.mustTake())
		}
		for _, w := range borrowed {
			workers.GiveBack(b.at, w, false)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := f.living(); n != 1 {
			b.t.Errorf("%d workers after two idle minutes, want the spare one", n)
		}
	})
}

// TestUnusedPoolHasNoWorkers checks that the spare worker ends five minutes after the
// last run, but not during a run.
func TestUnusedPoolHasNoWorkers(t *testing.T) {
	f := &factory{delay: time.Second}
	var unused atomic.Int64
	o := workers.Options{Max: 4, Spare: 1, Unused: func() { unused.Add(1) }}
	withPool(t, o, f, func(b *bench) {
		want := func(when string, living, ends int) {
			b.t.Helper()
			synctest.Wait()
			if n := f.living(); n != living || unused.Load() != int64(ends) {
				b.t.Errorf("%s: %d workers and %d calls of Unused, want %d and %d", when, n, unused.Load(), living, ends)
			}
		}
		time.Sleep(4 * time.Minute)
		w := b.mustTake()
		time.Sleep(time.Hour)
		want("during a run of an hour", 2, 0) // one is the spare worker
		workers.GiveBack(b.at, w, false)
		time.Sleep(5*time.Minute - time.Second)
		want("before five minutes", 1, 0)
		time.Sleep(2 * time.Second)
		want("after five minutes", 0, 1)
		time.Sleep(24 * time.Hour)
		want("after a day", 0, 1)
		w = b.mustTake()
		want("during the next run", 1, 1)
		workers.GiveBack(b.at, w, false)
		time.Sleep(time.Minute)
		want("after that run", 1, 1)
		time.Sleep(5 * time.Minute)
		want("five minutes later", 0, 2)
	})
}

// TestManySharers checks that the spare worker ends sooner when many programs of the machine keep one, and that the
// pool uses their current number.
func TestManySharers(t *testing.T) {
	f := &factory{delay: time.Second}
	var sharers atomic.Int64
	sharers.Store(20)
	o := workers.Options{Max: 4, Spare: 1, Sharers: func() int { return int(sharers.Load()) }}
	withPool(t, o, f, func(b *bench) {
		want := func(when string, living int) {
			b.t.Helper()
			synctest.Wait()
			if n := f.living(); n != living {
				b.t.Errorf("%s: %d workers, want %d", when, n, living)
			}
		}
		workers.GiveBack(b.at, b.mustTake(), false)
		time.Sleep(59 * time.Second)
		want("before a minute with 20 gateways", 2) // one of them is the spare worker
		time.Sleep(32 * time.Second)
		want("after it", 0)
		sharers.Store(2)
		workers.GiveBack(b.at, b.mustTake(), false)
		time.Sleep(4 * time.Minute)
		want("with two gateways", 1)
		time.Sleep(2 * time.Minute)
		want("after five minutes", 0)
	})
}

// TestExpectedRun checks that, after a pause, a worker starts as soon as a run
// begins, and that it ends if the run does not use it.
func TestExpectedRun(t *testing.T) {
	f := &factory{delay: time.Second}
	withPool(t, workers.Options{Max: 4, Spare: 1, IdleTime: time.Minute}, f, func(b *bench) {
		time.Sleep(time.Hour)
		workers.Expect(b.at)
		workers.Expect(b.at)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := f.living(); n != 1 {
			b.t.Errorf("%d workers for a run that is expected, want 1", n)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := f.living(); n != 0 {
			b.t.Errorf("%d workers remain that no run has used", n)
		}
	})
}

// TestEndlessLoopDoesNotDelayOtherRuns checks that runs that start one after the other each
// find a ready worker, even if the earlier runs never return theirs.
func TestEndlessLoopDoesNotDelayOtherRuns(t *testing.T) {
	f := &factory{delay: time.Second}
	withPool(t, workers.Options{Max: 8, Spare: 1}, f, func(b *bench) {
		for range 8 {
			time.Sleep(2 * time.Second)
			before := time.Now()
			b.mustTake() // never returned
			if waited := time.Since(before); waited != 0 {
				b.t.Errorf("a run waited %v while others do not end", waited)
			}
		}
		if n := f.began.Load(); n != 8 {
			b.t.Errorf("%d processes were started, want the bound of 8", n)
		}
	})
}

// TestRequestsAreServedInOrder checks that, at the maximum number of workers,
// runs get workers in order of arrival, and that runs that have given up are skipped.
func TestRequestsAreServedInOrder(t *testing.T) {
	f := &factory{}
	withPool(t, workers.Options{Max: 1}, f, func(b *bench) {
		w := b.mustTake()
		var mu sync.Mutex
		var order []int
		var group sync.WaitGroup
		for i := range 5 {
			patience := time.Hour
			if i == 2 {
				patience = time.Minute
			}
			group.Go(func() {
				got, err := b.take(patience)
				if err != nil {
					if toolscript.KindOf(err) != toolscript.Timeout {
						b.t.Errorf("the impatient run: %v, want a timeout", err)
					}
					return
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				workers.GiveBack(b.at, got, false)
			})
			synctest.Wait()
		}
		time.Sleep(2 * time.Minute)
		workers.GiveBack(b.at, w, false)
		group.Wait()
		if want := []int{0, 1, 3, 4}; !slices.Equal(order, want) {
			b.t.Errorf("served in the order %v, want %v", order, want)
		}
		if n := f.began.Load(); n != 1 {
			b.t.Errorf("%d processes started, want 1, which is used again", n)
		}
	})
}

// TestConfinementOfTheLastWorker checks that the state contains the confinement of
// the worker that started last.
func TestConfinementOfTheLastWorker(t *testing.T) {
	withPool(t, workers.Options{Spare: 1}, &factory{}, func(b *bench) {
		synctest.Wait()
		ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
		defer cancel()
		state, err := mailbox.Ask(ctx, b.at, func(r mailbox.Reply[workers.State]) any { return workers.Describe{Reply: r} })
		if err != nil || state.Idle != 1 || len(state.Confinement) != 1 || state.Confinement[0].Name != "paper" {
			b.t.Errorf("state = %+v, %v", state, err)
		}
	})
}

// TestTakeFromAPoolThatHasEnded checks that Take fails as soon as the pool has ended.
func TestTakeFromAPoolThatHasEnded(t *testing.T) {
	withPool(t, workers.Options{Max: 1}, &factory{}, func(b *bench) {
		b.mustTake()
		ended := make(chan struct{})
		b.at.Ended = ended
		time.AfterFunc(time.Second, func() { close(ended) })
		before := time.Now()
		if _, err := b.take(time.Minute); toolscript.KindOf(err) != toolscript.Unavailable {
			b.t.Errorf("Take = %v, want unavailable", err)
		}
		if waited := time.Since(before); waited != time.Second {
			b.t.Errorf("it waited %v, and the pool ended after a second", waited)
		}
	})
}

// TestNestedRunsGetWorkers: runs that hold all workers of Max can wait for nested runs.
func TestNestedRunsGetWorkers(t *testing.T) {
	f := &factory{}
	withPool(t, workers.Options{Max: 2, Nested: 1}, f, func(b *bench) {
		first := b.mustTake()
		b.mustTake()
		waiting := make(chan workers.Worker, 1)
		go func() { w, _ := b.take(time.Hour); waiting <- w }()
		synctest.Wait()
		if n := f.began.Load(); n != 2 {
			b.t.Errorf("%d workers for 2 runs and one that has to wait", n)
		}
		for range 2 { // past the run that waits
			ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
			w, err := workers.TakeNested(ctx, b.at)
			cancel()
			if err != nil {
				b.t.Fatalf("TakeNested: %v", err)
			}
			workers.GiveBack(b.at, w, false)
			synctest.Wait()
			if len(waiting) != 0 {
				b.t.Error("a run got the worker for nested runs")
			}
		}
		workers.GiveBack(b.at, first, false)
		if w := <-waiting; w == nil {
			b.t.Error("the run that waited got no worker")
		}
	})
}
