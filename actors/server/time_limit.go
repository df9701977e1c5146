package server

import (
	"context"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// MaxCall bounds a call whose caller sets no deadline. The time limit of the server,
// which progress restarts, ends most calls long before.
const MaxCall = time.Hour

// keepsLimit is a connection whose other side applies the time limits of tool calls, because it knows when a call
// has its turn. When the time limit of a call is over, KeepsLimit asks the other side whether it still applies the
// limit. KeepsLimit returns when ctx ends.
type keepsLimit interface {
	KeepsLimit(ctx context.Context, started upstream.Started) bool
}

const (
	// confirmTime bounds one KeepsLimit.
	confirmTime = 700 * time.Millisecond
	// confirmEvery is the time until KeepsLimit is called again.
	confirmEvery = time.Second
)

// arm sets the timer, which all calls share. The timer may fire early; expire then arms it
// again. The caller holds mu.
func (f *inFlight) arm(now time.Time, after time.Duration) {
	due := now.Add(after)
	if f.timer != nil && !due.Before(f.due) {
		return
	}
	if f.timer != nil {
		f.timer.Stop()
	}
	f.timer, f.due = time.AfterFunc(after, f.expire), due
}

// expire stops the calls that have reached their time limit.
func (f *inFlight) expire() {
	f.mu.Lock()
	var late, asked []*pendingCall
	next, now := time.Duration(0), time.Now()
	for _, c := range f.calls {
		left := c.latest.Sub(now)
		if c.paused == 0 {
			left = min(left, c.ends.Sub(now))
		}
		switch {
		case left <= 0 && c.keeps != nil && c.started != nil && c.latest.After(now):
			c.ends = now.Add(MaxCall) // until confirm is done
			asked = append(asked, c)
		case left <= 0:
			late = append(late, c)
		case next == 0 || left < next:
			next = left
		}
	}
	if f.timer = nil; next > 0 {
		f.arm(now, next)
	}
	f.mu.Unlock()
	for _, c := range asked {
		go c.confirm()
	}
	for _, c := range late {
		c.stop(c.timeout())
	}
}

// confirm ends a call that has reached its time limit, unless the other side of the connection
// confirms that it applies the limit. A process that hangs does not confirm it.
func (c *pendingCall) confirm() {
	ctx, cancel := context.WithTimeout(context.Background(), confirmTime)
	defer cancel()
	kept := make(chan bool, 1)
	go func() {
		defer rescue.Ignore() // a panic counts as no confirmation
		kept <- c.keeps.KeepsLimit(ctx, c.started)
	}()
	select {
	case keeps := <-kept:
		if keeps {
			c.extend(confirmEvery)
			return
		}
	case <-ctx.Done():
	}
	c.stop(c.timeout())
}

// extend sets the end of the call to by from now.
func (c *pendingCall) extend(by time.Duration) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.ends = time.Now().Add(by)
	c.of.arm(time.Now(), by)
}

func (c *pendingCall) timeout() error {
	c.of.mu.Lock()
	started := c.started
	c.of.mu.Unlock()
	about := c.about
	about.Kind = toolscript.Timeout
	about.Err = fmt.Errorf("no answer and no progress within %s; %s%s", c.limit, toolscript.UnknownOutcome, mcpclient.Unanswered(started))
	return &about
}

// progressed restarts the time limit. It may be called from any goroutine.
func (c *pendingCall) progressed() {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.ends = time.Now().Add(c.limit)
}

// pause stops the time limit. resume restarts it from zero.
func (c *pendingCall) pause() (resume func()) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.paused++
	return func() {
		c.of.mu.Lock()
		defer c.of.mu.Unlock()
		c.paused--
		c.ends = time.Now().Add(c.limit)
		c.of.arm(time.Now(), c.limit)
	}
}
