package terminal

import (
	"fmt"
	"strings"

	"github.com/toolscript/toolscript"
)

// ApprovalTitle describes a call that waits for an approval in a few words.
func ApprovalTitle(a toolscript.Approval) string {
	if a.Pin {
		return "accept " + a.Tool + " as it is now"
	}
	from := "a call over HTTP"
	if a.Run != "" {
		from = a.Run
	}
	return from + " wants to call " + a.Tool
}

// ApprovalText describes a call that waits for an approval for a terminal.
func ApprovalText(a toolscript.Approval) string {
	if a.Pin {
		return "\ntoolscript: " + Visible(ApprovalTitle(a)) + "?\n  changed since it was pinned: " + Visible(a.Changed) + "\n"
	}
	text := "\ntoolscript: " + Visible(ApprovalTitle(a)) + "\n  arguments: " + Visible(a.Args) + "\n"
	if a.Cut > 0 {
		text += fmt.Sprintf("  %d bytes of the arguments are not shown; all of them: %s\n", a.Cut, toolscript.Command("approvals", "show", a.ID))
	}
	if a.Changed != "" {
		text += "  THE TOOL HAS CHANGED since it was approved: " + Visible(a.Changed) + "\n"
	}
	return text
}

// show is the answer that asks for all arguments.
const show = "show"

// scopes maps an answer that allows a call to its scope.
var scopes = map[string]string{
	"y": toolscript.ScopeOnce, "yes": toolscript.ScopeOnce, "r": toolscript.ScopeRun, "run": toolscript.ScopeRun,
	"s": toolscript.ScopeSession, "session": toolscript.ScopeSession, "always": toolscript.ScopeAlways,
}

// Approve asks the user about a call. whole returns the call with all of its arguments. ok
// is false if the input has ended.
func (p *Person) Approve(a toolscript.Approval, whole func() toolscript.Approval) (answer toolscript.ApprovalAnswer, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.say("%s", strings.TrimSuffix(ApprovalText(a), "\n"))
	for {
		text, ok := p.line("Allow it? [yes / run / session / always / " + show + " / no, or a reason for no] ")
		if !ok {
			return answer, false
		}
		if strings.ToLower(text) == show {
			p.say("%s", strings.TrimSuffix(ApprovalText(whole()), "\n"))
			continue
		}
		if scope, allow := scopes[strings.ToLower(text)]; allow {
			return toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow, Scope: scope}, true
		}
		switch strings.ToLower(text) {
		case "":
			continue
		case "n", "no":
			text = ""
		}
		return toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny, Reason: text}, true
	}
}

// Say shows a line.
func (p *Person) Say(text string) { p.say("toolscript: %s", OneLine(text)) }

// Code asks the user for the code of a call, which the gateway shows. A scope may follow the
// code. whole returns the call with all of its arguments. ok is false if the input has ended.
func (p *Person) Code(a toolscript.Approval, whole func() toolscript.Approval) (answer toolscript.ApprovalAnswer, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		text, ok := p.line("\n" + Visible(a.Tool) + " waits for your approval. Allow it? [the code / code run / code session / code always / " + show + " / no] ")
		if !ok {
			return answer, false
		}
		if strings.ToLower(text) == show {
			p.say("%s", strings.TrimSuffix(ApprovalText(whole()), "\n"))
			continue
		}
		code, scope, _ := strings.Cut(text, " ")
		switch strings.ToLower(code) {
		case "":
			continue
		case "n", "no":
			return toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny, Reason: strings.TrimSpace(scope)}, true
		}
		return toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow, Code: code, Scope: scopes[strings.ToLower(strings.TrimSpace(scope))]}, true
	}
}
