package execution

import (
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// Begin asks for a run. It is answered as soon as the run exists; the run then
// tells everything through Emit, and closes Done when it has ended and the client
// has taken the last event or is gone.
type Begin struct {
	Ctx     context.Context // the run ends with it
	Request toolscript.ExecRequest
	Emit    Emit
	Reply   mailbox.Reply[Handle]
}

// Emit takes the events of a run in order, one at a time. While it blocks, the
// script waits a moment when it has something to say, and then goes on; what it
// says is kept for later. An
// error says that nobody listens any more and ends the run.
type Emit func(toolscript.Event) error

// Handle is a run that has begun.
type Handle struct {
	ID   string
	Done <-chan struct{} // see Begin
}

// List asks for the records of the runs, the newest first, without their calls.
type List struct {
	Reply mailbox.Reply[[]toolscript.RunRecord]
}

// Get asks for the whole record of one run.
type Get struct {
	ID    string
	Reply mailbox.Reply[toolscript.RunRecord]
}

// Abort ends one run, and of one that has ended the tasks that are still under way.
type Abort struct {
	ID    string
	Reply mailbox.Reply[struct{}]
}

// Stdin gives a run the next piece of standard input.
type Stdin struct {
	ID    string
	Piece toolscript.StdinPiece
	Reply mailbox.Reply[struct{}]
}

// Door asks for the way by which calls come in that are made with the capability
// of a run.
type Door struct {
	ID    string // of the run
	Reply mailbox.Reply[OutsideCall]
}

// OutsideCall makes a tool call under the rules of a run, and ends with it.
type OutsideCall func(context.Context, toolscript.Call) (json.RawMessage, error)

// Answer answers an open question of a run.
type Answer struct {
	ID     string
	Answer toolscript.Answer
	Reply  mailbox.Reply[struct{}]
}

// Whose asks which run holds a capability.
type Whose struct {
	Capability string
	Reply      mailbox.Reply[Holder]
}

// Holder is the run that holds a capability.
type Holder struct {
	Run   string            // its id; "" when there is none
	Allow toolscript.Filter // the tools that it may call
}

// What Runs hears of a run.
type (
	spawned struct { // its actor has been started, or could not be
		id  string
		at  mailbox.Address
		err error
	}
	gone struct { // its actor has ended
		id  string
		why error
	}
	entered struct { // a new state
		id    string
		state string
	}
	lateCall struct { // a call has ended that went on when its run had ended
		run  string
		call callEnded
	}
	ended struct { // the last word of a run
		id     string
		record toolscript.RunRecord
		end    toolscript.End
	}
)

// What the work of a run tells its actor.
type (
	callBegan struct {
		callID, tool string
		task         bool
	}
	callEnded struct {
		callBegan
		ok   bool
		kind toolscript.Kind
		ms   float64
	}
	finished struct{ end toolscript.End }
)

// describe asks a run for its record as it stands.
type describe struct {
	reply mailbox.Reply[toolscript.RunRecord]
}
