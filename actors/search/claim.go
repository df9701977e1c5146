package search

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/toolscript/toolscript/actors/search/index"
)

const (
	// claimPoll is the interval between attempts to claim the computation.
	claimPoll = 250 * time.Millisecond
	// claimPause is the time between the end of a claim and the next attempt, in which
	// another process gets its turn.
	claimPause = 2 * claimPoll
	// claimPatience is the time without a new vector after which the claim of another
	// process is ignored: it may have been stopped.
	claimPatience = time.Minute
)

// A claim keeps other processes with the same cache from computing the same vectors. It is
// released after each save. Vectors that another process has saved are not computed again.
type claim struct {
	release func() // nil: not held
	held    bool   // the claim was held before, so other processes go first
	waiting time.Time
}

// end releases the claim.
func (c *claim) end() {
	if c.release != nil {
		c.release()
	}
	c.release = nil
}

// claimed is the result of an attempt to claim, with the vectors that other processes
// have saved.
type claimed struct {
	release func() // nil: another process computes
	FoundVectors
	err error
}

// mustClaim reports whether the next vectors need a claim. A lazy search does not wait for
// other processes, because a query waits for it.
func (x *indexer) mustClaim() bool {
	return x.claim.release == nil && x.engine.cache != nil && !x.options.Lazy
}

// waitForClaim tries to claim the computation, and reads the cache, because the process
// that had the claim has saved its vectors.
func (x *indexer) waitForClaim(missing []index.Document) {
	var delay time.Duration
	switch {
	case !x.claim.waiting.IsZero():
		delay = claimPoll
	case x.claim.held:
		delay = claimPause
	}
	if x.claim.waiting.IsZero() {
		x.claim.waiting = time.Now()
	}
	keys := make([]index.Key, len(missing))
	for i, d := range missing {
		keys[i] = d.Key
	}
	ctx, cache := x.ctx, x.engine.cache
	x.step(func() any {
		select {
		case <-time.After(delay):
		case <-ctx.Done():
		}
		release, err := cache.Claim()
		if release != nil {
			release = sync.OnceFunc(release)
			context.AfterFunc(ctx, release) // even if the actor no longer reads claimed
		}
		found, _ := cache.Read(keys) // look has reported damaged vectors
		return claimed{release, found, err}
	}, func(err error) any { return claimed{err: err} })
}

// claimed begins to compute the missing vectors, or waits again.
func (x *indexer) claimed(m claimed) {
	x.working = false
	switch {
	case m.release != nil:
		x.claim.release = m.release
	case m.err != nil: // the folder cannot be written; a save reports it
		x.claim.release = func() {}
	case len(m.Vectors) > 0:
		x.claim.waiting = time.Now()
	case time.Since(x.claim.waiting) > claimPatience:
		x.options.Logger.Warn("another gateway has claimed the computation of vectors and does not go on; this one computes them too",
			slog.Duration("waited", claimPatience))
		x.claim.release = func() {}
	}
	if x.claim.release != nil {
		x.claim.held, x.claim.waiting = true, time.Time{}
	}
	x.tally.hits += len(m.Vectors)
	x.keep(m.Vectors)
	x.publish()
}
