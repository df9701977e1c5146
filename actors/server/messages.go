package server

import (
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// Call asks the server to run one of its tools, or for what else it offers. It is answered at the latest
// when Ctx ends, and at once when the connection is down or breaks. Where it has
// to wait for its turn, its Run takes turns with others.
type Call struct {
	Ctx   context.Context
	Run   string // whose call it is; empty for all that are of no run
	Tool  string // the server's own name
	Args  json.RawMessage
	Ask   func(context.Context, toolscript.Question) (toolscript.Answer, error) // nil: nobody can be asked
	Fetch *toolscript.Offered                                                   // not a tool but this; nil: the tool
	Reply mailbox.Reply[json.RawMessage]
}

// Want tells a server on demand that it is needed. To any other, and again, it
// says nothing.
type Want struct{}

// GetStatus asks where the connection stands.
type GetStatus struct {
	Reply mailbox.Reply[toolscript.ServerStatus]
}

// Announce asks the server to tell its facts again to a registry that may have
// missed them.
type Announce struct{}

// The messages that an actor sends itself carry the generation of the
// connection they speak of: news of an older one is dropped.
type (
	connected struct {
		generation uint64
		conn       Conn
		info       mcpclient.Info
		tools      []toolscript.Tool
	}
	// recalled: the tools of an earlier gateway's time.
	recalled struct{ tools []toolscript.Tool }
	// ended: the connection broke, or never came to be.
	ended struct {
		generation uint64
		err        error
		stderr     []string
	}
	redial struct{ generation uint64 }
	// listChanged: the tools are to be listed again.
	listChanged struct{ generation uint64 }
	listed      struct {
		generation uint64
		tools      []toolscript.Tool
		err        error
	}
	// pauseOver: the tools may be listed again.
	pauseOver struct{ generation uint64 }
	// healthDue: it is time to ask whether the server answers.
	healthDue   struct{ generation uint64 }
	healthKnown struct {
		generation uint64
		err        error
	}
	callDone struct{ id uint64 }
	// gaveUp: the caller of a call that waited is no longer there.
	gaveUp struct {
		run string
		id  uint64
	}
)
