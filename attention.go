package toolscript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Attention is a problem, with the action that solves it.
type Attention struct {
	ID       string          `json:"id"`       // id of the problem: it stays the same while the problem lasts
	Severity Severity        `json:"severity"` //
	Subject  string          `json:"subject"`  // the thing that has the problem, such as "server github"
	Problem  string          `json:"problem"`  // one sentence without a full stop
	Action   AttentionAction `json:"action"`
	Target   string          `json:"target,omitempty"` // name of the server, or id of the approval, for Action
	Command  string          `json:"command"`          // shell command that does the same as Action
	Since    *time.Time      `json:"since,omitempty"`
}

// Severity says how urgent a problem is.
type Severity string

// The severities, most urgent first.
const (
	SeverityAsk     Severity = "ask"     // a call or a tool waits for the answer of a person
	SeverityError   Severity = "error"   // something does not work
	SeverityWarning Severity = "warning" // it works, but not as configured
)

// AttentionAction is the action that solves a problem.
type AttentionAction string

// The actions. A page offers a button for an action with a request; for the others it shows Command.
const (
	ActionAnswer  AttentionAction = "answer"  // POST /approvals/{target}
	ActionLogin   AttentionAction = "login"   // POST /servers/{target}/auth
	ActionRestart AttentionAction = "restart" // POST /servers/{target}/restart
	ActionReload  AttentionAction = "reload"  // POST /reload, after the cause has been removed
	ActionCommand AttentionAction = "command" // no request: run Command
)

// stuckMs is the mailbox delay in milliseconds from which an actor counts as stuck.
const stuckMs = 10_000

// Attend returns the problems of a gateway that need attention, most urgent first. It
// reads only the Servers, Actors, Search and Warnings of the Status.
func Attend(s Status, approvals []Approval) []Attention {
	all := []Attention{}
	for _, a := range approvals {
		since := a.Since
		all = append(all, Attention{
			ID: "approval/" + a.ID, Severity: SeverityAsk, Subject: "call of " + a.Tool, Since: &since,
			Problem: "it waits for the approval of a person", Action: ActionAnswer, Target: a.ID, Command: Command("approvals", "allow", a.ID),
		})
	}
	for _, server := range s.Servers {
		if a, wrong := attendServer(server); wrong {
			all = append(all, a)
		}
		for _, change := range server.Pins {
			all = append(all, attendPin(server.Name, change))
		}
	}
	for _, actor := range s.Actors {
		if a, wrong := attendActor(actor); wrong {
			all = append(all, a)
		}
	}
	if s.Search.LastError != "" {
		all = append(all, Attention{
			ID: "search", Severity: SeverityWarning, Subject: "search",
			Problem: "tools are found by words only: " + s.Search.LastError, Action: ActionCommand, Command: "toolscript doctor",
		})
	}
	for _, warning := range s.Warnings {
		all = append(all, Attention{
			ID: "warning/" + warning, Severity: SeverityWarning, Subject: "configuration",
			Problem: warning, Action: ActionReload, Command: "toolscript gateway reload",
		})
	}
	slices.SortStableFunc(all, func(a, b Attention) int { return cmp.Compare(a.Severity.rank(), b.Severity.rank()) })
	return all
}

func (s Severity) rank() int {
	return slices.Index([]Severity{SeverityAsk, SeverityError, SeverityWarning}, s)
}

// attendServer reports the problem of a server that is neither connected nor disabled.
// A server that tries to connect again keeps its problem until it is connected.
func attendServer(s ServerStatus) (Attention, bool) {
	since := s.Since
	a := Attention{ID: "server/" + s.Name, Severity: SeverityError, Subject: "server " + s.Name, Target: s.Name, Since: &since}
	reason := ""
	if s.Error != "" {
		reason = ": " + s.Error
	}
	switch {
	case s.Disabled || s.Serves() || s.State == Stopped:
		return a, false
	case s.State == NeedsAuth:
		a.Problem, a.Action, a.Command = "it needs a login", ActionLogin, Command("auth", s.Name)
		if s.OAuthError != "" {
			a.Problem = "its last login has failed: " + s.OAuthError
		}
	case s.State == Failed && suggested(s.Error) != "":
		a.Problem, a.Action, a.Command = "not started"+reason, ActionCommand, suggested(s.Error)
	case s.State == Failed:
		a.Problem, a.Action, a.Command = "not started"+reason, ActionReload, "toolscript gateway reload"
	case s.Permanent:
		a.Problem, a.Action, a.Command = "not connected, and no other try helps before the cause is removed"+reason, ActionReload, "toolscript gateway reload"
	case s.State == Backoff || s.Error != "":
		a.Problem, a.Action, a.Command = "not connected"+reason, ActionRestart, Command("servers", "restart", s.Name)
	default: // the first attempt to connect
		return a, false
	}
	return a, true
}

// suggested returns the command at the end of the error of a server that was not started, or "" if there is
// no command or only "gateway reload". Call it only for Failed: other errors may hold texts of a server.
func suggested(text string) string {
	i := strings.LastIndex(text, ": toolscript ")
	if i < 0 {
		return ""
	}
	command, quoted := text[i+len(": "):], false
	if end := strings.IndexFunc(command, func(r rune) bool {
		quoted = quoted != (r == '\'')
		return !quoted && strings.ContainsRune(";,)\n", r)
	}); end >= 0 {
		command = command[:end]
	}
	if command == Command("gateway", "reload") {
		return ""
	}
	return command
}

// attendPin reports a tool or a server that differs from its state at first use.
func attendPin(server string, c PinChange) Attention {
	a := Attention{
		ID: "pin/" + server + "/" + c.Tool, Severity: SeverityWarning, Subject: "server " + server, Target: server, Action: ActionCommand, Command: c.Accept,
	}
	if c.Tool != "" {
		a.Subject = "tool " + Tool{Server: server, Name: c.Tool}.ID()
	}
	switch c.Kind {
	case PinNew:
		a.Problem = "it is new: the server did not have it at its first use"
	case PinUnreadable:
		a.Problem = "its pins cannot be read"
	default:
		a.Problem = "it has changed since its first use"
	}
	if len(c.Parts) > 0 {
		a.Problem += ": " + strings.Join(c.Parts, ", ")
	}
	if c.Held {
		a.Severity = SeverityAsk
		a.Problem += "; it cannot be found or called until a person accepts it"
	}
	return a
}

// attendActor reports an actor that is being restarted, or whose messages wait too long.
func attendActor(s ActorStatus) (Attention, bool) {
	since := s.Since
	a := Attention{
		ID: "actor/" + s.Name, Severity: SeverityError, Subject: "actor " + s.Name, Since: &since, Action: ActionCommand, Command: "toolscript gateway restart",
	}
	switch {
	case s.State == "restarting" && !strings.HasPrefix(s.Name, "server/"): // a server reports its own state
		a.Problem = fmt.Sprintf("it has panicked %d times and is started again: %s", s.Restarts+1, s.LastError)
	case s.MailboxMs >= stuckMs:
		a.Problem = fmt.Sprintf("it has not taken a message for %.0f s", s.MailboxMs/1000)
	default:
		return a, false
	}
	return a, true
}
