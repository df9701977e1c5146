package oauth

import (
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// challenge holds the requirements in a refusal of a server.
type challenge struct {
	metadata  string   // URL of the protected resource metadata, "" if not specified
	scopes    []string // required scopes, nil if not specified
	forbidden bool     // the token is valid but lacks scopes
	nonce     bool     // the server wants its nonce in the proof
	bound     bool     // the server accepts only tokens that are bound to a key; see dpop.go
}

// challengeOf parses a refusal. ok is false if a token would not help. For a 403, ok is true only
// with error="insufficient_scope" (RFC 6750).
func challengeOf(resp *http.Response) (c challenge, ok bool) {
	if resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
		return challenge{}, false
	}
	// A 401 with an invalid header is treated like one without a header.
	all, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		all = nil
	}
	problem, bearer := "", false
	for _, one := range all {
		if c.metadata == "" {
			c.metadata = one.Params["resource_metadata"]
		}
		c.bound = c.bound || strings.EqualFold(one.Scheme, dpopScheme)
		bearer = bearer || one.Scheme == "bearer"
		if one.Scheme != "bearer" && !strings.EqualFold(one.Scheme, dpopScheme) {
			continue
		}
		if c.scopes == nil {
			c.scopes = strings.Fields(one.Params["scope"])
		}
		if problem == "" {
			problem = one.Params["error"]
		}
	}
	c.nonce, c.bound = problem == nonceRequired, c.bound && !bearer
	c.forbidden = resp.StatusCode == http.StatusForbidden
	return c, !c.forbidden || problem == "insufficient_scope"
}
