// Package oauth obtains and stores the OAuth2 tokens of MCP servers over HTTP.
//
// A Session is the login at one server. Its Transport adds the access token to
// requests, renews it before it expires, and answers a 401 or 403 with a better token
// if that is possible without a person. If a person is needed, an Attempt is one run
// of the authorization code flow: a browser opens its URL, and Finish processes the
// redirect.
//
// A Store has one file per server, which other processes of the user read and write
// too. Only one process renews a token at a time, under a lock: a rotating refresh
// token works once, and its second use makes the authorization server end the login.
//
// The go-sdk's oauthex package parses challenges and metadata and registers clients.
// golang.org/x/oauth2 sends the requests to token endpoints. The flow itself is
// implemented here, and not with the go-sdk's handler, because its start and its end
// are in different places, each step is shown to the user, and its issuer is stored
// for other processes.
//
// Errors and log lines of this package contain no token, secret, code, verifier or
// state. See docs/design/network-and-logins.md.
package oauth

// CallbackPath is the path of the redirect URI, on the callback server of the command
// line and on the gateway.
const CallbackPath = "/oauth/callback"
