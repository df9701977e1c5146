package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// revokeTime is the time limit of the requests at a logout. A logout must not wait long for an
// unreachable server.
const revokeTime = 15 * time.Second

// Ended is the result of a logout.
type Ended struct {
	Found     bool  // the server had credentials
	Revoked   bool  // the tokens are revoked
	Unrevoked error // why the tokens may still be valid; nil if Revoked, or if there were no tokens
}

var errNoRevocation = errors.New("the authorization server has no revocation endpoint")

// Forget ends the login. It revokes the tokens at the authorization server (RFC
// 7009), if possible, and then deletes the credentials, even if revocation fails.
func (s *Session) Forget(ctx context.Context) (Ended, error) {
	unlock, err := s.store.Lock(ctx, s.name)
	if err != nil {
		return Ended{}, err
	}
	defer unlock()
	var e Ended
	if known, err := s.current(); err != nil {
		e.Unrevoked = err
	} else if known.Token.Access != "" {
		e.Unrevoked = s.revoke(ctx, known)
		e.Revoked = e.Unrevoked == nil
	}
	e.Found, err = s.store.Delete(s.name)
	return e, err
}

// revoke revokes the refresh token, and then the access token. Together with a refresh token, most
// authorization servers also revoke its access tokens.
func (s *Session) revoke(ctx context.Context, known Credentials) error {
	ctx, cancel := context.WithTimeout(ctx, revokeTime)
	defer cancel()
	if err := s.admit(known.Issuer, known); err != nil { // before the first request
		return err
	}
	endpoint, err := s.revocationEndpoint(ctx, known.Issuer)
	if err != nil {
		return err
	}
	var unsupported error
	for _, token := range []struct {
		hint  string
		value Secret
	}{{"refresh_token", known.Token.Refresh}, {"access_token", known.Token.Access}} {
		if token.value == "" {
			continue
		}
		err := s.revokeToken(ctx, endpoint, known, url.Values{"token": {string(token.value)}, "token_type_hint": {token.hint}})
		var refused *refusal
		switch {
		case errors.As(err, &refused) && refused.code == "unsupported_token_type":
			unsupported = err // self-contained access tokens cannot be revoked, and expire soon
		case err != nil:
			return err
		}
	}
	if known.Token.Refresh != "" {
		return nil
	}
	return unsupported
}

// revocationEndpoint discovers the endpoint. The endpoint is not stored with a login, because the
// authorization server may have added it later.
func (s *Session) revocationEndpoint(ctx context.Context, issuer string) (string, error) {
	meta, err := s.authorizationServer(ctx, issuer)
	if err != nil {
		return "", err
	}
	if meta == nil || meta.RevocationEndpoint == "" {
		return "", errNoRevocation
	}
	return meta.RevocationEndpoint, nil
}

// revokeToken sends one request of RFC 7009, as the client of the token.
func (s *Session) revokeToken(ctx context.Context, endpoint string, known Credentials, params url.Values) error {
	if known.Client.AuthMethod != methodBasic {
		params.Set("client_id", known.Client.ID)
	}
	req, err := s.authenticated(ctx, endpoint, known, params)
	if err != nil {
		return err
	}
	resp, err := s.client.Do(req) //nolint:gosec // the guard of the client restricts the addresses
	if err != nil {
		return printable(err)
	}
	defer discard(resp)
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	return without(revocationError(resp), params, string(s.clientSecret(known.Client)))
}

// revocationError returns the error in an answer of the endpoint.
func revocationError(resp *http.Response) error {
	var answered struct {
		Code        string `json:"error"`
		Description string `json:"error_description"`
	}
	err := json.NewDecoder(io.LimitReader(resp.Body, maxDocument)).Decode(&answered)
	if err != nil || answered.Code == "" || resp.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("the authorization server answers %s", printableText(resp.Status))
	}
	return &refusal{answered.Code, answered.Description, resp.StatusCode}
}
