package approval

import (
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// Ask asks a person about a call. The request is withdrawn when Ctx ends.
type Ask struct {
	Ctx      context.Context
	Approval toolscript.Approval // ID, Since, Expires and Changed are set by the actor
	Args     string              // all arguments, see ShownArgs; those in Approval may be cut
	Pin      Pin                 // pin of the tool
	Once     bool                // no earlier approval counts, and the answer is for this request alone
	Reply    mailbox.Reply[Ticket]
}

// Ticket is the answer to Ask. Decided receives nil when the call may be made, else an
// error of kind ApprovalDenied, ApprovalTimeout or Cancelled. If other requests have to end
// first, Decided is nil, and Queued receives the Ticket later. If both are nil, the call was
// approved before.
type Ticket struct {
	Approval toolscript.Approval
	Decided  <-chan error
	Queued   mailbox.Reply[Ticket]
}

// List returns the requests that wait, the oldest first.
type List struct {
	Reply mailbox.Reply[[]toolscript.Approval]
}

// Get returns a request that waits, with all of its arguments.
type Get struct {
	ID    string
	Reply mailbox.Reply[toolscript.Approval]
}

// Count returns the number of requests that wait.
type Count struct{ Reply mailbox.Reply[int] }

// Answer answers a request. Approver says that the sender has proved to be a person; the answer then needs no code.
type Answer struct {
	ID       string
	Answer   toolscript.ApprovalAnswer
	Approver bool
	Reply    mailbox.Reply[struct{}]
}

// Show shows a request with its code in another place.
type Show struct {
	ID    string
	Show  func(a toolscript.Approval, code string)
	Reply mailbox.Reply[struct{}]
}

// Messages from the actor to itself.
type (
	withdrawn struct{ id string }
	expired   struct{ id string }
	left      struct{ call *queued } // the context of the call has ended
	turn      struct{}               // it may be the turn of a waiting call
)
