// Package workers is the actor that owns the worker processes of one role. It starts workers
// in advance, lends each to one run at a time, replaces workers that end, and ends workers
// that are idle for long. After a time without runs, it keeps no workers.
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

// Options bound the number of workers.
type Options struct {
	Name  string                                // role, for status and errors
	Start func(context.Context) (Worker, error) // starts a process; its context bounds the start
	Max   int                                   // workers at once; 0 = 32, or four per processor if that is more
	// Nested is the number of workers above Max that only TakeNested lends. Otherwise a nested
	// run could wait for ever for the worker of its caller.
	Nested int
	Spare  int // idle workers kept ready while there are runs

	// Work counts what may outlive the actor for a moment: the end of a process.
	Work *mailbox.Group

	StartTime time.Duration // bound on a start; 0 = 1 min
	IdleTime  time.Duration // idle time after which a worker beyond Spare is ended; 0 = 1 min

	UnusedTime time.Duration // time without a run after which the spare workers are ended too; 0 = 5 min
	Unused     func()        // called after UnusedTime, in its own goroutine; may be nil

	// Sharers is the number of programs on this machine that keep spare workers, this one
	// included. If it is more than fewSharers, UnusedTime is shorter. Nil: UnusedTime holds.
	Sharers func() int
}

const (
	fewSharers = 4                // number of programs up to which UnusedTime is not reduced
	leastTime  = 30 * time.Second // the least UnusedTime, for any number of sharers
)

// minMax is the default of Max on small machines. Up to Max, no run waits for another: the
// system shares the processors. An idle worker holds about 20 MB.
const minMax = 32

// Pool is the state of the actor; only Receive touches it.
type Pool struct {
	Options
	ctx         context.Context // ends with the actor
	stop        context.CancelFunc
	idle        []resting       // longest idle first
	idleCount   int             // how often a worker has become idle
	busy        map[Worker]bool // lent workers; true if lent by TakeNested
	starting    int
	queue       []borrow // runs that wait for a worker, oldest first
	deaths      int
	lastErr     error
	failures    int                      // failed starts in a row
	confinement []toolscript.Confinement // confinement of the worker that started last

	used   time.Time   // when a run last needed a worker
	timer  *time.Timer // fires UnusedTime after used
	asleep bool        // no spare workers are kept, until a run has used a worker
}

// New returns the producer of a pool.
func New(o Options) actor.Producer {
	if o.StartTime == 0 {
		o.StartTime = time.Minute
	}
	if o.IdleTime == 0 {
		o.IdleTime = time.Minute
	}
	if o.UnusedTime == 0 {
		o.UnusedTime = 5 * time.Minute
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
	case expect:
		p.expect(c)
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
	case unused:
		p.sleep()
	case Describe:
		m.Reply.Send(p.state(), nil)
	case actor.Stopped:
		p.end()
	}
}

func (p *Pool) begin(c *actor.Context) {
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.busy = map[Worker]bool{}
	engine, self := c.Engine(), c.PID()
	p.timer = time.AfterFunc(p.nextLook(), func() { mailbox.Send(engine, self, unused{}) })
	p.use()
	p.replenish(c)
}

// use notes that a run needs a worker now.
func (p *Pool) use() {
	p.used = time.Now()
	p.timer.Reset(p.nextLook())
}

// nextLook returns the time until the pool checks again whether it is unused.
func (p *Pool) nextLook() time.Duration {
	if p.Sharers == nil {
		return p.UnusedTime
	}
	return min(p.UnusedTime, leastTime)
}

// unusedTime returns UnusedTime, reduced if many programs on this machine keep spare workers.
func (p *Pool) unusedTime() time.Duration {
	if p.Sharers == nil {
		return p.UnusedTime
	}
	n := max(p.Sharers(), fewSharers)
	return min(p.UnusedTime, max(p.UnusedTime*fewSharers/time.Duration(n), leastTime))
}

// expect starts a worker if the pool has none.
func (p *Pool) expect(c *actor.Context) {
	p.use()
	if len(p.idle)+len(p.busy)+p.starting == 0 {
		p.start(c)
	}
}

func (p *Pool) enqueue(c *actor.Context, m borrow) {
	p.use()
	p.queue = append(p.queue, m)
	p.serve(c)
}

// serve lends idle workers to waiting runs, and starts missing workers.
func (p *Pool) serve(c *actor.Context) {
	p.queue = slices.DeleteFunc(p.queue, func(b borrow) bool { return b.ctx.Err() != nil })
	for len(p.idle) > 0 {
		room := p.room() > 0
		i := slices.IndexFunc(p.queue, func(b borrow) bool { return b.nested || room })
		if i < 0 {
			break
		}
		next, w := p.queue[i], p.idle[len(p.idle)-1].worker // the worker used last
		p.queue = slices.Delete(p.queue, i, i+1)
		if next.settle() {
			p.idle, p.busy[w] = p.idle[:len(p.idle)-1], next.nested
			next.reply <- borrowed{worker: w}
		}
	}
	p.replenish(c)
}

// room returns how many more workers Take may lend.
func (p *Pool) room() int {
	room := p.Max
	for _, nested := range p.busy {
		if !nested {
			room--
		}
	}
	return room
}

