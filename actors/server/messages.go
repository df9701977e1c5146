package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Call asks the server to call one of its tools, or to fetch a resource or prompt.
// The reply arrives no later than the end of Ctx. Without a connection, the call
// waits up to Wait and then fails. If the connection ends during the call, the call
// fails. Waiting calls of several runs take turns.
type Call struct {
	Ctx     context.Context
	Wait    time.Duration    // maximum time to wait for a connection; 0 fails at once
	Run     string           // the run that makes the call; empty without a run
	ID      string           // id of the call in its run or request; only shown
	Key     string           // idempotency key, for a server of a fleet; empty if there is none
	Trace   string           // traceparent of the call; empty if there is none
	Tool    string           // name of the tool in the catalog
	Own     string           // the server's own name for the tool; "": Tool
	Checked *toolscript.Tool // the tool in the catalog that the call was checked against; nil: the actor's

	Limit time.Duration // time limit without an answer or progress; 0: that of the server
	Args  json.RawMessage

	// Left returns the time in which the call must begin; nil: no limit. Ctx may end later: the
	// run that makes the call has a limit of its own.
	Left func() time.Duration

	// Check is called before the call is handed to the connection. If it returns an error, the
	// call fails with it. Nil: no check.
	Check func() error

	Ask   func(context.Context, toolscript.Question) (toolscript.Answer, error) // nil if no user can be asked
	Fetch *toolscript.FetchRequest                                              // the request to make in place of a tool call; nil for a tool call
	Held  *budget.Held                                                          // counts the bytes of the answer; nil: the Held of Ctx
	Watch func(toolscript.Progress)                                             // receives progress; nil: the watcher of Ctx
	Reply func(json.RawMessage, error)                                          // takes the answer, once, and does not block

	Origin *toolscript.Origin // receives the fleet host of the call, and when its wait for a slot ended; may be nil

	Task  string            // id of the task that the server works on for this call; "" if there is none
	Began func(task string) // called when the server begins such a task; does not block; may be nil

	visits int           // how often the person was asked to open pages for the call
	until  time.Time     // when Wait ends; zero before the call begins to wait
	since  time.Time     // when the call began to wait for another connection; zero if it does not wait for one
	waited time.Duration // of earlier waits for another connection
	unsent bool          // a connection could not send the call: until stays
}

// due returns an error if the call has ended before it is handed to the connection. It compares
// the clock with the deadline: after a pause of the process, the timer of Ctx may fire later.
func (m *Call) due() error {
	if err := m.Ctx.Err(); err != nil {
		return mailbox.ContextError(m.Ctx)
	}
	if until, limited := m.Ctx.Deadline(); limited && !time.Now().Before(until) {
		return &toolscript.Error{Kind: toolscript.Timeout, Err: errors.New("the time of the call was over before it was sent")}
	}
	if m.Check != nil {
		return m.Check()
	}
	return nil
}

// own returns the server's own name for the tool.
func (m Call) own() string { return cmp.Or(m.Own, m.Tool) }

// Want reports that the server is needed. A server on demand connects, and a server in the
// pause before its next attempt connects at once.
type Want struct{}

// Retry makes an unconnected server connect at once and resets its backoff. It has no
// effect if the configuration does not allow the server to start.
type Retry struct{}

// Adjust sets new limits and tool filters. All other fields of the Config must be
// unchanged.
type Adjust struct{ Config upstream.Config }

// Leave says why the actor is about to be ended. Calls that have not ended fail with Why.
type Leave struct {
	Why        string
	RetryAfter time.Duration // 0: the server does not come back
}

// GetStatus requests the status of the server.
type GetStatus struct {
	Reply mailbox.Reply[toolscript.ServerStatus]
}

// Announce requests all facts again for a registry that may have missed some.
type Announce struct{}

// The actor sends itself these messages. Messages with an older generation concern an
// earlier connection and are ignored.
type (
	// starting: the start of the server's process has entered another state.
	starting struct {
		generation uint64
		state      toolscript.ServerState
	}
	// startLate: the time limit of the start is over, and the start goes on.
	startLate struct{ generation uint64 }
	connected struct {
		generation uint64
		conn       Conn
		info       upstream.Info
		tools      []toolscript.Tool
		review     Review
	}
	// recalled: the tools that an earlier gateway stored.
	recalled struct {
		tools  []toolscript.Tool
		review Review
	}
	// ended: the connection has ended, or the dial has failed.
	ended struct {
		generation uint64
		err        error
		stderr     []string
	}
	redial struct{ generation uint64 }
	// listChanged: the server's list of tools has changed.
	listChanged struct{ generation uint64 }
	listed      struct {
		generation uint64
		tools      []toolscript.Tool
		review     Review
		err        error
		unasked    bool // see Server.list
		same       bool // the list equals the previous one
	}
	// rereadDue: the list is old enough to be read again.
	rereadDue struct{ generation uint64 }
	// toolUnknown: the server does not know a tool that was called.
	toolUnknown struct{ generation uint64 }
	// pauseOver: the pause between two lists has ended.
	pauseOver struct{ generation uint64 }
	// healthDue: the next ping is due.
	healthDue struct{ generation uint64 }
	// restDue: the server may have been idle long enough to rest.
	restDue     struct{ generation uint64 }
	healthKnown struct {
		generation uint64
		answers    uint64 // requests answered before the ping
		err        error
	}
	// placeFree: a call has ended while others wait.
	placeFree struct{}
	// unreachable: the server could not be reached for a call.
	unreachable struct {
		generation uint64
		err        error
	}
	// callAbandoned: the context of a waiting call has ended.
	callAbandoned struct {
		run string
		id  uint64
	}
	// waitOver: a call has reached its maximum wait for a connection.
	waitOver struct {
		run string
		id  uint64
	}
	// notSent: a call that may wait could not be sent, because the server cannot be
	// reached.
	notSent struct {
		generation uint64 // generation of the connection that failed
		call       Call
		err        error
	}
	// pageFinished: the server says that the page of an elicitation is finished.
	pageFinished struct{ page string }
	// visited: the pages that a call had to wait for are finished.
	visited struct{ call Call }
)
