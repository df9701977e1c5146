package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/transport/upstream"
)

// callKey is the context key of a call's id. Streamable HTTP passes this context to
// an elicitation that arrives in the response to the call.
type callKey struct{}

// elicited is an elicitation of the server.
type elicited struct {
	generation uint64
	ctx        context.Context //nolint:containedctx // the context of the elicitation
	params     json.RawMessage
	reply      mailbox.Reply[json.RawMessage]
}

// Reasons to refuse an elicitation.
var (
	errNoCall    = refusal("the question belongs to no call in flight")
	errAmbiguous = refusal("calls of several runs are in flight, and the question does not name its call")
	errNoClient  = refusal("the question cannot be shown: the call was not made by a script whose client answers questions")
)

func refusal(why string) error {
	return &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New(why)}
}

// withLink adds the page of a question to the reason why it is refused, so that a person can open it.
func withLink(err error, q toolscript.Question) error {
	if q.URL == "" {
		return err
	}
	return refusal(err.Error() + "; " + q.Link())
}

// elicit forwards an elicitation to the user of the call that it belongs to.
func (k *connLoop) elicit(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, toolscript.AskLimit)
	defer cancel()
	return mailbox.Await(ctx, func(r mailbox.Reply[json.RawMessage]) {
		k.post(elicited{k.generation, ctx, params, r})
	})
}

// elicited asks the user in a separate goroutine. The time limits of the calls that the
// elicitation may belong to are paused until the answer. The calls learn why it is refused.
func (s *Server) elicited(m elicited) {
	calls, err := s.candidateCalls(m)
	refuse := func(err error) {
		for _, c := range calls {
			c.call.Origin.SetRefused(err.Error())
		}
		m.reply.Send(nil, err)
	}
	question, unfit := upstream.ParseQuestion(m.params)
	if err = cmp.Or(err, unfit); err != nil {
		refuse(withLink(err, question))
		return
	}
	question.Server = s.Name
	finished, leave := s.pages.enter(question.Page)
	question.Finished = finished
	s.Work.Go(func() {
		ctx, done := underWay(m.ctx, calls)
		defer done()
		answer, err := askPage(ctx, question, calls[0].call.Ask)
		if err == nil && answer.Action == toolscript.Accept {
			calls[0].whenOver(leave) // until then the server may report the page as finished
		} else {
			leave()
		}
		if err != nil {
			refuse(withLink(err, question))
			return
		}
		result, err := json.Marshal(resultOf(question, answer))
		m.reply.Send(result, err)
	}, func(err error) {
		leave()
		m.reply.Send(nil, err)
	})
}

// candidateCalls returns the calls that an elicitation may belong to: the call whose response
// contained it, otherwise all calls in flight. It returns an error if the calls do not belong to
// one run whose client answers questions.
func (s *Server) candidateCalls(m elicited) ([]*pendingCall, error) {
	if m.generation != s.generation {
		return nil, errNoCall
	}
	var found []*pendingCall
	id, known := m.ctx.Value(callKey{}).(uint64)
	for _, c := range s.calls.all() {
		if !known || c.id == id {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return nil, errNoCall
	}
	for _, c := range found {
		switch {
		case c.call.Run != found[0].call.Run:
			return found, errAmbiguous
		case c.call.Ask == nil:
			return found, errNoClient
		}
	}
	return found, nil
}

// underWay returns a context that ends when the last of the calls ends. It pauses the time
// limits of the calls until done is called.
func underWay(ctx context.Context, calls []*pendingCall) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	left := new(atomic.Int64)
	left.Store(int64(len(calls)))
	undo := []func(){cancel}
	for _, c := range calls {
		undo = append(undo, c.pause(), c.whenOver(func() {
			if left.Add(-1) == 0 {
				cancel()
			}
		}))
	}
	return ctx, func() {
		for _, f := range undo {
			f()
		}
	}
}

// resultOf returns the result of an elicitation. The result for a page has no content.
func resultOf(q toolscript.Question, a toolscript.Answer) map[string]any {
	if q.URL != "" {
		return map[string]any{"action": a.Action}
	}
	return map[string]any{"action": a.Action, "content": content(a)}
}

// content returns the content of an accepted answer, otherwise an empty object.
func content(a toolscript.Answer) json.RawMessage {
	if a.Action != toolscript.Accept || len(a.Content) == 0 {
		return json.RawMessage(`{}`)
	}
	return a.Content
}

// Value implements context.Context.
func (c *pendingCall) Value(key any) any {
	if key == (callKey{}) {
		return c.id
	}
	return c.Context.Value(key)
}
