// Package audit records runs and calls. Any goroutine can add lines to a Log without blocking. They wait in a
// bounded queue, and an actor writes them. Lines that do not fit are dropped, and a line of the audit has their
// number.
//
// The lines are a chain in files. Each line has the hash of the previous line, even across files, and the hash of
// the last line is kept in a separate file, the head. So Verify detects any line that was changed, removed or
// inserted.
//
// All processes of a user write one chain, one at a time under a file lock. A line is complete when its newline is
// written. The head is written after the lines, so after a kill the files may have lines that the head does not
// have, and never the other way round.
package audit

import (
	"log/slog"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

const (
	// linger is how long a line waits for others, so that all are written together.
	linger = 25 * time.Millisecond
	// again is the time until the next attempt after an error, such as a full disk.
	again = 2 * time.Second
	// complain is the shortest time between two log lines about errors.
	complain = time.Minute
)

// Audit is the state of the actor; only Receive touches it.
type Audit struct {
	log        *Log
	work       *mailbox.Group
	post       func(message any)
	timer      *time.Timer
	pending    bool // the timer runs
	complained time.Time
}

// The messages of the actor to itself.
type (
	woken struct{}
	due   struct{}
	wrote struct{ err error }
)

// New returns the producer of the actor. work counts its goroutines.
func New(log *Log, work *mailbox.Group) actor.Producer {
	return func() actor.Receiver { return &Audit{log: log, work: work} }
}

// Receive handles one message.
func (a *Audit) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		a.start(c)
	case woken:
		a.later(linger)
	case due:
		a.pending = false
		a.write()
	case wrote:
		a.wrote(m.err)
	case actor.Stopped:
		a.stop()
	}
}

func (a *Audit) start(c *actor.Context) {
	engine, self := c.Engine(), c.PID()
	a.post = func(message any) { mailbox.Send(engine, self, message) }
	a.log.attend(func() { mailbox.Send(engine, self, woken{}) })
}

func (a *Audit) later(d time.Duration) {
	if a.pending {
		return
	}
	post := a.post
	a.pending = true
	a.timer = time.AfterFunc(d, func() { post(due{}) })
}

// write writes in a goroutine, which waits for an earlier write.
func (a *Audit) write() {
	post, log := a.post, a.log
	a.work.Go(func() { post(wrote{log.write()}) }, func(err error) { post(wrote{err}) })
}

// wrote tries again after an error, and reports the first error of a minute.
func (a *Audit) wrote(err error) {
	if err == nil {
		return
	}
	a.later(again)
	if now := time.Now(); now.Sub(a.complained) >= complain {
		a.complained = now
		mailbox.LogFailure(a.log.options.Logger, slog.LevelWarn, "audit not written; calls go on, and the lines wait", err,
			slog.Int64("dropped", a.log.lost.Load()))
	}
}

// stop ends the timer. Log.Close writes the waiting lines.
func (a *Audit) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}
