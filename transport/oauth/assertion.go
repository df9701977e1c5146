package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// Names of RFC 7523, RFC 8693 and the identity assertion grant.
const (
	bearerGrant   = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange"
	idTokenType   = "urn:ietf:params:oauth:token-type:id_token"
	idJAGType     = "urn:ietf:params:oauth:token-type:id-jag"
)

// maxAssertion bounds the file of an assertion, in bytes.
const maxAssertion = 64 << 10

// bearerParams returns the parameters of a request for a token with the assertion of the
// configuration.
func (s *Session) bearerParams(ctx context.Context, a authority) (url.Values, error) {
	assertion, err := s.config.assertion()
	if err == nil && s.config.IDPTokenEndpoint != "" {
		assertion, err = s.exchange(ctx, a, assertion)
	}
	if err != nil {
		return nil, err
	}
	return url.Values{"grant_type": {bearerGrant}, "assertion": {string(assertion)}}, nil
}

// assertion returns the configured JWT. It reads the file for each token, because the program that
// writes the file may have renewed the JWT.
func (c Config) assertion() (Secret, error) {
	if c.AssertionFile == "" {
		return c.Assertion, nil
	}
	info, err := os.Stat(c.AssertionFile)
	if err == nil && !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		err = fmt.Errorf("%s is not a regular file", c.AssertionFile)
	}
	if err != nil {
		return "", fmt.Errorf("oauth.assertionFile: %w", err)
	}
	f, err := os.Open(c.AssertionFile)
	if err != nil {
		return "", fmt.Errorf("oauth.assertionFile: %w", err)
	}
	defer f.Close() //nolint:errcheck // the file is only read
	text, err := io.ReadAll(io.LimitReader(f, maxAssertion+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("oauth.assertionFile: %w", err)
	case len(text) > maxAssertion:
		return "", fmt.Errorf("oauth.assertionFile: %s has more than %d bytes, so it is no JWT", c.AssertionFile, maxAssertion)
	}
	jwt := strings.TrimSpace(string(text))
	if strings.Count(jwt, ".") != 2 || strings.ContainsAny(jwt, " \r\n\t") {
		return "", fmt.Errorf("oauth.assertionFile: %s contains no JWT", c.AssertionFile)
	}
	return Secret(jwt), nil
}

// exchange sends the ID token of a person to the identity provider and returns the JWT that it
// issues for an authorization server (RFC 8693).
func (s *Session) exchange(ctx context.Context, a authority, idToken Secret) (Secret, error) {
	c := s.config
	params := url.Values{
		"grant_type": {exchangeGrant}, "requested_token_type": {idJAGType}, "subject_token": {string(idToken)},
		"subject_token_type": {idTokenType}, "audience": {a.Issuer}, "resource": {a.resource},
	}
	if scope := c.Scope; scope != "" {
		params.Set("scope", scope)
	}
	request := clientcredentials.Config{
		ClientID: c.IDPClientID, ClientSecret: string(c.IDPClientSecret), TokenURL: c.IDPTokenEndpoint, AuthStyle: oauth2.AuthStyleInParams, EndpointParams: params,
	}
	if c.IDPClientSecret != "" {
		request.AuthStyle = oauth2.AuthStyleInHeader
	}
	got, err := request.Token(context.WithValue(ctx, oauth2.HTTPClient, lenient(s.client)))
	if err != nil {
		return "", fmt.Errorf("the identity provider at %s: %w", plainText(c.IDPTokenEndpoint), without(tokenError(err), params, request.ClientSecret))
	}
	if kind, _ := got.Extra("issued_token_type").(string); kind != idJAGType {
		return "", fmt.Errorf("the identity provider at %s issued a token of type %.60q, not %s", plainText(c.IDPTokenEndpoint), kind, idJAGType)
	}
	return Secret(got.AccessToken), nil
}

// checkBearer returns an error for missing or invalid values of the grant JWTBearer, and for values that only this
// grant may have.
func (c Config) checkBearer() error {
	given := c.Assertion != "" || c.AssertionFile != ""
	provider := c.IDPTokenEndpoint != "" || c.IDPClientID != "" || c.IDPClientSecret != ""
	switch {
	case c.Grant != JWTBearer && (given || provider):
		return errors.New(`oauth.assertion, oauth.assertionFile and oauth.identityProvider need oauth.grant "jwt_bearer"`)
	case c.Grant != JWTBearer:
		return nil
	case !given:
		return errors.New(`oauth.grant "jwt_bearer" needs oauth.assertion or oauth.assertionFile`)
	case c.Assertion != "" && c.AssertionFile != "":
		return errors.New("oauth.assertion and oauth.assertionFile exclude one another")
	case provider && (c.IDPTokenEndpoint == "" || c.IDPClientID == ""):
		return errors.New("oauth.identityProvider needs tokenEndpoint and clientId")
	case provider:
		if _, err := parseAddress(c.IDPTokenEndpoint); err != nil {
			return fmt.Errorf("oauth.identityProvider.tokenEndpoint: %w", err)
		}
	}
	return nil
}
