package oauth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"
)

// Attempt is one run of the authorization code flow. It is good for one Finish.
type Attempt struct {
	session   *Session
	authority authority
	client    Client
	redirect  string
	scopes    []string
	state     Secret
	verifier  Secret
	url       string
	used      atomic.Bool
}

// The errors of Finish before anything is asked of the authorization server.
var (
	ErrState = errors.New("invalid or expired authorization attempt: the state is missing or another one")
	ErrCode  = errors.New("the authorization server sent no code")
)

// DeniedError is what the authorization server says instead of giving a code.
type DeniedError struct{ Code, Description string }

func (e *DeniedError) Error() string { return (&refusal{e.Code, e.Description}).Error() }

// Begin finds out what the server asks for and prepares a flow that comes back
// to redirect. The error says what is wrong with the server's OAuth2, or with the
// configuration.
func (s *Session) Begin(ctx context.Context, redirect string) (*Attempt, error) {
	s.mu.Lock()
	asked := s.asked
	s.mu.Unlock()
	if asked != nil {
		return s.begin(ctx, asked.challenge, redirect)
	}
	c, err := s.probe(ctx)
	if err != nil {
		return nil, err
	}
	return s.begin(ctx, c, redirect)
}

// probe asks the server for its challenge.
func (s *Session) probe(ctx context.Context) (challenge, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url.String(), strings.NewReader("{}"))
	if err != nil {
		return challenge{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := s.client.Do(req) //nolint:gosec // the client's guard is what keeps requests where they may go
	if err != nil {
		return challenge{}, printable(err)
	}
	discard(resp)
	c, _ := challengeOf(resp)
	return c, nil
}

func (s *Session) begin(ctx context.Context, c challenge, redirect string) (*Attempt, error) {
	s.progress(Discovering)
	known, err := s.current()
	if err != nil {
		return nil, err
	}
	a, err := s.discover(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDiscovery, err)
	}
	s.log.Info("oauth flow", slog.String("grant", s.config.String()), slog.String("issuer", plainText(a.Issuer)))
	client, err := s.clientFor(ctx, a, known, redirect)
	switch {
	case err != nil && a.assumed:
		return nil, fmt.Errorf("%w: nothing describes its authorization server, and there is none where old ones are", ErrDiscovery)
	case err != nil:
		return nil, err
	}
	s.log.Info("oauth client", slog.String("source", client.Source))
	t := &Attempt{
		session: s, authority: a, client: client, redirect: redirect,
		scopes: s.scopes(a, c, known), state: newState(), verifier: Secret(oauth2.GenerateVerifier()),
	}
	return t, t.prepare()
}

// ErrDiscovery is wrapped by the errors of Begin that tell of a server whose
// OAuth2 cannot be used.
var ErrDiscovery = errors.New("server does not support OAuth2 or is misconfigured")

// newState is 256 random bits.
func newState() Secret {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: the process ends when the system has no randomness
	return Secret(base64.RawURLEncoding.EncodeToString(b[:]))
}

// prepare makes the URL: code, PKCE with S256, state and the resource.
func (t *Attempt) prepare() error {
	config := oauth2.Config{
		ClientID: t.client.ID, RedirectURL: t.redirect, Scopes: t.scopes,
		Endpoint: oauth2.Endpoint{AuthURL: t.authority.AuthorizationEndpoint},
	}
	options := []oauth2.AuthCodeOption{
		oauth2.S256ChallengeOption(string(t.verifier)),
		oauth2.SetAuthURLParam("resource", t.authority.resource),
	}
	if slices.Contains(t.scopes, offlineAccess) { // OpenID Connect Core 11 wants it with that scope
		options = append(options, oauth2.SetAuthURLParam("prompt", "consent"))
	}
	t.url = config.AuthCodeURL(string(t.state), options...)
	if _, err := parseAddress(t.authority.AuthorizationEndpoint); err != nil {
		return fmt.Errorf("the authorization_endpoint: %w", err)
	}
	return nil
}

// URL is where a person agrees. It holds the state: it may be shown to that
// person and to nobody else.
func (t *Attempt) URL() string { return t.url }

// State finds the attempt that a redirect belongs to.
func (t *Attempt) State() Secret { return t.state }

// Server is whose login it is.
func (t *Attempt) Server() string { return t.session.name }

// Redirect is where the browser comes back to.
func (t *Attempt) Redirect() string { return t.redirect }

// Check reports what is wrong with the query of a redirect, before any use of it:
// ErrState, a *DeniedError, ErrCode, or an issuer that is not the one asked.
func (t *Attempt) Check(query url.Values) error {
	got := query.Get("state")
	if len(query["state"]) != 1 || subtle.ConstantTimeCompare([]byte(got), []byte(t.state)) != 1 {
		return ErrState
	}
	// RFC 9207: an issuer that is there must be the one that was asked, and must
	// be there when the metadata say so. Without this, one authorization server
	// can have the code of another.
	switch iss := query.Get("iss"); {
	case iss == "" && t.authority.AuthorizationResponseIssParameterSupported:
		return errors.New("the redirect does not say which authorization server it is from (iss)")
	case iss != "" && iss != t.authority.Issuer:
		return errors.New("the redirect is from another authorization server than the one that was asked (iss)")
	}
	if code := query.Get("error"); code != "" {
		return &DeniedError{code, query.Get("error_description")}
	}
	if query.Get("code") == "" {
		return ErrCode
	}
	return nil
}

// Finish takes the query that the browser came back with, trades the code for
// tokens and stores them. It goes on when ctx ends.
func (t *Attempt) Finish(ctx context.Context, query url.Values) error {
	if err := t.Check(query); err != nil {
		t.session.log.Debug("oauth callback refused", slog.String("error", err.Error()))
		return err
	}
	if t.used.Swap(true) {
		return ErrState
	}
	s := t.session
	s.log.Debug("oauth callback accepted")
	s.progress(Exchanging)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTime)
	defer cancel()
	next := Credentials{
		Issuer: t.authority.Issuer, TokenEndpoint: t.authority.TokenEndpoint,
		Resource: t.authority.resource, Client: t.client,
	}
	token, err := s.requestToken(ctx, next, url.Values{
		"grant_type": {AuthorizationCode}, "code": {query.Get("code")},
		"code_verifier": {string(t.verifier)}, "redirect_uri": {t.redirect},
	})
	if err != nil {
		s.log.Error("oauth failed; run: toolscript auth "+quoted(s.name), slog.String("error", err.Error()))
		return fmt.Errorf("exchange the authorization code: %w", err)
	}
	if token.Scope == "" {
		token.Scope = strings.Join(t.scopes, " ")
	}
	next.Token, next.Login = token, time.Now()
	return t.store(ctx, next)
}

func (t *Attempt) store(ctx context.Context, next Credentials) error {
	s := t.session
	unlock, err := s.store.Lock(ctx, s.name)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.keep(next); err != nil {
		return fmt.Errorf("store the tokens: %w", err)
	}
	s.log.Info("oauth login complete", slog.Bool("refreshable", next.Token.Refresh != ""))
	return nil
}
