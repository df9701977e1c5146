package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolscript/toolscript"
)

// await waits for the end of the run, and sends questions of MCP servers, and calls that
// wait for an approval, to the client. Before MCP 2026-07-28 a question is a request to the
// client. From that version on it is a result that asks for input, and the client sends the
// call again. After limit, await returns that the run is in progress; 0 means no limit.
func (s *script) await(ctx context.Context, meta *mcp.Meta, limit time.Duration) (*mcp.CallToolResult, error) {
	defer s.notifying(ctx, meta)()
	var bound <-chan time.Time
	if limit > 0 {
		bound = time.After(limit)
	}
	for {
		select {
		case <-s.done:
			return s.close(), nil
		case <-ctx.Done():
			s.cancel()
			<-s.done
			return nil, context.Cause(ctx)
		case <-bound:
			if result := s.leave(); result != nil {
				return result, nil
			}
			bound = time.After(silence)
		case q := <-s.questions:
			if q.approval != nil && !s.waits(ctx, q.approval.ID) {
				continue
			}
			if server.IsModernRequest(ctx) {
				return s.pause(q), nil
			}
			s.asking.Add(1)
			go s.ask(ctx, q)
		}
	}
}

// close returns the result of an ended run.
func (s *script) close() *mcp.CallToolResult {
	s.cancel()
	r := s.result()
	answer := &mcp.CallToolResult{StructuredContent: r, IsError: !r.OK}
	for _, m := range s.media {
		answer.Content = append(answer.Content, contentOf(m))
	}
	return answer
}

// ask sends a question as a request to the client.
func (s *script) ask(ctx context.Context, q question) {
	defer s.asking.Add(-1)
	reply, err := s.server.RequestElicitation(ctx, mcp.ElicitationRequest{Params: parameters(q)})
	if err != nil {
		reply = nil // the question is cancelled
	}
	s.reply(q, reply)
}

func parameters(q question) mcp.ElicitationParams {
	if q.approval != nil {
		return q.approval.form()
	}
	if q.URL != "" {
		return q.page()
	}
	return mcp.ElicitationParams{Message: again(q.refused) + q.Server + " asks: " + q.Message, RequestedSchema: q.flat().Schema()}
}

// flat returns the form of a question without nested objects, which MCP does not allow in forms.
func (q question) flat() *toolscript.FlatForm {
	form, err := toolscript.NewFlatForm(q.Schema)
	if err != nil {
		return &toolscript.FlatForm{} // the gateway passes no such question on
	}
	return form
}

// again returns the beginning of a form after an answer was refused.
func again(refused string) string {
	if refused == "" {
		return ""
	}
	return "The last answer was not accepted: " + refused + "\n"
}

// reply passes an answer to the run. Without an answer, a question is cancelled, but a call
// still waits for its approval. If the answer does not fit the form, the client gets the
// form once more: clients without forms accept every question without an answer.
func (s *script) reply(q question, reply *mcp.ElicitationResult) {
	if q.approval != nil {
		s.answer(*q.approval, reply)
		return
	}
	answer := toolscript.Answer{ID: q.ID, Action: toolscript.Cancel}
	if reply != nil {
		answer.Action = string(reply.Action)
		if content, err := json.Marshal(reply.Content); err == nil && answer.Action == toolscript.Accept && q.URL == "" {
			answer.Content = content
			if nested, err := q.flat().Nest(content); err == nil {
				answer.Content = nested
			}
		}
	}
	err := s.gateway.ReplyRun(s.ctx, q.runID, answer)
	switch {
	case toolscript.KindOf(err) != toolscript.Invalid: // accepted, or the run has ended
	case q.refused == "":
		q.refused = err.Error()
		s.questions <- q
	default:
		s.note(fmt.Sprintf("the question of %s was cancelled, because the answers of the client were not accepted: %v", q.Server, err))
		_ = s.gateway.ReplyRun(s.ctx, q.runID, toolscript.Answer{ID: q.ID, Action: toolscript.Cancel}) // the run may have ended meanwhile
	}
}

// limit returns how long a run waits for the answer to a question.
func (q question) limit() time.Duration {
	if q.approval == nil {
		return toolscript.AskLimit
	}
	return max(toolscript.AskLimit, time.Until(q.approval.Expires))
}

// pause returns a result that asks for input, and keeps the run for the next request.
func (s *script) pause(q question) *mcp.CallToolResult {
	s.paused.keep(q.runID, s, &q, q.limit())
	return server.NewInputRequestBuilder(q.runID).Elicit(q.ID, parameters(q)).ToolResult()
}

// resume continues a paused run with the answer in the request.
func (e *entrance) resume(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	w, ok := e.paused.take(request.Params.RequestState, true)
	if !ok {
		return mcp.NewToolResultError("no run waits for this answer; it has ended"), nil
	}
	w.reply(*w.question, server.ElicitationResponse(request.Params.InputResponses, w.question.ID))
	return w.await(ctx, request.Params.Meta, patienceOf(ctx, request.Params.Meta))
}

// clientOf returns the name and version that the client reports, for the audit.
func clientOf(ctx context.Context) string {
	var v visitor
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.ClientInfo != nil && info.ClientInfo.Name != "" {
		v.MCPClient = clientIn(*info.ClientInfo)
	} else if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		v.MCPClient = clientIn(session.GetClientInfo())
	}
	return v.auditName()
}

// canElicit reports whether the client can have a person fill in forms and open pages. From MCP
// 2026-07-28 on, each request says so. Without a mode, a client means forms.
func canElicit(ctx context.Context) (forms, pages bool) {
	var can *mcp.ElicitationCapability
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		can = info.ClientCapabilities.Elicitation
	} else if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		can = session.GetClientCapabilities().Elicitation
	}
	if can == nil {
		return false, false
	}
	return can.Form != nil || can.URL == nil, can.URL != nil
}

// pageID returns the id of a page that the client is asked to open. It contains the id of the run, because questions
// of several runs may have the same id.
func (q question) pageID() string { return q.runID + "." + q.ID }

// page returns the elicitation of a page. The client shows the address and asks for consent.
func (q question) page() mcp.ElicitationParams {
	return mcp.ElicitationParams{Mode: mcp.ElicitationModeURL, Message: q.Server + " asks: " + q.Message, URL: q.URL, ElicitationID: q.pageID()}
}

// finished tells the client that a page is finished. From MCP 2026-07-28 on, there is no such notification.
func (s *script) finished(q question) {
	if s.ctx == nil || server.IsModernRequest(s.ctx) {
		return
	}
	session := server.ClientSessionFromContext(s.ctx)
	_ = s.server.SendElicitationComplete(s.ctx, session, q.pageID()) // a client that has left needs no notification
}
