package oauth

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/egress"
)

// Transport returns a RoundTripper that adds the token to requests to the server and sends them
// with next. After a 401, or a 403 for missing scopes, it sends a request a second time if it can
// obtain a better token. There is no third attempt, because a server may refuse every token.
//
// Errors are *toolscript.Error: Unauthorized without a login, Forbidden if the login
// lacks scopes (both wrap a *LoginError with the command to run), Unavailable if the
// authorization server cannot be reached.
func (s *Session) Transport(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) { return s.roundTrip(s.guard.Watch(req), next) })
}

func (s *Session) roundTrip(req *http.Request, next http.RoundTripper) (*http.Response, error) {
	if req.Header.Get("Authorization") != "" || !s.mayCarry(req) {
		return next.RoundTrip(req) // the configuration sets its own authorization, or the request goes to another origin
	}
	token, err := s.valid(req.Context())
	if err != nil {
		closeBody(req)
		return nil, err
	}
	resp, err := s.send(req, next, token, req.Body)
	if err != nil {
		return nil, err
	}
	c, asked := challengeOf(resp)
	if !asked {
		s.answered(resp, token)
		return resp, nil
	}
	discard(resp)
	token, err = s.answer(req.Context(), c, token)
	if err != nil {
		return nil, err
	}
	return s.repeat(req, next, token)
}

