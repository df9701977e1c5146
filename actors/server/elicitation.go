package server

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
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
	errNoForm    = refusal("only questions whose form has plain fields are supported")
)

func refusal(why string) error {
	return &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New(why)}
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
	if err != nil {
		refuse(err)
		return
	}
	question, err := parseQuestion(m.params)
	if err != nil {
		refuse(err)
		return
	}
	question.Server = s.Name
	s.Work.Go(func() {
		ctx, done := underWay(m.ctx, calls)
		defer done()
		answer, err := calls[0].call.Ask(ctx, question)
		if err != nil {
			refuse(err)
			return
		}
		result, err := json.Marshal(map[string]any{"action": answer.Action, "content": content(answer)})
		m.reply.Send(result, err)
	}, func(err error) { m.reply.Send(nil, err) })
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
		undo = append(undo, c.pause())
		c.whenOver(func() {
			if left.Add(-1) == 0 {
				cancel()
			}
		})
	}
	return ctx, func() {
		for _, f := range undo {
			f()
		}
	}
}

func parseQuestion(params json.RawMessage) (toolscript.Question, error) {
	var p struct {
		Mode            string          `json:"mode"`
		Message         string          `json:"message"`
		RequestedSchema json.RawMessage `json:"requestedSchema"`
	}
	if json.Unmarshal(params, &p) != nil || (p.Mode != "" && p.Mode != "form") {
		return toolscript.Question{}, errNoForm
	}
	var schema struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	if json.Unmarshal(p.RequestedSchema, &schema) != nil {
		return toolscript.Question{}, errNoForm
	}
	for _, property := range schema.Properties {
		if property.Type == "object" {
			return toolscript.Question{}, errNoForm
		}
	}
	return toolscript.Question{Message: p.Message, Schema: p.RequestedSchema}, nil
}

// content returns the content of an accepted answer, otherwise an empty object.
func content(a toolscript.Answer) json.RawMessage {
	if a.Action != toolscript.Accept || len(a.Content) == 0 {
		return json.RawMessage(`{}`)
	}
	return a.Content
}
