package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

// hubCall is a call in flight.
type hubCall struct {
	*request

	conn *base
	done func(json.RawMessage, error)
}

// Start begins a call without waiting for the answer. The errors are those of
// mcpclient.Conn.Start, and those of the queue of the hub.
func (c *base) Start(t upstream.ToolCall) upstream.Started {
	head := wire.Call{Tool: t.Tool, Run: t.Run, Trace: t.Trace, Limit: t.Limit, Left: left(t.Ctx), Watch: t.Progress != nil || t.Watch != nil}
	if c.link.options.fleet {
		head.Key = t.Key
	}
	args := t.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	k := &hubCall{conn: c, done: t.Done, request: &request{about: c.about(t.Tool), ctx: t.Ctx, origin: t.Origin}}
	if t.Held != nil {
		k.lease = c.link.options.Answers.LeaseOf(t.Held)
	} else {
		k.lease = c.link.options.Answers.Lease(t.Ctx)
	}
	watch := t.Watch
	if watch == nil {
		watch = upstream.WatcherOf(t.Ctx)
	}
	k.start(head, args, t.Progress, watch)
	return k
}

// Fetch requests resources or prompts. The errors are those of mcpclient.Conn.Fetch.
func (c *base) Fetch(ctx context.Context, o toolscript.FetchRequest, progress func()) (json.RawMessage, error) {
	if toolscript.IsAnnouncement(o.ID) { // the hub does not pass them on: its connection belongs to all gateways
		about := c.about("")
		about.Kind, about.Err = toolscript.NotFound, fmt.Errorf("%w subscriptions, because it is shared", upstream.ErrNoCapability)
		return nil, &about
	}
	type answer struct {
		result json.RawMessage
		err    error
	}
	ctx, release := budget.Ensure(ctx)
	defer release()
	answers := make(chan answer, 1)
	k := &hubCall{
		conn: c, done: func(result json.RawMessage, err error) { answers <- answer{result, err} },
		request: &request{about: c.about(""), ctx: ctx, origin: o.Origin, lease: c.link.options.Answers.Lease(ctx)},
	}
	k.start(wire.Call{Fetch: wire.FetchOf(o), Run: o.Run, Left: left(ctx), Watch: progress != nil}, nil, progress, nil)
	var a answer
	select {
	case a = <-answers:
	case <-ctx.Done():
		k.Cancel(ctx.Err().Error(), named(toolscript.ContextError(ctx), c.about("")))
		a = <-answers
	}
	if a.err != nil || o.Collection() == "" {
		return a.result, a.err
	}
	return c.page(o.Collection(), a.result)
}

// page sets the gateway's name for the server in the entries of a page, in place of the hub's.
func (c *base) page(of toolscript.Collection, result json.RawMessage) (json.RawMessage, error) {
	if c.offered.Server == c.name {
		return result, nil
	}
	unreadable := c.about("")
	unreadable.Kind = toolscript.ToolFailed
	page := toolscript.Page{Of: of}
	if unreadable.Err = json.Unmarshal(result, &page); unreadable.Err != nil {
		return nil, &unreadable
	}
	name, _ := json.Marshal(c.name) // a string always has a JSON form
	for i, raw := range page.Entries {
		var fields map[string]json.RawMessage
		if unreadable.Err = json.Unmarshal(raw, &fields); unreadable.Err != nil {
			return nil, &unreadable
		}
		if fields == nil {
			continue
		}
		fields["server"] = name
		if page.Entries[i], unreadable.Err = json.Marshal(fields); unreadable.Err != nil {
			return nil, &unreadable
		}
	}
	for i := range page.Missing {
		page.Missing[i].Server = c.name
	}
	return json.Marshal(page)
}

