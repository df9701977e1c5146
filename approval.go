package toolscript

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// ApprovalAction says what the gateway does with a call before it sends it.
type ApprovalAction string

// The actions of a policy or a rule.
const (
	ApprovalAllow          ApprovalAction = "allow"
	ApprovalAsk            ApprovalAction = "ask"
	ApprovalDeny           ApprovalAction = "deny"
	ApprovalAskDestructive ApprovalAction = "ask-destructive" // ask unless the server says that the tool is harmless
)

// The values of Call.Approval: how a call was allowed or refused.
const (
	ApprovedNow     = "person"     // a person has allowed this call
	ApprovedBefore  = "remembered" // a person has allowed the tool before
	ApprovedDenied  = "denied"     // a person or the configuration has denied the call
	ApprovedTimeout = "timeout"    // no answer came in time
)

// DefaultApprovalTimeout is how long a call waits for an approval.
const DefaultApprovalTimeout = time.Minute

// ApprovalPolicy holds the approval rules of one configuration file.
type ApprovalPolicy struct {
	Default ApprovalAction // action for tools that no rule matches; "" asks for tools with RequiresApproval and allows others
	Rules   []ApprovalRule // the first matching rule decides
	Timeout time.Duration  // 0: not configured
}

// ApprovalRule sets the action for the tools that it matches.
type ApprovalRule struct {
	Match  []string // patterns of server names and tool ids, as in a Filter
	Tools  []string // entries of packs, see Tool.Is
	Action ApprovalAction
}

// Approvals holds the policies of all configuration files. If it is empty, only calls
// of tools with RequiresApproval need an approval.
type Approvals []ApprovalPolicy

// Decide returns allow, ask or deny for a tool: the strictest decision of all policies,
// so that no file can weaken another.
func (a Approvals) Decide(t Tool) ApprovalAction {
	decision := ApprovalAllow
	if len(a) == 0 {
		return ApprovalPolicy{}.decide(t)
	}
	for _, p := range a {
		switch p.decide(t) {
		case ApprovalDeny:
			return ApprovalDeny
		case ApprovalAsk:
			decision = ApprovalAsk
		default:
		}
	}
	return decision
}

// Asks reports whether a policy can ask about a tool without RequiresApproval.
func (a Approvals) Asks() bool {
	asks := func(action ApprovalAction) bool { return action == ApprovalAsk || action == ApprovalAskDestructive }
	return slices.ContainsFunc(a, func(p ApprovalPolicy) bool {
		return asks(p.Default) || slices.ContainsFunc(p.Rules, func(r ApprovalRule) bool { return asks(r.Action) })
	})
}

// Timeout returns the shortest configured timeout, or DefaultApprovalTimeout if no policy has one.
func (a Approvals) Timeout() time.Duration {
	timeout := time.Duration(0)
	for _, p := range a {
		if p.Timeout > 0 && (timeout == 0 || p.Timeout < timeout) {
			timeout = p.Timeout
		}
	}
	if timeout == 0 {
		return DefaultApprovalTimeout
	}
	return timeout
}

func (p ApprovalPolicy) decide(t Tool) ApprovalAction {
	action, id := p.Default, ""
	if len(p.Rules) > 0 {
		id = t.ID()
	}
	for _, rule := range p.Rules {
		if rule.matches(t, id) {
			action = rule.Action
			break
		}
	}
	switch {
	case action == "" && t.RequiresApproval:
		return ApprovalAsk
	case action == "":
		return ApprovalAllow
	case action != ApprovalAskDestructive:
		return action
	case t.Annotations.harmless() && !t.RequiresApproval:
		return ApprovalAllow
	default:
		return ApprovalAsk
	}
}

func (r ApprovalRule) matches(t Tool, id string) bool {
	return slices.ContainsFunc(r.Tools, t.Is) || slices.ContainsFunc(r.Match, func(pattern string) bool {
		return matchAccount(pattern, t.Server) || matchAccount(pattern, id)
	})
}

// harmless reports whether the server says that the tool destroys nothing. As in MCP, a
// tool without a hint counts as destructive.
func (a Annotations) harmless() bool {
	return a.ReadOnly != nil && *a.ReadOnly || a.Destructive != nil && !*a.Destructive
}

// Approval describes a call that waits for the approval of a person.
type Approval struct {
	ID      string    `json:"id"`
	Run     string    `json:"runId,omitempty"`  // absent for a call outside any run
	CallID  string    `json:"callId,omitempty"` // id of the call within the run
	Tool    string    `json:"tool"`             // tool id
	Args    string    `json:"args"`             // JSON; secrets are replaced by their names, and the middle of long arguments is left out
	Cut     int       `json:"cut,omitempty"`    // number of bytes left out of Args; GET /approvals/{id} returns them
	Since   time.Time `json:"since"`
	Expires time.Time `json:"expires"`
	Changed string    `json:"changed,omitempty"` // how the tool differs from the one approved earlier, or from its pin
	NoCode  bool      `json:"noCode,omitempty"`  // a person who answers at the MCP client of the run needs no code
	Pin     bool      `json:"pin,omitempty"`     // no call waits: a person is asked to accept a changed tool or server

	Terminal int  `json:"-"` // id of the process at whose terminal the code may be shown; 0 if there is none
	Asks     bool `json:"-"` // the client of the run can ask a person
}

// ApprovalAnswer answers an Approval. It is the body of POST /approvals/{id}.
type ApprovalAnswer struct {
	Action ApprovalAction `json:"action"`           // allow or deny
	Scope  string         `json:"scope,omitempty"`  // for allow: one of ApprovalScopes; "" is ScopeOnce
	Reason string         `json:"reason,omitempty"` // for deny: reason that the script sees
	Code   string         `json:"code,omitempty"`   // for allow: the code that the gateway has shown to the person
	Client bool           `json:"client,omitempty"` // a person has answered at an MCP client; the user's file may allow that without a code
}

// The values of ApprovalAnswer.Scope.
const (
	ScopeOnce    = "once"
	ScopeRun     = "run"     // calls of the tool in the same run
	ScopeSession = "session" // calls of the tool until the gateway ends
	ScopeAlways  = "always"
)

// ApprovalScopes returns the values of ApprovalAnswer.Scope.
func ApprovalScopes() []string { return []string{ScopeOnce, ScopeRun, ScopeSession, ScopeAlways} }

// maxApprovalReason is the maximum length of ApprovalAnswer.Reason in bytes.
const maxApprovalReason = 2000

// Validate returns an Invalid error for an unknown action or scope, or a reason that is too long.
func (a ApprovalAnswer) Validate() error {
	var wrong []Detail
	if a.Action != ApprovalAllow && a.Action != ApprovalDeny {
		wrong = append(wrong, Detail{"/action", fmt.Sprintf("must be %s or %s, not %.50q", ApprovalAllow, ApprovalDeny, a.Action)})
	}
	if a.Scope != "" && !slices.Contains(ApprovalScopes(), a.Scope) {
		wrong = append(wrong, Detail{"/scope", fmt.Sprintf("must be one of %s, not %.50q", strings.Join(ApprovalScopes(), ", "), a.Scope)})
	}
	if len(a.Reason) > maxApprovalReason {
		wrong = append(wrong, Detail{"/reason", fmt.Sprintf("must have at most %d bytes", maxApprovalReason)})
	}
	if len(wrong) == 0 {
		return nil
	}
	return &Error{Kind: Invalid, Err: fmt.Errorf("%s %s", strings.TrimPrefix(wrong[0].Path, "/"), wrong[0].Message), Details: wrong}
}
