// Package workers is the actor that owns the script worker processes of one
// role: it starts them ahead of need, lends each to one run at a time, replaces
// those that die and ends those that nobody has wanted for a while.
package workers

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// Options say how many workers there may be.
type Options struct {
	Name  string                                // of the role, for status and errors
	Start func(context.Context) (Worker, error) // starts a process; its context bounds the start
	Max   int                                   // workers at once; 0 = 32, or four for each processor if that is more
	Spare int                                   // idle workers kept ready

	// Work counts what may outlive the actor for a moment: the end of a process.
	Work *mailbox.Group

	StartTime time.Duration // bound on a start; 0 = 1 min
	IdleTime  time.Duration // after which an idle worker beyond Spare is ended; 0 = 1 min
}

// minMax is how many workers there may be on the smallest machine. Below the
// bound nobody waits for another's loop: the system shares the processors out. An
// idle worker holds about 20 MB, so that this many are no burden.
const minMax = 32

// Pool is the state of the actor; only Receive touches it.
type Pool struct {
	Options
	ctx      context.Context // ends with the actor
	stop     context.CancelFunc
	idle     []resting // the longest idle first
	rests    int       // how often a worker has become idle
	busy     map[Worker]bool
	starting int
	queue    []borrow // runs that wait for a worker, the oldest first
	deaths   int
	lastErr  error
	failures int                   // starts that have failed in a row
	wall     []toolscript.WallPart // around the worker that started last
}

// New makes the producer of a pool.
func New(o Options) actor.Producer {
	if o.StartTime == 0 {
		o.StartTime = time.Minute
	}
	if o.IdleTime == 0 {
		o.IdleTime = time.Minute
	}
	if o.Max == 0 {
		o.Max = max(minMax, 4*runtime.GOMAXPROCS(0))
	}
	return func() actor.Receiver { return &Pool{Options: o} }
}

// Receive handles one message.
func (p *Pool) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		p.begin(c)
	case borrow:
		p.enqueue(c, m)
	case started:
		p.started(c, m)
	case Return:
		p.takeBack(c, m)
	case died:
		p.died(c, m)
	case reap:
		p.reap(m)
	case Describe:
		m.Reply.Send(p.state(), nil)
	case actor.Stopped:
		p.end()
	}
}

func (p *Pool) begin(c *actor.Context) {
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.busy = map[Worker]bool{}
	p.replenish(c)
}

func (p *Pool) enqueue(c *actor.Context, m borrow) {
	p.queue = append(p.queue, m)
	p.serve(c)
}

// serve gives idle workers to those who wait, and starts what is missing.
func (p *Pool) serve(c *actor.Context) {
	p.queue = slices.DeleteFunc(p.queue, func(b borrow) bool { return b.ctx.Err() != nil })
	for len(p.queue) > 0 && len(p.idle) > 0 {
		next, w := p.queue[0], p.idle[len(p.idle)-1].worker // the warmest
		p.queue = p.queue[1:]
		if next.settle() {
			p.idle, p.busy[w] = p.idle[:len(p.idle)-1], true
			next.reply <- lent{worker: w}
		}
	}
	p.replenish(c)
}

// replenish starts workers until all who wait have one coming and Spare are idle.
func (p *Pool) replenish(c *actor.Context) {
	for p.starting < len(p.queue)+max(0, p.Spare-len(p.idle)) && len(p.idle)+len(p.busy)+p.starting < p.Max {
		p.start(c)
	}
}

func (p *Pool) start(c *actor.Context) {
	p.starting++
	engine, self, pool := c.Engine(), c.PID(), p.ctx
	p.Work.Go(func() {
		ctx, cancel := context.WithTimeout(pool, p.StartTime)
		defer cancel()
		w, err := p.Start(ctx)
		if err != nil {
			engine.Send(self, started{nil, err})
			return
		}
		stop := context.AfterFunc(pool, w.Kill) // even when nobody reads started
		engine.Send(self, started{w, nil})
		<-w.Done()
		stop()
		engine.Send(self, died{w})
	}, func(err error) { engine.Send(self, started{nil, err}) })
}

func (p *Pool) started(c *actor.Context, m started) {
	p.starting--
	if m.err != nil {
		p.failed(c, m.err)
		return
	}
	p.lastErr, p.failures, p.wall = nil, 0, m.worker.Wall()
	p.rest(c, m.worker)
	p.serve(c)
}

// startTries is how many starts in a row must fail before those who wait hear of
// it. One may fail by itself: its process was killed before it was ready.
const startTries = 3

// failed starts another worker, if somebody waits, or gives up: what has kept so
// many from starting keeps the others too, and the next run tries again.
func (p *Pool) failed(c *actor.Context, err error) {
	p.lastErr = err
	p.failures++
	if p.failures >= startTries {
		p.failures = 0
		p.refuse(err)
		return
	}
	if len(p.queue) > 0 {
		p.serve(c)
	}
}

// refuse answers all who wait.
func (p *Pool) refuse(err error) {
	p.lastErr = err
	for _, b := range p.queue {
		if b.settle() {
			b.reply <- lent{err: &toolscript.Error{
				Kind: toolscript.Unavailable, Err: fmt.Errorf("the %s worker process could not be started: %w", p.Name, err),
			}}
		}
	}
	p.queue = nil
}

// resting is an idle worker. Its number tells this rest from later ones.
type resting struct {
	worker Worker
	number int
}

// rest makes w idle and sets its end for when it stays so.
func (p *Pool) rest(c *actor.Context, w Worker) {
	p.rests++
	r := resting{w, p.rests}
	p.idle = append(p.idle, r)
	engine, self := c.Engine(), c.PID()
	time.AfterFunc(p.IdleTime, func() { engine.Send(self, reap{r}) })
}

func (p *Pool) takeBack(c *actor.Context, m Return) {
	if !p.busy[m.Worker] {
		return
	}
	delete(p.busy, m.Worker)
	if m.Broken || gone(m.Worker) {
		m.Worker.Kill()
	} else {
		p.rest(c, m.Worker)
	}
	p.serve(c)
}

// died replaces a worker that a run was using or somebody waits for. One that
// died while idle is replaced when it is wanted: a worker that cannot live would
// otherwise be started for ever.
func (p *Pool) died(c *actor.Context, m died) {
	p.deaths++
	used := p.busy[m.worker]
	delete(p.busy, m.worker)
	p.idle = slices.DeleteFunc(p.idle, func(r resting) bool { return r.worker == m.worker })
	if used || len(p.queue) > 0 {
		p.serve(c)
	}
}

// reap ends a worker that has been idle since and is not needed as a spare. One
// that was used meanwhile rests under another number.
func (p *Pool) reap(m reap) {
	i := slices.Index(p.idle, m.resting)
	if i < 0 || len(p.idle) <= p.Spare {
		return
	}
	p.idle = slices.Delete(p.idle, i, i+1)
	m.worker.Kill()
}

func (p *Pool) state() State {
	s := State{Idle: len(p.idle), Busy: len(p.busy), Starting: p.starting, Waiting: len(p.queue), Deaths: p.deaths, Wall: p.wall}
	if p.lastErr != nil {
		s.LastError = p.lastErr.Error()
	}
	return s
}

func (p *Pool) end() {
	if p.stop == nil { // stopped before it began
		return
	}
	p.stop() // kills every worker
	p.refuse(mailbox.ErrStopped)
}

func gone(w Worker) bool {
	select {
	case <-w.Done():
		return true
	default:
		return false
	}
}
