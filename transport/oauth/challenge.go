package oauth

import (
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// challenge is what a server asked for when it refused a request.
type challenge struct {
	metadata  string   // address of its protected resource metadata, "" when it did not say
	scopes    []string // that the request needs, nil when it did not say
	forbidden bool     // the token is good, and its scopes do not suffice
}

// challengeOf reads a refusal. ok is false for answers that no token changes: a
// 403 means that only when it says so (RFC 6750).
func challengeOf(resp *http.Response) (c challenge, ok bool) {
	if resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
		return challenge{}, false
	}
	// What cannot be parsed says nothing: a 401 is a 401 without it.
	all, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		all = nil
	}
	problem := ""
	for _, one := range all {
		if c.metadata == "" {
			c.metadata = one.Params["resource_metadata"]
		}
		if one.Scheme != "bearer" {
			continue
		}
		if c.scopes == nil {
			c.scopes = strings.Fields(one.Params["scope"])
		}
		if problem == "" {
			problem = one.Params["error"]
		}
	}
	c.forbidden = resp.StatusCode == http.StatusForbidden
	return c, !c.forbidden || problem == "insufficient_scope"
}
