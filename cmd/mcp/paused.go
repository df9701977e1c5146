package mcp

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// maxPaused is the maximum number of kept runs: clients may never return.
const maxPaused = 200

// paused holds the runs that wait for another request of their client.
type paused struct {
	mu   sync.Mutex
	runs map[string]waiting // by run id
}

type waiting struct {
	*script
	question *question // question that the client answers; nil: the client only waits
	since    time.Time
	expire   *time.Timer
}

// keep keeps a run. It is cancelled if its client does not return within limit. If too many
// runs are kept, the one that has waited longest is cancelled.
func (p *paused) keep(runID string, s *script, q *question, limit time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.runs == nil {
		p.runs = map[string]waiting{}
	}
	if len(p.runs) >= maxPaused {
		oldest := slices.MinFunc(slices.Collect(maps.Keys(p.runs)), func(a, b string) int { return p.runs[a].since.Compare(p.runs[b].since) })
		p.runs[oldest].expire.Stop()
		p.runs[oldest].cancel()
		delete(p.runs, oldest)
	}
	p.runs[runID] = waiting{s, q, time.Now(), time.AfterFunc(limit, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.runs[runID].script == s {
			delete(p.runs, runID)
			s.cancel()
		}
	})}
}

// take removes and returns a kept run. asks says whether the run must have a question.
func (p *paused) take(runID string, asks bool) (waiting, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w, ok := p.runs[runID]
	if !ok || (w.question != nil) != asks {
		return waiting{}, false
	}
	delete(p.runs, runID)
	w.expire.Stop()
	return w, true
}
