package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/wire"
)

// servedCall is a call of a gateway that has not been answered.
type servedCall struct {
	gateway *gateway
	server  *target
	number  uint64
	head    wire.Call
	held    budget.Held
	term    context.Context //nolint:containedctx // the term of the lease of the server; nil if it has none
	life    context.Context //nolint:containedctx // ends with the call
	end     context.CancelFunc

	hub    string // id of the hub, in a fleet
	pauses int    // number of pauses of the hub before the call could begin

	mu       sync.Mutex
	incoming *wire.Incoming    // the arguments, if they arrive in pieces
	args     []byte            // arguments of a call that waits for confirm
	asking   time.Duration     // start of that wait on the clock of the hub; 0: the call does not wait
	begun    func(cause error) // stops the call; nil before it has begun
	cause    error             // why the call was stopped
	asked    int
	asks     map[int]chan wire.Reply
}

// called handles a message to the endpoint of a server. It must not block.
func (s *shared) called(r micro.Request) {
	g, number := s.host.from(r.Subject(), r.Reply())
	if g == nil {
		return
	}
	if reason := r.Headers().Get(wire.CancelHeader); reason != "" {
		g.cancel(number, reason)
		return
	}
	head, err := wire.DecodeCall(r.Headers().Get(wire.CallHeader))
	if err != nil {
		g.answer(number, nil, &toolscript.Error{Kind: toolscript.Invalid, Err: err}, &s.target, nil)
		return
	}
	if g.uses(s.key) == nil {
		g.answer(number, nil, errNotOffered, &s.target, nil)
		return
	}
	g.called(&servedCall{server: &s.target, number: number, head: head}, r.Data())
}

// called begins a call. It must not block.
func (g *gateway) called(c *servedCall, args []byte) {
	c.gateway, c.asks = g, map[int]chan wire.Reply{}
	c.life, c.end = context.WithCancel(g.life)
	if !g.add(c) {
		c.end()
		if g.core.draining.Load() {
			g.answer(c.number, nil, errDraining, c.server, nil)
		}
		return
	}
	if c.head.Size > 0 {
		go c.receive()
		return
	}
	c.begin(args)
}

// add registers a call. It returns false if the gateway has ended, the number is in use, or the
// hub takes no more calls.
func (g *gateway) add(c *servedCall) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, taken := g.calls[c.number]; g.gone || taken || g.core.draining.Load() {
		return false
	}
	g.calls[c.number] = c
	return true
}

// take removes a call and reports whether it was there. If it was not, it must not be answered again.
func (g *gateway) take(number uint64) (*servedCall, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c, ok := g.calls[number]
	delete(g.calls, number)
	return c, ok
}

func (g *gateway) find(number uint64) *servedCall {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.calls[number]
}

// cancel ends a call whose gateway does not wait for it any more.
func (g *gateway) cancel(number uint64, reason string) {
	g.drop(number)
	if c, ok := g.take(number); ok {
		kind := toolscript.Cancelled
		if reason == string(toolscript.Timeout) {
			kind = toolscript.Timeout
		}
		c.stop(&toolscript.Error{Kind: kind, Err: errors.New(reason)})
	}
}

// begin makes the call if its gateway certainly waits for it; otherwise it asks the gateway first.
func (c *servedCall) begin(args json.RawMessage) {
	if age, young := c.gateway.ageOf(c.head); young {
		c.hand(args, age)
		return
	}
	c.confirm(args)
}

// hand makes the call, if it has not expired and the hub has the lease of the server. age is
// an upper bound of the time since the gateway has sent the call.
func (c *servedCall) hand(args json.RawMessage, age time.Duration) {
	c.pauses = c.gateway.core.pauses.count()
	switch {
	case !c.owned():
		c.fail(errNotOwner)
		return
	case c.head.Left > 0 && c.head.Left <= age:
		c.fail(errExpired)
		return
	}
	c.server.calls.Add(1)
	sc := wire.ServerCall{
		Call: c.head, Run: c.gateway.id + "/" + c.head.Run, Args: args, Held: &c.held,
		Ask: c.ask, Check: c.check, Done: c.done,
	}
	if c.head.Left > 0 {
		sc.Deadline = time.Now().Add(c.head.Left - age)
	}
	if c.head.Watch {
		sc.Watch = func(p toolscript.Progress) {
			_ = c.gateway.tellJSON(c.number, wire.Progress, p) // the gateway sees the end of the connection
		}
	}
	if c.head.Key != "" && c.gateway.core.keys != nil {
		c.once(sc)
		return
	}
	stop := c.gateway.core.servers.CallServer(c.server.name, sc)
	c.mu.Lock()
	c.begun = stop
	cause := c.cause
	c.mu.Unlock()
	if cause != nil { // stopped meanwhile
		stop(cause)
	}
}

