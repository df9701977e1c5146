package quickjs

import (
	"container/heap"
	"math"
	"time"
)

// timers are the timers of a script, the next one first. The prelude keeps their callbacks.
type timers struct {
	queue  timerQueue
	byID   map[int]*timer
	set    int
	strong int // number of timers that keep the script alive
}

type timer struct {
	id, order int // order: of two timers for the same time, the one that was set first fires first
	at        time.Time
	weak      bool
	index     int
}

// add sets a timer with a delay in milliseconds, which the prelude bounds.
func (t *timers) add(id int, ms float64, weak bool) {
	t.remove(id)
	t.set++
	added := &timer{id: id, order: t.set, weak: weak, at: time.Now().Add(time.Duration(ms * float64(time.Millisecond)))}
	if t.byID == nil {
		t.byID = map[int]*timer{}
	}
	t.byID[id] = added
	if !weak {
		t.strong++
	}
	heap.Push(&t.queue, added)
}

func (t *timers) remove(id int) {
	if old := t.byID[id]; old != nil {
		delete(t.byID, id)
		if !old.weak {
			t.strong--
		}
		heap.Remove(&t.queue, old.index)
	}
}

func (t *timers) empty() bool { return len(t.queue) == 0 }

// next returns the time of the first timer.
func (t *timers) next() time.Time { return t.queue[0].at }

// pop removes the first timer and returns its id.
func (t *timers) pop() int {
	id := t.queue[0].id
	t.remove(id)
	return id
}

// timerQueue implements heap.Interface.
type timerQueue []*timer

func (q timerQueue) Len() int { return len(q) }

func (q timerQueue) Less(i, j int) bool {
	if q[i].at.Equal(q[j].at) {
		return q[i].order < q[j].order
	}
	return q[i].at.Before(q[j].at)
}

func (q timerQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *timerQueue) Push(x any) {
	added := x.(*timer)
	added.index = len(*q)
	*q = append(*q, added)
}

func (q *timerQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return last
}

// spare returns the time until the next timer, the deadline or the time limit, whichever is first.
func (r *run) spare(now, deadline time.Time) time.Duration {
	wait := time.Duration(math.MaxInt64)
	if left, bounded := r.watch.left(now); bounded && !r.watch.clock.Stopped() {
		wait = left
	}
	if !r.timers.empty() {
		wait = min(wait, r.timers.next().Sub(now))
	}
	if !deadline.IsZero() {
		wait = min(wait, deadline.Sub(now))
	}
	return max(wait, 0)
}