// repeat sends a request for the second and last time.
func (s *Session) repeat(req *http.Request, next http.RoundTripper, token Token) (*http.Response, error) {
	var body io.ReadCloser
	if req.Body != nil && req.Body != http.NoBody {
		if req.GetBody == nil {
			return nil, &toolscript.Error{
				Kind: toolscript.Unavailable, Server: s.name,
				Err: errors.New("the token was renewed, and the request cannot be sent again; try again"),
			}
		}
		var err error
		if body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
	resp, err := s.send(req, next, token, body)
	if err != nil {
		return nil, err
	}
	c, asked := challengeOf(resp)
	if !asked {
		s.answered(resp, token)
		return resp, nil
	}
	discard(resp)
	if c.forbidden {
		return nil, s.needsLogin(c, "")
	}
	const reason = "the server refuses a token that is new"
	s.ask(unanswered{challenge: c}, token, reason)
	return nil, s.needsLogin(c, reason)
}

// mayCarry reports whether a request goes to the server's own origin over a secure
// connection.
func (s *Session) mayCarry(req *http.Request) bool {
	_, err := parseAddress(req.URL.String())
	return err == nil && egress.SameOrigin(req.URL, s.url)
}

// answer returns the token for a challenge.
func (s *Session) answer(ctx context.Context, c challenge, refused Token) (Token, error) {
	if c.forbidden && !s.config.Machine() {
		return s.stepUp(ctx, c, refused)
	}
	token, err := s.better(ctx, c, refused.Access)
	switch {
	case err == nil:
		return token, nil
	case !errors.Is(err, errNoLogin):
		if s.config.Machine() {
			failure := ""
			if other := (*IssuerError)(nil); errors.As(err, &other) {
				failure = other.Error()
			}
			s.ask(unanswered{challenge: c}, refused, failure)
		}
		return Token{}, s.failed(err)
	case s.fetch != nil:
		return s.login(ctx, c, refused)
	default:
		return Token{}, s.noLogin(ctx, c, refused)
	}
}

// noLogin handles a challenge if there is no login. Discovery shows whether a login can help.
func (s *Session) noLogin(ctx context.Context, c challenge, refused Token) error {
	a, err := s.discover(ctx, c)
	plain := a.assumed || err != nil && c.metadata == "" // a server without OAuth2 may answer each path with a page
	s.ask(unanswered{challenge: c, plain: plain}, refused, "")
	if plain && !c.forbidden {
		return &toolscript.Error{Kind: toolscript.Unauthorized, Server: s.name, Err: &LoginError{Server: s.name, Plain: true}}
	}
	_, reason := s.Status()
	if reason == "" && err != nil {
		reason = err.Error()
	}
	return s.needsLogin(c, reason)
}

// stepUp handles a challenge for missing scopes. If another request or process has obtained a token
// with these scopes, stepUp returns that token. Otherwise a person must agree.
func (s *Session) stepUp(ctx context.Context, c challenge, refused Token) (Token, error) {
	known, err := s.current()
	if err != nil {
		return Token{}, s.failed(err)
	}
	if known.Token.Access != refused.Access && known.Token.Access != "" && !lacks(known.Token, c.scopes) {
		return known.Token, nil
	}
	if s.fetch != nil {
		return s.login(ctx, c, refused)
	}
	s.want(ctx, c.scopes)
	return Token{}, s.needsLogin(c, "")
}

// want stores the scopes that the next login, in any process, must request.
func (s *Session) want(ctx context.Context, scopes []string) {
	unlock, err := s.store.Lock(ctx, s.name)
	if err != nil {
		return // the error of the request names the scopes too
	}
	defer unlock()
	known, err := s.current()
	if err != nil {
		return
	}
	wanted := distinct(slices.Concat(known.Wanted, scopes))
	if !slices.Equal(wanted, known.Wanted) {
		known.Wanted = wanted
		_ = s.keep(known) // the error of the request names the scopes too
	}
}

// ask records a challenge that no token could answer. refused is the token of the request. If a login
// has succeeded since the request was sent, ask records nothing.
func (s *Session) ask(u unanswered, refused Token, failure string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.known.Token; now.Access != refused.Access && now.usable(time.Now()) {
		return
	}
	u.login, u.token = s.known.Login, s.known.Token.Access != ""
	s.asked = &u
	if failure != "" {
		s.known.fail(failure)
	}
}

// answered drops a challenge that the server does not repeat: it has accepted the token that it
// refused, or no longer asks for one.
func (s *Session) answered(resp *http.Response, token Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked != nil && resp.StatusCode < 300 && token.Access == s.known.Token.Access && (token.Access != "" || s.asked.plain) {
		s.asked, s.known.Failure, s.known.FailedAt = nil, "", time.Time{}
	}
}

// Affirm stores that the server accepts the login. Processes whose requests the server has refused
// then use the login again.
func (s *Session) Affirm(ctx context.Context) error {
	unlock, err := s.store.Lock(ctx, s.name)
	if err != nil {
		return err
	}
	defer unlock()
	known, err := s.current()
	if err != nil || known.Token.Access == "" {
		return err
	}
	known.Login, known.Failure, known.FailedAt = time.Now(), "", time.Time{}
	return s.keep(known)
}

// login runs a whole flow during a request. Only one flow runs at a time; other requests wait and
// use its token.
func (s *Session) login(ctx context.Context, c challenge, refused Token) (Token, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return Token{}, context.Cause(ctx)
	}
	known, err := s.current()
	if err == nil && known.Token.usable(time.Now()) && known.Token.Access != refused.Access && !lacks(known.Token, c.scopes) {
		return known.Token, nil
	}
	attempt, err := s.begin(ctx, c, s.redirect)
	if err != nil {
		return Token{}, s.failed(err)
	}
	query, err := s.fetch(ctx, attempt.URL())
	if err != nil {
		return Token{}, s.failed(err)
	}
	if err := attempt.Finish(ctx, query); err != nil {
		return Token{}, s.failed(err)
	}
	known, err = s.current()
	return known.Token, err
}

func (s *Session) send(req *http.Request, next http.RoundTripper, token Token, body io.ReadCloser) (*http.Response, error) {
	if token.Access == "" && body == req.Body {
		return next.RoundTrip(req)
	}
	r := req.Clone(req.Context())
	r.Body = body
	if token.bound() {
		r.Header.Set("Authorization", dpopScheme+" "+string(token.Access))
		return s.proofs.roundTrip(next, r, token.Proof, token.Access, func(answer *http.Response) bool {
			c, _ := challengeOf(answer)
			return c.nonce
		})
	}
	if token.Access != "" {
		r.Header.Set("Authorization", "Bearer "+string(token.Access))
	}
	return next.RoundTrip(r)
}

// discard reads the rest of the body, so that the connection can be reused.
func discard(resp *http.Response) {
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // an error only prevents the reuse
	_ = resp.Body.Close()
}

// closeBody closes the body, which a RoundTripper must do even if it sends nothing.
func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}
