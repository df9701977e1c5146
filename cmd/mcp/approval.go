package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/terminal"
)

const (
	maxForms = 64 // forms for approvals in one run; further requests wait for an answer elsewhere
	maxTries = 5  // forms for one request; the actor of approvals also counts wrong codes
)

// Approvals are the calls of a gateway that wait for a person.
type Approvals interface {
	PendingApprovals(ctx context.Context) ([]toolscript.Approval, error)
	PendingApproval(ctx context.Context, id string) (toolscript.Approval, error)
	// AnswerApproval answers a call that waits for a person. It is called without the secret of an approver.
	AnswerApproval(ctx context.Context, id string, answer toolscript.ApprovalAnswer) error
}

// request is a call that waits for an approval.
type request struct {
	toolscript.Approval
	runID   string // run of the script
	tries   int
	refused string // why the last answer was not accepted
	empty   bool   // the form was accepted once without a decision
	page    int    // page of the arguments that the form shows; 0: their beginning and end
}

// The answers of the form.
const (
	allowOnce    = "allow once"
	allowRun     = "allow in this run"
	allowSession = "allow until the gateway ends"
	deny         = "deny"
	showMore     = "show the arguments in full, or their next page"
)

// pageBytes is the maximum length of a page of the arguments in a form.
const pageBytes = 4000

// The JSON Schema of the form, without and with a code.
var (
	formNoCode = `{"type":"object","required":["answer"],"properties":{` +
		`"answer":{"type":"string","title":"Answer","enum":["` + strings.Join([]string{allowOnce, allowRun, allowSession, deny, showMore}, `","`) + `"]},` +
		`"reason":{"type":"string","title":"Reason","description":"Of deny: the script sees it"}}}`
	formCode = strings.TrimSuffix(formNoCode, "}}") +
		`,"code":{"type":"string","title":"Code","description":"Of allow: the gateway shows it at its terminal or on the desktop"}}}`
)

// form returns the form for the person. It does not have the code: the requester may read it.
func (r request) form() mcp.ElicitationParams {
	shown := r.Approval
	if r.page > 0 {
		var pages int
		shown.Args, pages = page(r.Args, r.page)
		shown.Args = fmt.Sprintf("(page %d of %d) %s", (r.page-1)%pages+1, pages, shown.Args)
	}
	text := strings.TrimSpace(terminal.ApprovalText(shown)) + "\n  request: " + r.ID + ", until " + r.Expires.Format(time.TimeOnly)
	schema := formCode
	if r.NoCode {
		schema = formNoCode
	}
	return mcp.ElicitationParams{Message: again(r.refused) + text, RequestedSchema: json.RawMessage(schema)}
}

// page returns page n of a text, from 1, and the number of pages. After the last page, it
// starts again with the first.
func page(text string, n int) (part string, pages int) {
	var starts []int
	for at := 0; at < len(text) || at == 0; {
		starts = append(starts, at)
		at += pageBytes
		for at < len(text) && !utf8.RuneStart(text[at]) {
			at++
		}
	}
	at := (n - 1) % len(starts)
	end := len(text)
	if at+1 < len(starts) {
		end = starts[at+1]
	}
	return text[starts[at]:end], len(starts)
}

// turnPage sends the request to the client again, with the next page of its arguments.
func (s *script) turnPage(r request) {
	if r.page == 0 {
		whole, err := s.gateway.PendingApproval(s.ctx, r.ID)
		if err != nil {
			return // the request does not wait any more
		}
		r.Approval = whole
	}
	r.page++
	r.refused = ""
	s.put(r)
}

// approve sends a request to the client, unless there were too many forms.
func (s *script) approve(r request) {
	if r.tries++; r.tries > maxTries || s.forms.Add(1) > maxForms {
		return
	}
	s.put(r)
}

func (s *script) put(r request) {
	s.questions <- question{runID: r.runID, Question: toolscript.Question{ID: r.ID}, approval: &r}
}

// waits reports whether a request has no answer yet. It returns true if that is unknown.
func (s *script) waits(ctx context.Context, id string) bool {
	pending, err := s.gateway.PendingApprovals(ctx)
	return err != nil || slices.ContainsFunc(pending, func(a toolscript.Approval) bool { return a.ID == id })
}

// answer passes on the answer of a form. Without an answer, the request waits for an answer
// elsewhere. If the gateway does not accept the answer, the client gets another form.
func (s *script) answer(r request, reply *mcp.ElicitationResult) {
	answer, ok := answerOf(reply)
	if !ok && (reply == nil || reply.Action != mcp.ElicitationResponseActionAccept) {
		return
	}
	if !ok {
		if answer, ok = s.undecided(r); !ok {
			return
		}
	}
	if answer.Action == "" {
		s.turnPage(r)
		return
	}
	err := s.gateway.AnswerApproval(s.ctx, r.ID, answer)
	switch toolscript.KindOf(err) {
	case toolscript.Forbidden, toolscript.Invalid, toolscript.Busy:
		r.refused = err.Error()
		s.approve(r)
	default: // accepted, or the request has ended
	}
}

const noDecision = "it has none of the answers of the form"

// undecided handles a form that was accepted without a decision. The first time, the form is shown again. After that,
// the request waits for an answer elsewhere, or is denied if the user's file says that the person is at the client.
func (s *script) undecided(r request) (answer toolscript.ApprovalAnswer, ok bool) {
	switch {
	case !r.empty:
		r.empty, r.refused = true, noDecision
		s.approve(r)
		return answer, false
	case r.NoCode:
		return toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny, Reason: "the MCP client has accepted the form without an answer"}, true
	}
	s.note("the MCP client has accepted the form of " + r.ID + " without an answer; it waited for an answer elsewhere, such as toolscript approvals")
	return answer, false
}

// answerOf reads the form. ok is false if the person has not decided. An answer without an
// action requests another page of the arguments.
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
	if form.Answer == showMore {
		return answer, true
	}
	scope, ok := map[string]string{allowOnce: toolscript.ScopeOnce, allowRun: toolscript.ScopeRun, allowSession: toolscript.ScopeSession}[form.Answer]
	return toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow, Scope: scope, Code: strings.TrimSpace(form.Code), Client: true}, ok
}
