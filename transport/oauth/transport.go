package oauth

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
)

// Transport adds the token to requests to the server and goes on with next. A
// request that is refused with 401, or with 403 for want of scopes, is sent once
// more if a better token can be had; there is no third time, so that a server
// that refuses every token is not asked without end.
//
// Errors are *toolscript.Error: Unauthorized when nobody is logged in, Forbidden
// when the login lacks scopes (both hold a *LoginError that says what to run),
// Unavailable when the authorization server cannot be asked.
func (s *Session) Transport(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) { return s.roundTrip(req, next) })
}

func (s *Session) roundTrip(req *http.Request, next http.RoundTripper) (*http.Response, error) {
	if req.Header.Get("Authorization") != "" || !s.mayCarry(req) {
		return next.RoundTrip(req) // the configuration has its own way in, or this is no place for a token
	}
	token, err := s.valid(req.Context())
	if err != nil {
		closeBody(req)
		return nil, err
	}
	resp, err := send(req, next, token, req.Body)
	if err != nil {
		return nil, err
	}
	c, asked := challengeOf(resp)
	if !asked {
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
	resp, err := send(req, next, token, body)
	if err != nil {
		return nil, err
	}
	c, asked := challengeOf(resp)
	if !asked {
		return resp, nil
	}
	discard(resp)
	if c.forbidden {
		return nil, s.needsLogin(c, "")
	}
	const reason = "the server refuses a token that is new"
	s.ask(unanswered{challenge: c}, reason)
	return nil, s.needsLogin(c, reason)
}

// mayCarry reports whether a request goes to the server's own origin, over a way
// on which nobody reads along.
func (s *Session) mayCarry(req *http.Request) bool {
	_, err := parseAddress(req.URL.String())
	return err == nil && sameOrigin(req.URL, s.url)
}

// answer gets the token that a challenge asks for.
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
			s.ask(unanswered{challenge: c}, "")
		}
		return Token{}, s.failed(err)
	case s.fetch != nil:
		return s.login(ctx, c, refused)
	default:
		return Token{}, s.noLogin(ctx, c)
	}
}

// noLogin is the answer to a challenge while nobody is logged in. Discovery
// tells whether a login is what the server means by its 401.
func (s *Session) noLogin(ctx context.Context, c challenge) error {
	a, err := s.discover(ctx, c)
	plain := err != nil || a.assumed
	s.ask(unanswered{challenge: c, plain: plain}, "")
	_, reason := s.Status()
	if plain {
		reason = "it answers 401 and describes no OAuth2; if it takes another credential, put that into its headers"
	}
	return s.needsLogin(c, reason)
}

// stepUp is for a token that is good and lacks scopes. One with them that has
// been got meanwhile is tried; else a person has to agree.
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

// want keeps the scopes that the next login should ask for, in whichever process
// that is.
func (s *Session) want(ctx context.Context, scopes []string) {
	unlock, err := s.store.Lock(ctx, s.name)
	if err != nil {
		return // the error of the request names them too
	}
	defer unlock()
	known, err := s.current()
	if err != nil {
		return
	}
	wanted := distinct(slices.Concat(known.Wanted, scopes))
	if !slices.Equal(wanted, known.Wanted) {
		known.Wanted = wanted
		_ = s.keep(known) // see above
	}
}

// ask remembers a challenge that no token answered.
func (s *Session) ask(u unanswered, failure string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u.login, u.token = s.known.Login, s.known.Token.Access != ""
	s.asked = &u
	if failure != "" {
		s.known.Failure = failure
	}
}

// login takes a person through the whole flow in the middle of a request, one
// request at a time: the others take what the first has got.
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

func send(req *http.Request, next http.RoundTripper, token Token, body io.ReadCloser) (*http.Response, error) {
	if token.Access == "" && body == req.Body {
		return next.RoundTrip(req)
	}
	r := req.Clone(req.Context())
	r.Body = body
	if token.Access != "" {
		r.Header.Set("Authorization", "Bearer "+string(token.Access))
	}
	return next.RoundTrip(r)
}

// discard reads what little there is, so that the connection can be used again.
func discard(resp *http.Response) {
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // nothing depends on it
	_ = resp.Body.Close()
}

// closeBody keeps the promise of a RoundTripper that sends nothing.
func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}
