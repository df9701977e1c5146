package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

// A call can be old when a hub receives it: messages wait in the network, and in the socket of a
// hub that was stopped. Its caller may already have an error, so the hub must not carry it out.
// The clocks of gateway and hub differ, but they run at the same rate: one exchange tells a hub
// the clock of a gateway, and with it the age of each call. A call that is not certainly young
// begins after its gateway has confirmed that it still waits.
const (
	// young, plus the duration of the exchange, is the maximum age of a call that begins without
	// confirmation. The sum is less than the time after which a gateway gives up a hub that does
	// not answer.
	young = 500 * time.Millisecond

	// exchange is the maximum duration of an exchange that is used to read the clock of a gateway.
	exchange = 2 * time.Second

	// sightingAge is how long a sighting is used, because the rates of clocks differ slightly.
	sightingAge = 10 * time.Minute
)

// sighting is a reading of the clock of a gateway. The zero value means that there is none.
type sighting struct {
	asked, heard time.Duration // on the clock of the hub
	shown        time.Duration // on the clock of the gateway, between asked and heard
}

// age returns the most time that can have passed since sent, which is on the clock of the gateway.
func (s sighting) age(sent, now time.Duration) time.Duration { return now - s.asked - (sent - s.shown) }

// ageOf returns an upper bound of the age of a call, and whether its gateway certainly waits for it.
func (g *gateway) ageOf(head wire.Call) (age time.Duration, isYoung bool) {
	now := cluster.Uptime()
	g.mu.Lock()
	s := g.known
	g.mu.Unlock()
	if s == (sighting{}) || now-s.heard > sightingAge {
		return 0, false
	}
	age = s.age(head.Sent, now)
	// The age is negative if a clock was set back, together with its machine.
	return age, age >= 0 && age <= young+s.heard-s.asked && (head.Left == 0 || age < head.Left)
}

// confirm asks the gateway whether it still waits for the call.
func (c *servedCall) confirm(args []byte) {
	asked := cluster.Uptime()
	c.mu.Lock()
	c.args, c.asking = args, asked
	c.mu.Unlock()
	_ = c.gateway.tellJSON(c.number, wire.Confirm, wire.Confirmation{Hub: c.hub, Asked: asked}) // the gateway sees the end of the connection
}

// confirmAgain repeats a question that was not answered: it may have been lost.
func (c *servedCall) confirmAgain() {
	c.mu.Lock()
	waits := c.asking != 0 && cluster.Uptime()-c.asking > exchange
	args := c.args
	c.mu.Unlock()
	if waits {
		c.confirm(args)
	}
}

// confirmed handles the answer to confirm.
func (g *gateway) confirmed(number uint64, payload []byte) {
	var answer wire.Confirmed
	c := g.find(number)
	if c == nil || json.Unmarshal(payload, &answer) != nil {
		return
	}
	if answer.Over {
		g.cancel(number, string(toolscript.Cancelled))
		return
	}
	c.mu.Lock()
	args, asked := c.args, c.asking
	if asked == 0 || asked != answer.Asked { // it has begun, or was asked again
		c.mu.Unlock()
		return
	}
	c.args, c.asking = nil, 0
	c.mu.Unlock()
	s := sighting{asked: asked, heard: cluster.Uptime(), shown: answer.Clock}
	if s.heard-s.asked > exchange { // the answer, too, may be old
		c.confirm(args)
		return
	}
	g.mu.Lock()
	g.known = s
	g.mu.Unlock()
	c.hand(args, max(s.age(c.head.Sent, s.heard), 0))
}

// pauseLimit is how long the process may be stopped while a call waits in the hub. It is less
// than the time after which a gateway gives up a hub that does not answer.
const pauseLimit = 3 * time.Second

// pauseTick is the time between two readings of the clock.
const pauseTick = time.Second

var (
	errPaused = &toolscript.Error{Kind: toolscript.Unavailable, Sent: toolscript.SentNo, RetryAfter: time.Second, Err: fmt.Errorf(
		"%w: the hub was stopped or suspended while the call waited; the call was not carried out", upstream.ErrUnreachable)}
	errExpired = &toolscript.Error{Kind: toolscript.Timeout, Sent: toolscript.SentNo, Err: errors.New(
		"the time of the call was over when it reached the hub; the call was not carried out")}
)

// check returns an error if the call must no longer be sent to its server.
func (c *servedCall) check() error {
	if !c.owned() {
		return errNotOwner
	}
	if c.gateway.core.pauses.count() != c.pauses {
		return errPaused
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cause
}

// pauses counts the times that the process was stopped, or the machine suspended.
type pauses struct {
	mu   sync.Mutex
	last time.Duration
	n    int
}

// count returns the number of pauses so far.
func (p *pauses) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := cluster.Uptime()
	if p.last != 0 && now-p.last > pauseLimit {
		p.n++
	}
	p.last = now
	return p.n
}

// watchPauses reads the clock until the hub ends. A longer time between two readings is a pause.
func (c *core) watchPauses() {
	tick := time.NewTicker(pauseTick)
	defer tick.Stop()
	for known := 0; ; {
		select {
		case <-tick.C:
		case <-c.closing.Done():
			return
		}
		if n := c.pauses.count(); n != known {
			known = n
			c.log.Warn("the hub was stopped, or the machine suspended; calls that have waited meanwhile are not carried out")
			if c.resumed != nil {
				c.resumed()
			}
		}
	}
}
