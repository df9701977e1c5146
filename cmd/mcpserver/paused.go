package mcpserver

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// maxPaused bounds the runs that are kept: clients may never return.
const maxPaused = 200

// paused holds the runs that wait for another request of their client.
type paused struct {
	mu   sync.Mutex
	runs map[string]waiting // by run id
}

type waiting struct {
	*script
	question *question // that the client answers; nil: it waits only
	since    time.Time
	expire   *time.Timer
}

// keep keeps a run. If its client does not return within a limit, the run is cancelled, and so is
// the one that has waited the longest if there are too many.
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

// take returns a run that waits, with or without a question.
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
