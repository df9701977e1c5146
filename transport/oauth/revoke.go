package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// revokeTime bounds what the authorization server is asked at a logout, which
// must not wait long for a server that is gone.
const revokeTime = 15 * time.Second

// Ended is what became of a login that was forgotten.
type Ended struct {
	Found     bool  // there was something to forget
	Revoked   bool  // the authorization server has ended the tokens
	Unrevoked error // why it may not have; nil when Revoked, and when there were no tokens
}

var errNoRevocation = errors.New("the authorization server has no revocation endpoint")

// Forget ends the login: at the authorization server, where that can be asked
// (RFC 7009), and then here, where it removes all that is stored of the server.
// That the first fails does not keep it from the second.
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

// revoke ends the refresh token, with which most authorization servers end the
// access tokens that came of it, and the access token.
func (s *Session) revoke(ctx context.Context, known Credentials) error {
	ctx, cancel := context.WithTimeout(ctx, revokeTime)
	defer cancel()
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
			unsupported = err // access tokens that nobody looks up cannot be ended, and are short-lived
		case err != nil:
			return err
		}
	}
	if known.Token.Refresh != "" {
		return nil
	}
	return unsupported
}

// revocationEndpoint is asked for when it is needed: a login may be older than
// the endpoint.
func (s *Session) revocationEndpoint(ctx context.Context, issuer string) (string, error) {
	if issuer == "" { // of the program's first version
		return "", errNoRevocation
	}
	meta, err := s.authorizationServer(ctx, issuer)
	if err != nil {
		return "", err
	}
	if meta == nil || meta.RevocationEndpoint == "" {
		return "", errNoRevocation
	}
	return meta.RevocationEndpoint, nil
}

// revokeToken makes one request of RFC 7009, as the client that the token was
// given to.
func (s *Session) revokeToken(ctx context.Context, endpoint string, known Credentials, params url.Values) error {
	if known.Client.AuthMethod == methodJWT {
		if err := s.vouch(known, params); err != nil {
			return err
		}
	}
	secret := string(s.clientSecret(known.Client))
	if known.Client.AuthMethod != methodBasic {
		params.Set("client_id", known.Client.ID)
		if secret != "" {
			params.Set("client_secret", secret)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(params.Encode()))
	if err != nil {
		return errors.New("the revocation endpoint is not a URL")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if known.Client.AuthMethod == methodBasic {
		req.SetBasicAuth(url.QueryEscape(known.Client.ID), url.QueryEscape(secret)) // RFC 6749 2.3.1
	}
	resp, err := s.client.Do(req) //nolint:gosec // the client's guard is what keeps requests where they may go
	if err != nil {
		return printable(err)
	}
	defer discard(resp)
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	return without(revocationError(resp), params, secret)
}

// revocationError is the answer of an endpoint that has not revoked a token.
func revocationError(resp *http.Response) error {
	var answered struct {
		Code        string `json:"error"`
		Description string `json:"error_description"`
	}
	err := json.NewDecoder(io.LimitReader(resp.Body, maxDocument)).Decode(&answered)
	if err != nil || answered.Code == "" || resp.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("the authorization server answers %s", printableText(resp.Status))
	}
	return &refusal{answered.Code, answered.Description}
}
