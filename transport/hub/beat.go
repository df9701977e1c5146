package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/wire"
)

const (
	// beatInterval is the time between two beats. A beat asks a hub of a fleet which of the requests in flight it
	// has. Requests that end sooner cause no beat.
	beatInterval = time.Second

	// silence is how long a hub may leave a beat or a new request unanswered while it sends
	// nothing else. The delay of the connection is not counted.
	silence = 3500 * time.Millisecond

	// mostMissed is how often a hub must report that it does not have a request before the
	// request ends. At the first report, the answer may be on its way.
	mostMissed = 2
)

// attend schedules look, if the link is to a fleet. The hub of a host needs no look: the
// connection ends with the hub. It is called with mu held.
func (l *link) attend() {
	if l.options.fleet && !l.looking {
		l.looking = true
		time.AfterFunc(beatInterval, l.look)
	}
}

// look ends the requests whose hub is silent or that no hub has taken, and sends beats for the others.
func (l *link) look() {
	now := time.Now()
	inFlight := map[string][]uint64{} // by hub
	known := map[string]bool{}
	var untaken, unanswered []*request
	doubted := map[*route]string{} // the hub that leaves a request unanswered; "" if it is not known
	delay := l.delay.measure(now, func() error { return l.nc.FlushTimeout(mostDelay) })
	l.mu.Lock()
	l.looking = false
	for number, r := range l.requests {
		known[r.hub] = true
		age := now.Sub(r.begun)
		switch {
		case r.beat && age > silence+delay && now.Sub(l.peer(r.hub).heard) > silence+delay:
			unanswered = append(unanswered, r)
		case age < beatInterval:
		case r.beat:
			if now.Sub(l.peer(r.hub).heard) > beatInterval+delay {
				l.doubted(r.hub, doubted)
			}
		case r.hub != "":
			inFlight[r.hub] = append(inFlight[r.hub], number)
		case age > silence+delay:
			untaken = append(untaken, r)
			fallthrough
		case age > beatInterval+delay:
			if r.route != nil {
				doubted[r.route] = ""
			}
		}
	}
	maps.DeleteFunc(l.peers, func(hub string, _ *peer) bool { return !known[hub] })
	if len(l.requests) > 0 {
		l.attend()
	}
	l.mu.Unlock()
	for route, hub := range doubted {
		route.doubt(hub)
	}
	for _, r := range untaken {
		l.giveUp(r, fmt.Errorf("no hub of the fleet has answered within %s", silence))
	}
	for _, r := range unanswered {
		r.finish(nil, errSilent)
	}
	for hub, numbers := range inFlight {
		l.beat(hub, numbers)
	}
}

// doubted adds the routes of the requests that a hub has taken. It is called with mu held.
func (l *link) doubted(hub string, to map[*route]string) {
	for _, r := range l.requests {
		if r.hub == hub && r.route != nil {
			to[r.route] = hub
		}
	}
}

var errSilent = fmt.Errorf("the hub has not answered for %s", silence)

// beat asks a hub which of the requests it does not have.
func (l *link) beat(hub string, numbers []uint64) {
	text, _ := json.Marshal(numbers) // numbers always have a JSON form
	r := &request{ctx: context.Background(), hub: hub, beat: true, done: func(payload []byte, err error) {
		if err != nil {
			l.loseHub(hub, err)
			return
		}
		l.miss(payload)
	}}
	if l.add(r, nil) != nil {
		return // the requests have ended
	}
	if err := l.publish(l.names.Hub(wire.Beat, hub), r.number, nil, text); err != nil {
		l.take(r.number)
	}
}

// loseHub ends the requests that a hub has taken.
func (l *link) loseHub(hub string, why error) {
	var lost []*request
	l.mu.Lock()
	for _, r := range l.requests {
		if r.hub == hub {
			lost = append(lost, r)
		}
	}
	l.mu.Unlock()
	if !errors.Is(why, errSilent) {
		why = errors.New("the hub has ended")
	}
	for _, r := range lost {
		if r.beat {
			l.take(r.number)
			continue
		}
		l.giveUp(r, why)
	}
}

// giveUp ends a request that its hub does not answer. The hub may still carry it out.
func (l *link) giveUp(r *request, why error) {
	if l.box.withdraw(r.number) {
		r.finish(nil, notSent(r.about, why))
		return
	}
	r.tell(wire.Cancel, []byte(toolscript.Cancelled))
	r.finish(nil, lostDuring(r.about, why))
}

// miss ends the requests that their hub has reported missing mostMissed times: a message was lost.
func (l *link) miss(payload []byte) {
	var numbers []uint64
	if json.Unmarshal(payload, &numbers) != nil {
		return
	}
	var lost []*request
	l.mu.Lock()
	for _, number := range numbers {
		if r := l.requests[number]; r != nil {
			if r.missed++; r.missed >= mostMissed {
				lost = append(lost, r)
			}
		}
	}
	l.mu.Unlock()
	for _, r := range lost {
		r.finish(nil, lostDuring(r.about, errors.New("the answer of the hub was lost on its way")))
	}
}

// taken records which hub has taken a request. r is nil if the request has ended meanwhile.
func (l *link) taken(r *request, number uint64, payload []byte) {
	var by wire.Taker
	if json.Unmarshal(payload, &by) != nil || !wire.ValidID(by.Hub) {
		return
	}
	if r == nil {
		l.tell(wire.Cancel, by.Hub, number, []byte(toolscript.Cancelled))
		return
	}
	r.heard = true
	r.origin.Set(by.Host)
	l.mu.Lock()
	_, waits := l.requests[number]
	r.hub = by.Hub
	l.mu.Unlock()
	if !waits { // it has ended before the hub was known
		l.tell(wire.Cancel, by.Hub, number, []byte(toolscript.Cancelled))
	}
}

// denied ends the requests whose subject the NATS server has refused.
func (l *link) denied(err error) {
	_, rest, _ := strings.Cut(err.Error(), `"`)
	subject, _, _ := strings.Cut(rest, `"`)
	if strings.HasPrefix(subject, l.names.Inbox()) {
		l.lose(fmt.Errorf("the credentials do not allow to receive %s: %w", l.names.Inbox()+">", err))
		return
	}
	var refused []*request
	l.mu.Lock()
	for _, r := range l.requests {
		if r.subject == subject {
			refused = append(refused, r)
		}
	}
	l.mu.Unlock()
	for _, r := range refused {
		about := r.about
		about.Kind, about.Sent = toolscript.Forbidden, toolscript.SentNo
		about.Err = errors.New("the credentials of the fleet do not allow requests to this server; the request was not sent")
		r.finish(nil, &about)
	}
}