// stop ends the call. The caller already has an error, or has ended.
func (c *servedCall) stop(cause error) {
	c.mu.Lock()
	first := c.cause == nil
	c.cause = cause
	stop := c.begun
	c.mu.Unlock()
	c.end()
	if first && stop != nil {
		stop(cause)
	}
	if stop == nil {
		c.held.Release() // it may wait for its arguments
	}
}

// done receives the result of the server.
func (c *servedCall) done(result json.RawMessage, err error) {
	c.end()
	if err != nil {
		c.server.failures.Add(1)
	}
	if _, ours := c.gateway.take(c.number); !ours {
		c.held.Release()
		return
	}
	if !c.owned() {
		result, err = nil, errLeaseLost
	}
	c.gateway.answer(c.number, result, err, c.server, c.held.Release)
}

// owned reports whether the hub may carry out the call and answer it.
func (c *servedCall) owned() bool { return c.term == nil || cluster.CheckLeases(c.term) == nil }

// receive collects arguments that arrive in pieces.
func (c *servedCall) receive() {
	err := c.gateway.core.answers.LeaseOf(&c.held).Take(c.life, c.head.Size)
	if err != nil {
		c.fail(toolscript.WithSent(err, toolscript.SentNo))
		return
	}
	in := wire.NewIncoming(c.head.Size, &c.gateway.flow, func() {
		_ = c.gateway.tell(c.number, wire.Room, []byte("1")) // the gateway sees the end of the connection
	})
	context.AfterFunc(c.life, in.Stop)
	c.mu.Lock()
	c.incoming = in
	c.mu.Unlock()
	in.Start()
}

// fail answers a call that was not made.
func (c *servedCall) fail(err error) {
	if _, ours := c.gateway.take(c.number); ours {
		c.end()
		c.gateway.answer(c.number, nil, err, c.server, c.held.Release)
	}
}

// piece handles a piece of the arguments of a call.
func (g *gateway) piece(number uint64, piece []byte) {
	c := g.find(number)
	if c == nil {
		return
	}
	c.mu.Lock()
	in := c.incoming
	c.mu.Unlock()
	complete, err := false, wire.ErrPieces
	if in != nil {
		complete, err = in.Add(piece)
	}
	switch {
	case err != nil:
		c.fail(&toolscript.Error{Kind: toolscript.Invalid, Err: err})
	case complete:
		c.mu.Lock()
		c.incoming = nil // no piece may follow
		c.mu.Unlock()
		c.begin(in.Payload())
	}
}

// ask puts a question of the server to the person behind the call, who is at the gateway.
func (c *servedCall) ask(ctx context.Context, q toolscript.Question) (toolscript.Answer, error) {
	replies := make(chan wire.Reply, 1)
	c.mu.Lock()
	c.asked++
	n := c.asked
	c.asks[n] = replies
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.asks, n)
	}()
	if err := c.gateway.tellJSON(c.number, wire.Ask, wire.Question{N: n, Message: q.Message, Schema: q.Schema, URL: q.URL}); err != nil {
		return toolscript.Answer{}, &toolscript.Error{Kind: toolscript.Internal, Err: fmt.Errorf("the question did not reach the gateway: %w", err)}
	}
	select {
	case reply := <-replies:
		if len(reply.Error) > 0 {
			return toolscript.Answer{}, wire.DecodeError(reply.Error, toolscript.Error{})
		}
		var answer toolscript.Answer
		if err := json.Unmarshal(reply.Result, &answer); err != nil {
			return answer, &toolscript.Error{Kind: toolscript.Internal, Err: errors.New("the answer of the gateway cannot be read")}
		}
		return answer, answer.Validate()
	case <-ctx.Done():
		return toolscript.Answer{}, toolscript.ContextError(ctx)
	case <-c.life.Done():
		return toolscript.Answer{}, errGone
	}
}

// answered handles the answer to a question.
func (g *gateway) answered(number uint64, payload []byte) {
	var reply wire.Reply
	c := g.find(number)
	if c == nil || json.Unmarshal(payload, &reply) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if replies := c.asks[reply.N]; replies != nil {
		delete(c.asks, reply.N)
		replies <- reply // it has room for one
	}
}
