package login

import (
	"context"
	"net/url"

	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/transport/oauth"
)

// Begin starts a flow for a server. The answer is the authorization URL.
type Begin struct {
	Ctx      context.Context
	Session  *oauth.Session
	Redirect string // redirect URI
	Reply    mailbox.Reply[string]
}

// Finish ends a flow with the query of a redirect. The answer is the name of the server, ""
// for an unknown state.
type Finish struct {
	Ctx   context.Context
	Query url.Values
	Reply mailbox.Reply[string]
}

// Messages from the actor to itself.
type (
	begun   struct{ attempt *oauth.Attempt }
	expired struct{ attempt *oauth.Attempt }
)
