package oauth

import (
	"slices"
	"strings"
)

const offlineAccess = "offline_access"

// scopes are those to ask for: those of the configuration, else those that the
// server asked for with its refusal, else all that it knows. Scopes that an
// earlier token had are asked for again with new ones, so that a step up is none
// down elsewhere.
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
	// Without it some authorization servers give no refresh token.
	if !s.config.Machine() && slices.Contains(a.ScopesSupported, offlineAccess) {
		wanted = append(wanted, offlineAccess)
	}
	return distinct(wanted)
}

// distinct keeps the first of each.
func distinct(all []string) []string {
	var out []string
	for _, one := range all {
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}

// lacks reports whether a token has not all of some scopes, as far as is known.
func lacks(t Token, scopes []string) bool {
	has := strings.Fields(t.Scope)
	return slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(has, scope) })
}
