// Package oauth gets and keeps the OAuth2 tokens of MCP servers that are
// reached over HTTP.
//
// A Session is the login at one server. Its Transport adds the access token to
// requests, renews it before it expires, and answers a 401 or 403 of the server
// with a better token where one can be had without a person. Where a person is
// needed, an Attempt is one run of the authorization code flow: its URL is
// opened in a browser, and its Finish takes what the browser was sent back with.
//
// Everything worth keeping is in a Store, one file for each server, which other
// processes of the user read and write too: a token is renewed by one of them at
// a time, under a lock, because a refresh token that rotates is good for one use
// and its second use makes the authorization server drop the login.
//
// The go-sdk's oauthex package does registration and the reading of challenges
// and of authorization server metadata, and golang.org/x/oauth2 the requests to
// token endpoints. The flow itself is here, and not the go-sdk's handler, because
// it is begun in one place and finished in another, is told to the user step by
// step, and is kept with its issuer between processes.
//
// No token, secret, code, verifier or state is in any error or log line of this
// package.
package oauth

// CallbackPath is where authorization servers send the browser back to, on the
// callback server of the command line and on the gateway.
const CallbackPath = "/oauth/callback"