// wanted returns how many of the waiting runs may have a worker now.
func (p *Pool) wanted() int {
	nested := 0
	for _, b := range p.queue {
		if b.nested {
			nested++
		}
	}
	return nested + min(len(p.queue)-nested, p.room())
}

// replenish starts workers for all waiting runs and for the missing spare workers. During the
// first run after a pause it starts no spare worker, which would compete for the processors.
func (p *Pool) replenish(c *actor.Context) {
	for p.starting < p.wanted()+max(0, p.spare()-len(p.idle)) && len(p.idle)+len(p.busy)+p.starting < p.Max+p.Nested {
		p.start(c)
	}
}

// spare returns the number of idle workers to keep.
func (p *Pool) spare() int {
	if p.asleep {
		return 0
	}
	return p.Spare
}

func (p *Pool) start(c *actor.Context) {
	p.starting++
	engine, self, pool := c.Engine(), c.PID(), p.ctx
	p.Work.Go(func() {
		ctx, cancel := context.WithTimeout(pool, p.StartTime)
		defer cancel()
		w, err := p.Start(ctx)
		if err != nil {
			mailbox.Send(engine, self, started{nil, err})
			return
		}
		stop := context.AfterFunc(pool, w.Kill) // even if the actor no longer reads started
		mailbox.Send(engine, self, started{w, nil})
		<-w.Done()
		stop()
		mailbox.Send(engine, self, died{w})
	}, func(err error) { mailbox.Send(engine, self, started{nil, err}) })
}

func (p *Pool) started(c *actor.Context, m started) {
	p.starting--
	if m.err != nil {
		p.failed(c, m.err)
		return
	}
	p.lastErr, p.failures, p.confinement = nil, 0, m.worker.Confinement()
	p.rest(c, m.worker)
	p.serve(c)
}

// startTries is the number of failed starts in a row after which waiting runs get the
// error. A single start may fail because its process was killed before it was ready.
const startTries = 3

// failed starts another worker if a run waits. After startTries failures it gives up, because
// further starts would fail too. The next run tries again.
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

// refuse answers all waiting runs.
func (p *Pool) refuse(err error) {
	p.lastErr = err
	for _, b := range p.queue {
		if b.settle() {
			b.reply <- borrowed{err: &toolscript.Error{
				Kind: toolscript.Unavailable, Err: fmt.Errorf("the %s worker process could not be started: %w", p.Name, err),
			}}
		}
	}
	p.queue = nil
}

// resting is an idle worker. Its number distinguishes this idle period from later
// ones.
type resting struct {
	worker Worker
	number int
}

// rest makes w idle and schedules its end.
func (p *Pool) rest(c *actor.Context, w Worker) {
	p.idleCount++
	r := resting{w, p.idleCount}
	p.idle = append(p.idle, r)
	engine, self := c.Engine(), c.PID()
	time.AfterFunc(p.IdleTime, func() { mailbox.Send(engine, self, reap{r}) })
}

func (p *Pool) takeBack(c *actor.Context, m Return) {
	if _, busy := p.busy[m.Worker]; !busy {
		return
	}
	p.use()
	p.asleep = false
	delete(p.busy, m.Worker)
	if m.Broken || gone(m.Worker) {
		m.Worker.Kill()
	} else {
		p.rest(c, m.Worker)
	}
	p.serve(c)
}

// died replaces a worker that a run used or waits for. A worker that ended while idle
// is replaced on demand: a worker that cannot live would otherwise be started for
// ever.
func (p *Pool) died(c *actor.Context, m died) {
	p.deaths++
	_, used := p.busy[m.worker]
	delete(p.busy, m.worker)
	p.idle = slices.DeleteFunc(p.idle, func(r resting) bool { return r.worker == m.worker })
	if used || len(p.queue) > 0 {
		p.serve(c)
	}
}

// reap ends a worker that is still idle and not needed as a spare. A worker that was
// used meanwhile has another number.
func (p *Pool) reap(m reap) {
	i := slices.Index(p.idle, m.resting)
	if i < 0 || len(p.idle) <= p.spare() {
		return
	}
	p.idle = slices.Delete(p.idle, i, i+1)
	m.worker.Kill()
}

// sleep ends all workers, unless a run needs one or has just done so.
func (p *Pool) sleep() {
	if len(p.busy)+len(p.queue)+p.starting > 0 || time.Since(p.used) < p.unusedTime() {
		p.timer.Reset(p.nextLook())
		return
	}
	p.asleep = true
	for _, r := range p.idle {
		r.worker.Kill()
	}
	p.idle = nil
	if p.Unused != nil {
		p.Work.Go(p.Unused, func(error) {}) // a panic in Unused only costs memory
	}
}

func (p *Pool) state() State {
	s := State{Idle: len(p.idle), Busy: len(p.busy), Starting: p.starting, Waiting: len(p.queue), Deaths: p.deaths, Confinement: p.confinement}
	if p.lastErr != nil {
		s.LastError = p.lastErr.Error()
	}
	return s
}

func (p *Pool) end() {
	if p.stop == nil { // stopped before it began
		return
	}
	p.timer.Stop()
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
