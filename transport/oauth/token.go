package oauth

import (
	"context"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// Authentication methods of clients at a token endpoint (RFC 7591).
const (
	methodNone  = "none"
	methodPost  = "client_secret_post"
	methodBasic = "client_secret_basic"
	methodJWT   = "private_key_jwt"
)

// requestToken sends a request to the token endpoint of c. params depend on the
// grant.
//
// It uses clientcredentials.Config for every grant, because that type can send additional
// parameters: RFC 8707 requires the parameter resource in every request, and oauth2.Config cannot
// add it to a refresh.
func (s *Session) requestToken(ctx context.Context, c Credentials, params url.Values) (Token, error) {
	if _, err := parseAddress(c.TokenEndpoint); err != nil {
		return Token{}, err
	}
	if err := s.admit(c.Issuer, c); err != nil {
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
		if err := s.authenticateClient(c, params); err != nil {
			return Token{}, err
		}
	}
	client := lenient(s.client)
	if c.Token.Proof != "" {
		client = s.proofs.proving(client, c.Token.Proof)
	}
	issued := time.Now().Round(0) // without the monotonic clock, which stops while the machine sleeps
	got, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, client))
	if err != nil {
		return Token{}, without(tokenError(err), params, config.ClientSecret)
	}
	t := tokenOf(got, issued)
	t.Proof = c.Token.Proof
	return t, nil
}

// clientSecret returns the secret of a client: of its registration, or of the configuration. The
// secret of the configuration is not stored.
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

// authenticateClient adds the assertion of a client with a private key. The audience of the
// assertion is the issuer and not the token endpoint, because another authorization server could
// name that endpoint as its own (RFC 7523bis).
func (s *Session) authenticateClient(c Credentials, params url.Values) error {
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

// tokenOf converts an answer. The lifetime counts from the request, because the answer took time
// to arrive.
func tokenOf(got *oauth2.Token, issued time.Time) Token {
	t := Token{Access: Secret(got.AccessToken), Type: got.TokenType, Refresh: Secret(got.RefreshToken)}
	t.Scope, _ = got.Extra("scope").(string)
	if !got.Expiry.IsZero() {
		t.Lifetime = time.Until(got.Expiry).Round(time.Second)
		t.Expires = issued.Add(t.Lifetime)
	}
	return t
}

// without removes the sent values from an error, because an authorization server may repeat them.
func without(err error, sent url.Values, secret string) error {
	answered, ok := err.(*refusal) //nolint:errorlint // tokenError returns the type unwrapped
	if !ok {
		return err
	}
	clean := *answered
	for _, name := range []string{"code", "code_verifier", "refresh_token", "client_assertion", "assertion", "subject_token", "token", "device_code"} {
		clean = clean.without(sent.Get(name))
	}
	clean = clean.without(secret)
	return &clean
}

func (r refusal) without(secret string) refusal {
	if secret == "" {
		return r
	}
	return refusal{strings.ReplaceAll(r.code, secret, hidden), strings.ReplaceAll(r.description, secret, hidden), r.status}
}
