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

	"github.com/toolscript/toolscript"
)

// Attempt is one run of the authorization code flow. Finish can be called only once.
type Attempt struct {
	session   *Session
	authority authority
	client    Client
	confirmed string // the confirmed issuer, see Credentials
	redirect  string
	scopes    []string
	state     Secret
	verifier  Secret
	url       string
	used      atomic.Bool
}

// Errors of Finish before it sends a request to the authorization server.
var (
	ErrState = errors.New("invalid or expired authorization attempt: the state is missing or wrong")
	ErrCode  = errors.New("the authorization server sent no code")
)

// DeniedError is an error that the authorization server returned instead of a code.
type DeniedError struct{ Code, Description string }

func (e *DeniedError) Error() string {
	return (&refusal{code: e.Code, description: e.Description}).Error()
}

// Begin discovers the server's requirements and prepares a flow with the redirect
// URI. The error reports a problem of the server's OAuth2 or of the configuration.
func (s *Session) Begin(ctx context.Context, redirect string) (*Attempt, error) {
	c, err := s.challenged(ctx)
	if err != nil {
		return nil, err
	}
	return s.begin(ctx, c, redirect)
}

// challenged returns the challenge that the server has sent, or sends now.
func (s *Session) challenged(ctx context.Context) (challenge, error) {
	s.mu.Lock()
	asked := s.asked
	s.mu.Unlock()
	if asked != nil {
		return asked.challenge, nil
	}
	return s.probe(ctx)
}

