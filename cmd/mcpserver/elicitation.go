package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolscript/toolscript"
)

// await waits for the end of the run, and puts the questions of MCP servers, and calls
// that wait for an approval, to the client. Before MCP 2026-07-28 a question is a request to the client. From that
// version on it is a result that asks for input, and the client sends the call again.
func (s *script) await(ctx context.Context) (*mcp.CallToolResult, error) {
	for {
		select {
		case <-s.done:
			return s.close(), nil
		case <-ctx.Done():
			s.cancel()
			<-s.done
			return nil, context.Cause(ctx)
		case q := <-s.questions:
			if q.approval != nil && !s.waits(ctx, q.approval.ID) {
				continue
			}
			if server.IsModernRequest(ctx) {
				return s.pause(q), nil
			}
			go s.ask(ctx, q)
		}
	}
}

// close returns the result of a run that has ended.
func (s *script) close() *mcp.CallToolResult {
	s.cancel()
	r := s.result()
	answer := mcp.NewToolResultStructuredOnly(r)
	answer.IsError = !r.OK
	return answer
}

// ask sends a question as a request to the client.
func (s *script) ask(ctx context.Context, q question) {
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
	return mcp.ElicitationParams{Message: q.Server + " asks: " + q.Message, RequestedSchema: q.Schema}
}

// reply passes an answer to the run. Without one the question is cancelled, and a call
// still waits for its approval.
func (s *script) reply(q question, reply *mcp.ElicitationResult) {
	if q.approval != nil {
		s.answer(*q.approval, reply)
		return
	}
	answer := toolscript.Answer{ID: q.ID, Action: toolscript.Cancel}
	if reply != nil {
		answer.Action = string(reply.Action)
		if content, err := json.Marshal(reply.Content); err == nil && answer.Action == toolscript.Accept {
			answer.Content = content
		}
	}
	_ = s.gateway.ReplyRun(s.ctx, q.runID, answer) // the run may have ended meanwhile
}

// paused holds the runs that wait for the client to send its call again.
type paused struct {
	mu   sync.Mutex
	runs map[string]waiting // by run id, which is the state of the request
}

type waiting struct {
	*script
	question question
	expire   *time.Timer
}

// limit is how long a paused run waits for its client.
func (q question) limit() time.Duration {
	if q.approval == nil {
		return toolscript.AskLimit
	}
	return max(toolscript.AskLimit, time.Until(q.approval.Expires))
}

// pause returns a result that asks for input, and keeps the run for the next request.
// A run whose client does not return is cancelled.
func (s *script) pause(q question) *mcp.CallToolResult {
	s.paused.mu.Lock()
	defer s.paused.mu.Unlock()
	if s.paused.runs == nil {
		s.paused.runs = map[string]waiting{}
	}
	s.paused.runs[q.runID] = waiting{s, q, time.AfterFunc(q.limit(), func() {
		if _, here := s.paused.take(q.runID); here {
			s.cancel()
		}
	})}
	return server.NewInputRequestBuilder(q.runID).Elicit(q.ID, parameters(q)).ToolResult()
}

func (p *paused) take(runID string) (waiting, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w, ok := p.runs[runID]
	delete(p.runs, runID)
	return w, ok
}

// resume continues a paused run with the answer in the request.
func (e *entrance) resume(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	w, ok := e.paused.take(request.Params.RequestState)
	if !ok {
		return mcp.NewToolResultError("no run waits for this answer; it has ended"), nil
	}
	w.expire.Stop()
	w.reply(w.question, server.ElicitationResponse(request.Params.InputResponses, w.question.ID))
	return w.await(ctx)
}

// maxClient bounds the name of a client, in bytes.
const maxClient = 200

// clientOf is what the client says that it is.
func clientOf(ctx context.Context) string {
	name := "mcp"
	session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	if !ok {
		return name
	}
	if info := session.GetClientInfo(); info.Name != "" {
		name += " " + info.Name + " " + info.Version
	}
	return strings.ToValidUTF8(name[:min(len(name), maxClient)], "")
}

// canElicit reports whether the client can put questions to a person. From MCP
// 2026-07-28 on each request says so.
func canElicit(ctx context.Context) bool {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		return info.ClientCapabilities.Elicitation != nil
	}
	session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	return ok && session.GetClientCapabilities().Elicitation != nil
}
