package oauth

import (
	"context"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// The ways a client shows a token endpoint who it is (RFC 7591).
const (
	methodNone  = "none"
	methodPost  = "client_secret_post"
	methodBasic = "client_secret_basic"
	methodJWT   = "private_key_jwt"
)

// requestToken asks the token endpoint of c. params are those of the grant.
//
// It is clientcredentials.Config for every grant: that one takes further
// parameters, as RFC 8707 wants one with every request, which oauth2.Config has
// no place for in a refresh.
func (s *Session) requestToken(ctx context.Context, c Credentials, params url.Values) (Token, error) {
	if _, err := parseAddress(c.TokenEndpoint); err != nil {
		return Token{}, err
	}
	if c.Resource != "" {
		params.Set("resource", c.Resource)
	}
	config := clientcredentials.Config{
		ClientID: c.Client.ID, ClientSecret: string(s.clientSecret(c.Client)),
		TokenURL: c.TokenEndpoint, AuthStyle: oauth2.AuthStyleInParams, EndpointParams: params,
	}
	switch c.Client.AuthMethod {
	case methodBasic:
		config.AuthStyle = oauth2.AuthStyleInHeader
	case methodJWT:
		if err := s.vouch(c, params); err != nil {
			return Token{}, err
		}
	}
	issued := time.Now().Round(0) // without the clock that stands still while the machine sleeps
	got, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, s.client))
	if err != nil {
		return Token{}, without(tokenError(err), params, config.ClientSecret)
	}
	return tokenOf(got, issued), nil
}

// clientSecret is that of a registration, or of the configuration, which is not
// stored.
func (s *Session) clientSecret(c Client) Secret {
	switch {
	case c.AuthMethod == methodNone || c.AuthMethod == methodJWT:
		return ""
	case c.Source == Configured:
		return s.config.ClientSecret
	default:
		return c.Secret
	}
}

// vouch adds what a client with a private key shows instead of a secret. Its
// audience is the issuer: an assertion for a token endpoint could be one that a
// second authorization server named (RFC 7523bis).
func (s *Session) vouch(c Credentials, params url.Values) error {
	key, err := newSigner(s.config)
	if err != nil {
		return err
	}
	assertion, err := key.assertion(c.Issuer)
	if err != nil {
		return err
	}
	params.Set("client_assertion_type", assertionType)
	params.Set("client_assertion", string(assertion))
	return nil
}

// tokenOf reads an answer. The life of a token counts from when it was asked
// for: the answer took its time.
func tokenOf(got *oauth2.Token, issued time.Time) Token {
	t := Token{Access: Secret(got.AccessToken), Type: got.TokenType, Refresh: Secret(got.RefreshToken)}
	t.Scope, _ = got.Extra("scope").(string)
	if !got.Expiry.IsZero() {
		t.Lifetime = time.Until(got.Expiry).Round(time.Second)
		t.Expires = issued.Add(t.Lifetime)
	}
	return t
}

// without takes what was sent out of an error, should an authorization server
// repeat it.
func without(err error, sent url.Values, secret string) error {
	answered, ok := err.(*refusal) //nolint:errorlint // tokenError made it a moment ago
	if !ok {
		return err
	}
	clean := *answered
	for _, name := range []string{"code", "code_verifier", "refresh_token", "client_assertion", "token"} {
		clean = clean.without(sent.Get(name))
	}
	clean = clean.without(secret)
	return &clean
}

func (r refusal) without(secret string) refusal {
	if secret == "" {
		return r
	}
	return refusal{strings.ReplaceAll(r.code, secret, hidden), strings.ReplaceAll(r.description, secret, hidden)}
}