// probe sends a request without a token, to get the challenge.
func (s *Session) probe(ctx context.Context) (challenge, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url.String(), strings.NewReader("{}"))
	if err != nil {
		return challenge{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := s.client.Do(req) //nolint:gosec // the guard of the client restricts the addresses
	if err != nil {
		return challenge{}, printable(err)
	}
	discard(resp)
	c, _ := challengeOf(resp)
	return c, nil
}

func (s *Session) begin(ctx context.Context, c challenge, redirect string) (*Attempt, error) {
	a, known, err := s.authority(ctx, c)
	if err != nil {
		return nil, err
	}
	if !a.assumed && len(a.CodeChallengeMethodsSupported) == 0 {
		return nil, fmt.Errorf("%w: the metadata of %s name no PKCE (code_challenge_methods_supported), which a login in a browser needs", ErrDiscovery, plainText(a.Issuer))
	}
	client, err := s.clientFor(ctx, a, known, redirect)
	switch {
	case err != nil && a.assumed:
		return nil, fmt.Errorf("%w: no metadata name its authorization server, and there is none at the default address", ErrDiscovery)
	case err != nil:
		return nil, err
	}
	s.log.Info("oauth client", slog.String("source", client.Source))
	t := &Attempt{
		session: s, authority: a, client: client, confirmed: known.Confirmed, redirect: redirect,
		scopes: s.scopes(a, c, known), state: newState(), verifier: Secret(oauth2.GenerateVerifier()),
	}
	return t, t.prepare()
}

// authority discovers the authorization server, and checks that it may get the secret of the client. It
// also returns the stored login.
func (s *Session) authority(ctx context.Context, c challenge) (a authority, known Credentials, err error) {
	s.progress(Discovering)
	if known, err = s.current(); err != nil {
		return a, known, err
	}
	if a, err = s.discover(ctx, c); err != nil {
		return a, known, fmt.Errorf("%w: %w", ErrDiscovery, err)
	}
	s.log.Info("oauth flow", slog.String("grant", s.config.String()), slog.String("issuer", plainText(a.Issuer)))
	return a, known, s.confirmed(a.Issuer, &known)
}

// ErrDiscovery is the error of Begin, wrapped, if the server's OAuth2 cannot be used.
var ErrDiscovery = errors.New("server does not support OAuth2 or is misconfigured")

// newState returns 256 random bits.
func newState() Secret {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: the process ends if the system has no randomness
	return Secret(base64.RawURLEncoding.EncodeToString(b[:]))
}

// prepare builds the authorization URL, with PKCE (S256), state and resource.
func (t *Attempt) prepare() error {
	config := oauth2.Config{
		ClientID: t.client.ID, RedirectURL: t.redirect, Scopes: t.scopes,
		Endpoint: oauth2.Endpoint{AuthURL: t.authority.AuthorizationEndpoint},
	}
	options := []oauth2.AuthCodeOption{
		oauth2.S256ChallengeOption(string(t.verifier)),
		oauth2.SetAuthURLParam("resource", t.authority.resource),
	}
	if slices.Contains(t.scopes, offlineAccess) { // OpenID Connect Core 11 requires the prompt for that scope
		options = append(options, oauth2.SetAuthURLParam("prompt", "consent"))
	}
	t.url = config.AuthCodeURL(string(t.state), options...)
	if _, err := parseAddress(t.authority.AuthorizationEndpoint); err != nil {
		return fmt.Errorf("the authorization_endpoint: %w", err)
	}
	return nil
}

// URL returns the URL at which a person grants access. It contains the state and must
// be shown only to that person.
func (t *Attempt) URL() string { return t.url }

// State returns the state. A redirect contains it, so that it identifies the Attempt.
func (t *Attempt) State() Secret { return t.state }

// Server returns the name of the server.
func (t *Attempt) Server() string { return t.session.name }

// Redirect returns the redirect URI.
func (t *Attempt) Redirect() string { return t.redirect }

// Check validates the query of a redirect. The error is ErrState, a *DeniedError, ErrCode, or an
// error about an unexpected issuer.
func (t *Attempt) Check(query url.Values) error {
	got := query.Get("state")
	if len(query["state"]) != 1 || subtle.ConstantTimeCompare([]byte(got), []byte(t.state)) != 1 {
		return ErrState
	}
	// RFC 9207: if the query has an issuer, it must be the expected issuer. If the metadata
	// require an issuer, the query must have one. Otherwise one authorization server could
	// obtain the code of another.
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

// Refused stores the reason of a failed login, so that all processes show it. It ignores ErrState,
// because a redirect with a wrong state may be forged.
func (t *Attempt) Refused(ctx context.Context, why error) {
	t.session.log.Debug("oauth callback refused", slog.String("error", why.Error()))
	if !errors.Is(why, ErrState) {
		t.session.refused(ctx, why)
	}
}

// refused stores the reason of a failed login.
func (s *Session) refused(ctx context.Context, why error) {
	unlock, err := s.store.Lock(ctx, s.name)
	if err != nil {
		return // the caller has the error
	}
	defer unlock()
	known, err := s.current()
	if err != nil || known.Authenticated(time.Now()) && !s.refuses() {
		return // the stored state stays unchanged
	}
	known.fail(printableText(why.Error()))
	if s.keep(known) != nil {
		s.remember(known)
	}
}

// Finish exchanges the code in the query of the redirect for tokens and stores them. The end of ctx
// does not stop it.
func (t *Attempt) Finish(ctx context.Context, query url.Values) error {
	err := t.finish(ctx, query)
	if err != nil {
		t.Refused(context.WithoutCancel(ctx), err)
	}
	return err
}

func (t *Attempt) finish(ctx context.Context, query url.Values) error {
	if err := t.Check(query); err != nil {
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
		Resource: t.authority.resource, Client: t.client, Confirmed: t.confirmed, Token: t.authority.noToken(),
	}
	token, err := s.requestToken(ctx, next, url.Values{
		"grant_type": {AuthorizationCode}, "code": {query.Get("code")},
		"code_verifier": {string(t.verifier)}, "redirect_uri": {t.redirect},
	})
	if err != nil {
		s.log.Error("oauth failed; run: "+toolscript.Command("auth", s.name), slog.String("error", err.Error()))
		return fmt.Errorf("exchange the authorization code: %w", err)
	}
	if token.Scope == "" {
		token.Scope = strings.Join(t.scopes, " ")
	}
	next.Token, next.Login = token, time.Now()
	return s.storeLogin(ctx, next)
}

// storeLogin stores the tokens of a new login.
func (s *Session) storeLogin(ctx context.Context, next Credentials) error {
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
