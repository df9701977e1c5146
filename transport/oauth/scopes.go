package oauth

import (
	"slices"
	"strings"
)

const offlineAccess = "offline_access"

// scopes returns the scopes to request: the configured scopes and the scopes of the challenge. If
// there are neither, it returns all scopes that the MCP server supports. To the scopes of a
// challenge it adds those of an earlier token, so that the new token does not lack them.
func (s *Session) scopes(a authority, c challenge, known Credentials) []string {
	wanted := strings.Fields(s.config.Scope)
	asked := slices.Concat(c.scopes, known.Wanted)
	if len(wanted) == 0 && len(asked) == 0 {
		wanted = slices.Clone(a.scopes)
	}
	wanted = append(wanted, asked...)
	if known.Issuer == a.Issuer && len(asked) > 0 {
		wanted = append(wanted, strings.Fields(known.Token.Scope)...)
	}
	// Some authorization servers give no refresh token without it.
	if !s.config.Machine() && slices.Contains(a.ScopesSupported, offlineAccess) {
		wanted = append(wanted, offlineAccess)
	}
	return distinct(wanted)
}

// distinct removes duplicates.
func distinct(all []string) []string {
	var out []string
	for _, one := range all {
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}

// lacks reports whether a token lacks one of the scopes, as far as is known.
func lacks(t Token, scopes []string) bool {
	has := strings.Fields(t.Scope)
	return slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(has, scope) })
}
