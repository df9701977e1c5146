package auth

import (
	"context"
	"net/url"

	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/transport/oauth"
)

// Begin asks for a flow at a server. The answer is the URL to open in a browser.
type Begin struct {
	Ctx      context.Context
	Session  *oauth.Session
	Redirect string // where the browser comes back to
	Reply    mailbox.Reply[string]
}

// Finish brings what a browser came back with. The answer is the server that the
// flow was for, "" when it is none of ours.
type Finish struct {
	Ctx   context.Context
	Query url.Values
	Reply mailbox.Reply[string]
}

// The messages that the actor sends itself.
type (
	begun   struct{ attempt *oauth.Attempt }
	expired struct{ attempt *oauth.Attempt }
)
