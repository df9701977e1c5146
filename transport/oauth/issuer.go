package oauth

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
)

// IssuerError reports that an MCP server names an authorization server that must not get the
// credentials. No request was sent to that authorization server.
type IssuerError struct {
	Server   string
	Found    string // the issuer that the MCP server names
	Expected string
	Pinned   bool // a person has confirmed Expected at the first login; otherwise it is oauth.issuer
}

func (e *IssuerError) Error() string {
	text := fmt.Sprintf("%s names the authorization server %s, ", e.Server, plainText(e.Found))
	if !e.Pinned {
		return text + fmt.Sprintf("and oauth.issuer is %s: no credentials were sent", plainText(e.Expected))
	}
	return text + fmt.Sprintf("and the one confirmed for its credentials is %s: none were sent; if the change is right, run: %s, and log in again",
		plainText(e.Expected), toolscript.Command("auth", "logout", e.Server))
}

// sameIssuer reports whether two issuers are equal by the rules of RFC 8414. It ignores a slash at the end.
func sameIssuer(a, b string) bool {
	return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/")
}

// hasSecret reports whether the client authenticates with data that another authorization server
// could abuse. This includes assertions that are signed with a private key, because they are
// valid for minutes.
func (c Config) hasSecret() bool {
	return c.ClientSecret != "" || c.PrivateKey != "" || c.Grant == JWTBearer
}

// admit returns an error if an authorization server must not get the client's credentials. The MCP
// server chooses the issuer, so for a client with a secret, the configuration or a person must
// have confirmed it.
func (s *Session) admit(issuer string, known Credentials) error {
	if s.config.Issuer == "" && !s.config.hasSecret() {
		return nil
	}
	switch expected := s.expected(known); {
	case expected == "":
		return &toolscript.Error{Kind: toolscript.Unauthorized, Server: s.name, Err: &LoginError{Server: s.name, Issuer: issuer}}
	case !sameIssuer(expected, issuer):
		return &toolscript.Error{Kind: toolscript.Invalid, Server: s.name, Err: &IssuerError{
			Server: s.name, Found: issuer, Expected: expected, Pinned: s.config.Issuer == "",
		}}
	}
	return nil
}

// expected returns the configured issuer, or else the confirmed one.
func (s *Session) expected(known Credentials) string {
	return cmp.Or(s.config.Issuer, known.Confirmed)
}

// choose selects one of the authorization servers that an MCP server names.
func (s *Session) choose(named []string) string {
	known, err := s.current()
	if err != nil {
		return named[0]
	}
	expected := s.expected(known)
	if at := slices.IndexFunc(named, func(issuer string) bool { return sameIssuer(issuer, expected) }); at >= 0 {
		return named[at]
	}
	return named[0]
}

// NeedsConfirmation reports whether the client has a secret for which no issuer is configured or
// confirmed.
func (s *Session) NeedsConfirmation() bool {
	known, err := s.current()
	return err == nil && s.config.hasSecret() && s.expected(known) == ""
}

// Confirm stores that a person has confirmed an issuer. Afterwards only this issuer may get the
// client's secret.
func (s *Session) Confirm(ctx context.Context, issuer string) error {
	if _, err := parseAddress(issuer); err != nil {
		return fmt.Errorf("the issuer: %w", err)
	}
	unlock, err := s.store.Lock(ctx, s.name)
	if err != nil {
		return err
	}
	defer unlock()
	known, err := s.current()
	if err != nil {
		return err
	}
	known.Confirmed = issuer
	return s.keep(known)
}

// confirmed asks a person to confirm an issuer, with Options.Confirm if that is set.
func (s *Session) confirmed(issuer string, known *Credentials) error {
	err := s.admit(issuer, *known)
	if err == nil || s.confirm == nil || s.expected(*known) != "" || !s.confirm(issuer) {
		return err
	}
	known.Confirmed = issuer
	s.remember(*known)
	return nil
}
