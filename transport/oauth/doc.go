// Package oauth obtains and stores the OAuth2 tokens of MCP servers over HTTP.
//
// A Session is the login at one server. Its Transport adds the access token to
// requests, renews it before it expires, and answers a 401 or 403 with a better token
// if that is possible without a person. If a person is needed, an Attempt is one run
// of the authorization code flow: a browser opens its URL, and Finish processes the
// redirect.
//
// A Store has one file per server. Other processes of the user also read and write these
// files. Only one process renews a token at a time, under a lock: a rotating refresh token
// works once, and its second use makes the authorization server end the login.
//
// The go-sdk's package oauthex parses challenges and metadata and registers clients.
// golang.org/x/oauth2 sends the requests to token endpoints. This package implements the
// flow itself and does not use the go-sdk's handler: the flow begins and ends in
// different calls, the user sees each step, and other processes need the issuer.
//
// Errors and log lines of this package contain no token, secret, code, verifier or
// state. See docs/design/network-and-logins.md.
package oauth

// CallbackPath is the path of the redirect URI, on the callback server of the command
// line and on the gateway.
const CallbackPath = "/oauth/callback"
