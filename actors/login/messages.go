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

// BeginDevice starts a login on another device, and replaces an earlier BeginDevice of the same server. The answer
// has the address and the code that the person needs. Done is called when the person has logged in.
type BeginDevice struct {
	Ctx     context.Context
	Session *oauth.Session
	Done    func(server string)
	Reply   mailbox.Reply[oauth.DeviceCode]
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
