package runs

import (
	"context"
	"encoding/json"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// The requests to Runs. A request with an ID is passed to that run.
type (
	// Begin starts a run. It is answered when the run's actor has started. The run
	// reports everything through Emit.
	Begin struct {
		Ctx     context.Context // the run ends with it
		Request toolscript.ExecRequest
		Emit    Emit
		Reply   mailbox.Reply[Handle]

		within *parts // see parts.within
	}

	// List returns the records of the last runs, the newest first, without calls.
	List struct {
		Reply mailbox.Reply[[]toolscript.RunRecord]
	}

	// Count returns the number of runs that have not ended.
	Count struct{ Reply mailbox.Reply[int] }

	// ListEntries returns the live runs, with their use of limits.
	ListEntries struct {
		Reply mailbox.Reply[[]toolscript.RunEntry]
	}

	// FindByCapability returns the run that has a capability.
	FindByCapability struct {
		Capability string
		Reply      mailbox.Reply[Holder]
	}

	// Get returns the record of one run.
	Get struct {
		ID    string
		Reply mailbox.Reply[toolscript.RunRecord]
	}

	// Abort ends a run. If the run has ended, Abort cancels its tasks.
	Abort struct {
		ID    string
		Reply mailbox.Reply[struct{}]
	}

	// Stdin adds a piece to the standard input of a run. It is answered when the script has
	// taken the previous piece.
	Stdin struct {
		ID    string
		Piece toolscript.StdinPiece
		Reply mailbox.Reply[struct{}]
	}

	// Answer answers an open question of a run.
	Answer struct {
		ID     string
		Answer toolscript.Answer
		Reply  mailbox.Reply[struct{}]
	}

	// GetCaller returns the function that makes tool calls under the rules of a run.
	GetCaller struct {
		ID    string
		Reply mailbox.Reply[Caller]
	}
)

// Emit receives the events of a run in order, one at a time. While it blocks, the script waits
// up to two seconds in all, and later events are kept in a file. An error means that the client
// is gone, and ends the run.
type Emit func(toolscript.Event) error

// Handle is a run that has started.
type Handle struct {
	ID   string
	Done <-chan struct{} // closed when the run has ended and the client has taken the last event or is gone
}

// Caller makes a tool call under the rules of a run. The call ends with the run.
type Caller func(context.Context, toolscript.Call) (json.RawMessage, error)

// Holder is the run that has a capability.
type Holder struct {
	Run   string            // id of the run; "" if no run has the capability
	Allow toolscript.Filter // the tools that it may call
}

// runChanged carries the new state of a run to Runs. The record has the calls only when the run has
// settled, that is, when the script and all its calls have ended.
type runChanged struct {
	at      *actor.PID
	parts   *parts
	record  toolscript.RunRecord
	used    func(*toolscript.RunEntry)
	settled bool
}