// start sends the call.
func (k *hubCall) start(head wire.Call, args json.RawMessage, progress func(), watch func(toolscript.Progress)) {
	c := k.conn
	k.request.done = func(payload []byte, err error) {
		if toolscript.KindOf(err) == toolscript.NotFound && c.Err() != nil {
			err = c.over(k.about) // the hub has received the call after the release of the server
		}
		k.done(payload, err)
	}
	k.ask = k.asked
	k.progress = func(p toolscript.Progress) {
		if progress != nil {
			progress()
		}
		if watch != nil {
			watch(p)
		}
	}
	if err := c.over(k.about); err != nil {
		k.done(nil, err)
		return
	}
	if len(args) > wire.PieceSize {
		if len(args) > wire.MaxPayload {
			about := k.about
			about.Kind, about.Sent, about.Err = toolscript.TooLarge, toolscript.SentNo, errors.New("the arguments are too large")
			k.done(nil, &about)
			return
		}
		head.Size = len(args)
		k.outgoing = wire.NewOutgoing(args, func(piece []byte) error {
			return c.link.pacer.Send(func() error { return c.link.publish(c.link.names.Hub(wire.Piece, k.taker()), k.number, nil, piece) })
		}, func() {})
		args = nil
	}
	k.subject, head.Sent = c.subject, cluster.Uptime()
	if k.route = c.route; k.route != nil {
		k.direct(c.name, wire.Invoke)
	}
	k.send = func() {
		c.link.box.put(letter{
			k.subject, k.number, nats.Header{wire.CallHeader: {head.Encode()}}, args,
			func(err error) { k.finish(nil, notSent(k.about, err)) },
		})
	}
	if err := c.link.add(k.request, nil); err != nil {
		k.done(nil, notSent(k.about, err))
	}
}

// over returns the error of a call that was not carried out because the connection has
// ended; nil while it is up.
func (c *base) over(about toolscript.Error) error {
	switch err := c.Err(); {
	case err == nil:
		return nil
	case toolscript.KindOf(err) == toolscript.Unauthorized:
		return named(err, about)
	default:
		return notSent(about, reason(err))
	}
}

// reason returns the cause of an error without its server.
func reason(err error) error {
	var known *toolscript.Error
	if errors.As(err, &known) && known.Err != nil {
		return known.Err
	}
	return err
}

// Cancel implements upstream.Started.
func (k *hubCall) Cancel(why string, err error) {
	if k.link == nil {
		return // it was not sent
	}
	if !k.link.take(k.number) {
		return
	}
	switch {
	case k.link.box.withdraw(k.number):
		err = unsent(err)
	case k.link.options.fleet:
		k.tell(wire.Cancel, []byte(why))
	default:
		k.link.box.put(letter{subject: k.conn.subject, number: k.number, header: nats.Header{wire.CancelHeader: {oneLine(why)}}})
	}
	k.end(nil, err)
}

var errUnread = errors.New("the connection takes no more messages at present; the call was not sent")

// unsent returns the error of a call that was stopped before it was sent.
func unsent(err error) error {
	var known *toolscript.Error
	if !errors.As(err, &known) {
		return err
	}
	full := *known
	full.Sent, full.Err = toolscript.SentNo, errUnread
	return &full
}

// oneLine replaces line breaks and other control characters, which a header cannot contain.
func oneLine(text string) string {
	line := []rune(text)
	for i, r := range line {
		if r < ' ' {
			line[i] = ' '
		}
	}
	return string(line)
}

// asked forwards a question of the server to the person behind the call.
func (k *hubCall) asked(q wire.Question) {
	ctx, cancel := context.WithCancel(k.ctx)
	k.whenOver(cancel)
	go func() {
		defer cancel()
		reply := wire.Reply{N: q.N}
		result, err := k.elicit(ctx, q)
		if reply.Result = result; err != nil {
			reply.Error = wire.EncodeError(err, "", "")
		}
		text, err := json.Marshal(reply)
		if err != nil || len(text) > wire.PieceSize {
			failed := wire.EncodeError(&toolscript.Error{Kind: toolscript.TooLarge, Err: errors.New("the answer is too large")}, "", "")
			text, _ = json.Marshal(wire.Reply{N: q.N, Error: failed}) // such a struct always has a JSON form
		}
		k.tell(wire.Answer, text)
	}()
}

func (k *hubCall) elicit(ctx context.Context, q wire.Question) (json.RawMessage, error) {
	if k.conn.on.Elicit == nil {
		return nil, &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New("the gateway cannot ask a person")}
	}
	asked := map[string]any{"mode": "form", "message": q.Message, "requestedSchema": q.Schema}
	if q.URL != "" {
		asked = map[string]any{"mode": "url", "message": q.Message, "url": q.URL}
	}
	params, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	return k.conn.on.Elicit(ctx, params)
}
