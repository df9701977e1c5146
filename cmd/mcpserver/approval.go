package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/elicit"
)

const (
	maxForms = 64 // for approvals, in one run; more requests wait for an answer elsewhere
	maxTries = 5  // forms for one request; the actor of approvals counts wrong codes too
)

// request is a call that waits for an approval.
type request struct {
	toolscript.Approval
	tries   int
	refused string // why the last answer was not accepted
}

// The answers of the form.
const (
	allowOnce    = "allow once"
	allowRun     = "allow in this run"
	allowSession = "allow until the gateway ends"
	deny         = "deny"
)

// formSchema is the JSON Schema of the form.
var formSchema = json.RawMessage(`{"type":"object","required":["answer"],"properties":{` +
	`"answer":{"type":"string","title":"Answer","enum":["` + strings.Join([]string{allowOnce, allowRun, allowSession, deny}, `","`) + `"]},` +
	`"reason":{"type":"string","title":"Reason","description":"Of deny: the script sees it"},` +
	`"code":{"type":"string","title":"Code","description":"Of allow: the gateway shows it at its terminal or on the desktop. ` +
	`It may be empty if approvals.confirm of ~/.toolscript.json is client"}}}`)

// form asks the person at the client. It has no code: the requester may read it.
func (r request) form() mcp.ElicitationParams {
	text := strings.TrimSpace(elicit.ApprovalText(r.Approval)) + "\n  request: " + r.ID + ", until " + r.Expires.Format(time.TimeOnly)
	if r.refused != "" {
		text = "The last answer was not accepted: " + r.refused + "\n" + text
	}
	return mcp.ElicitationParams{Message: text, RequestedSchema: formSchema}
}

// approve puts a request to the client.
func (s *script) approve(r request) {
	if r.tries++; r.tries > maxTries || s.forms.Add(1) > maxForms {
		return
	}
	s.questions <- question{runID: s.runID, Question: toolscript.Question{ID: r.ID}, approval: &r}
}

// waits reports whether a request has no answer yet.
func (s *script) waits(ctx context.Context, id string) bool {
	pending, err := s.gateway.PendingApprovals(ctx)
	return err != nil || slices.ContainsFunc(pending, func(a toolscript.Approval) bool { return a.ID == id })
}

// answer passes the answer of the form on. Without one, the request waits for an answer
// elsewhere. An answer that is not accepted leads to another form.
func (s *script) answer(r request, reply *mcp.ElicitationResult) {
	answer, ok := answerOf(reply)
	if !ok {
		return
	}
	err := s.gateway.AnswerApproval(s.ctx, r.ID, answer)
	switch toolscript.KindOf(err) {
	case toolscript.Forbidden, toolscript.Invalid:
		r.refused = err.Error()
		s.approve(r)
	default: // accepted, or the request has ended
	}
}

// answerOf reads the form. ok is false if the person has not decided.
func answerOf(reply *mcp.ElicitationResult) (answer toolscript.ApprovalAnswer, ok bool) {
	if reply == nil {
		return answer, false
	}
	switch reply.Action {
	case mcp.ElicitationResponseActionDecline:
		return toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny, Reason: "declined at the MCP client"}, true
	case mcp.ElicitationResponseActionAccept:
	default:
		return answer, false
	}
	var form struct{ Answer, Reason, Code string }
	if text, err := json.Marshal(reply.Content); err != nil || json.Unmarshal(text, &form) != nil {
		return answer, false
	}
	if form.Answer == deny {
		return toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny, Reason: form.Reason}, true
	}
	scope, ok := map[string]string{allowOnce: toolscript.ScopeOnce, allowRun: toolscript.ScopeRun, allowSession: toolscript.ScopeSession}[form.Answer]
	return toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow, Scope: scope, Code: strings.TrimSpace(form.Code), Client: true}, ok
}
