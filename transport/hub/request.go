package hub

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/hub/wire"
)

// request is a request that the hub has not answered.
type request struct {
	link   *link
	number uint64
	begun  time.Time
	about  toolscript.Error
	ctx    context.Context //nolint:containedctx // for the memory of the answer
	lease  *budget.Lease   // counts the bytes of the answer; may be nil
	done   func(payload []byte, err error)

	// Only for calls; each may be nil.
	progress func(toolscript.Progress)
	ask      func(wire.Question)
	outgoing *wire.Outgoing // arguments that are sent in pieces

	// Mainly for fleets. subject, hub, missed and beat are guarded by link.mu.
	subject string             // subject that the request is sent to
	origin  *toolscript.Origin // receives the host of the hub; may be nil
	hub     string             // the id of the hub that has the request; empty if none is known
	route   *route             // chooses the hub; nil: subject is fixed
	late    bool               // the hub answers it even while the hub is ending

	// send sends the request to subject, without blocking. It is called with link.mu held, so
	// that the end of the request and the message Settled are sent after it.
	send   func()
	missed int  // how often the hub has said that it does not have the request
	beat   bool // the request is a beat

	heard bool // the hub has sent an event; used by the goroutine of the link
	large bool // the hub has announced an answer in pieces; used by the goroutine of the link

	mu       sync.Mutex
	incoming *wire.Incoming // nil before the memory was taken
	stops    []func()       // functions that are called when the request ends
	ended    bool
}

// received handles an event of the request. It returns false for events of offers.
func (r *request) received(event string, payload []byte) bool {
	switch event {
	case wire.Done:
		r.finish(payload, nil)
	case wire.Failed:
		r.finish(nil, wire.DecodeError(payload, r.about))
	case wire.Large:
		r.expect(payload)
	case wire.Part:
		r.piece(payload)
	case wire.Room:
		if n, err := strconv.Atoi(string(payload)); err == nil && r.outgoing != nil {
			go r.outgoing.Room(n) // writing may block
		}
	case wire.Progress:
		var p toolscript.Progress
		if r.progress != nil && json.Unmarshal(payload, &p) == nil {
			r.progress(p)
		}
	case wire.Ask:
		var q wire.Question
		if r.ask != nil && json.Unmarshal(payload, &q) == nil {
			r.ask(q)
		}
	default:
		return false
	}
	return true
}

// tell sends a message about the request to the hub that has it. In a fleet, it sends nothing
// while no hub has taken the request; taken then cancels the request.
func (r *request) tell(verb string, payload []byte) {
	if hub := r.taker(); hub != "" || !r.link.options.fleet {
		r.link.tell(verb, hub, r.number, payload)
	}
}

// taker returns the id of the hub that has taken the request; empty if no hub is known, and
// outside of a fleet.
func (r *request) taker() string {
	r.link.mu.Lock()
	defer r.link.mu.Unlock()
	return r.hub
}

// credit tells the hub that the gateway has room for n more pieces of the answer.
func (r *request) credit(n int) { r.tell(wire.Credit, []byte(strconv.Itoa(n))) }

// expect makes room for an answer in pieces.
func (r *request) expect(payload []byte) {
	size, err := strconv.Atoi(string(payload))
	if err != nil || size <= 0 || size > wire.MaxPayload || r.large {
		r.broken()
		return
	}
	r.large = true
	ctx, cancel := context.WithCancel(r.ctx)
	r.whenOver(cancel)
	r.whenOver(r.keepAnswer())
	in := wire.NewIncoming(size, r.link.flowOf(r.taker()), func() { r.credit(1) })
	r.whenOver(in.Stop)
	go func() { // taking the memory may block
		if err := r.lease.Take(ctx, size); err != nil {
			r.tell(wire.Drop, nil)
			r.finish(nil, toolscript.WithSent(named(err, r.about), toolscript.SentYes)) // there is an answer
			return
		}
		r.mu.Lock()
		r.incoming = in
		r.mu.Unlock()
		in.Start()
	}()
}

// keepInterval is the time between two messages of keepAnswer. It is shorter than the time for which a hub keeps an
// answer that its gateway does not ask for.
const keepInterval = 10 * time.Second

// keepAnswer makes the hub keep the answer until stop is called: the answer may have to wait for
// memory, or for other answers on a slow connection.
func (r *request) keepAnswer() (stop func()) {
	over := make(chan struct{})
	go func() {
		tick := time.NewTicker(keepInterval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				r.credit(0)
			case <-over:
				return
			}
		}
	}()
	return func() { close(over) }
}

func (r *request) piece(payload []byte) {
	r.mu.Lock()
	in := r.incoming
	r.mu.Unlock()
	if in == nil {
		r.broken()
		return
	}
	switch complete, err := in.Add(payload); {
	case err != nil:
		r.broken()
	case complete:
		r.finish(in.Payload(), nil)
	}
}

// broken ends a request whose answer does not follow the protocol.
func (r *request) broken() {
	about := r.about
	about.Kind, about.Sent, about.Err = toolscript.Internal, toolscript.SentYes, errors.New("the answer of the hub cannot be read")
	r.tell(wire.Drop, nil)
	r.finish(nil, &about)
}

// finish ends the request, unless it has already ended.
func (r *request) finish(payload []byte, err error) {
	if r.link.take(r.number) {
		r.end(payload, err)
	}
}

// end is called once, by the goroutine that has removed the request from the link.
func (r *request) end(payload []byte, err error) {
	r.over()
	r.done(payload, err)
}

// over releases the resources of the request.
func (r *request) over() {
	r.mu.Lock()
	stops := r.stops
	r.stops, r.ended = nil, true
	r.mu.Unlock()
	for _, stop := range stops {
		stop()
	}
	if r.outgoing != nil {
		r.outgoing.Stop()
	}
}

// whenOver calls stop at the end of the request.
func (r *request) whenOver(stop func()) {
	r.mu.Lock()
	ended := r.ended
	if !ended {
		r.stops = append(r.stops, stop)
	}
	r.mu.Unlock()
	if ended {
		stop()
	}
}
