// Package api is the HTTP API of the gateway: the server, and the client of the same
// API. The server knows no actors: a Backend answers its requests. The server also
// has the operator page, and the links and sessions that give a browser access to it. See
// docs/design/gateway.md.
//
// # Access control
//
// Any web page in the user's browser can send requests to a port of this machine. So a
// request must pass these checks, in this order:
//
//   - Host names this gateway (else 403). This prevents DNS rebinding.
//   - Origin and Sec-Fetch-Site are absent or name this gateway (else 403). This refuses
//     pages of other sites and `Origin: null`. No CORS header is ever sent.
//   - The capability is the first part of the path, or the value of `Authorization:
//     Bearer` (else 404, as for an unknown route). /health needs no capability, and
//     neither does /oauth/callback: the redirect of an authorization server contains a
//     state that is valid once. For the operator page, a session replaces the capability
//     but opens only the routes below /dashboard/. The capability of a run allows only to
//     list and to call tools (else 403).
//   - A POST has Content-Type: application/json (else 415), even if its body is empty,
//     because pages may send a POST without a content type without a preflight request.
//     For standard input, application/octet-stream is accepted too.
//
// The first three checks happen when the header of a request is complete. If one fails, the
// body is not read.
//
// The capability is never logged and never part of an error.
package api
