package oauth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"runtime/debug"
	"strings"
	"time"
)

// renewTime bounds one renewal, with the wait for other processes.
const renewTime = 45 * time.Second

// renewal is one try to get a better token. All requests that need one wait for
// the same.
type renewal struct {
	done  chan struct{} // closed when token and err stand
	token Token
	err   error
}

// errNoLogin says that no token can be had without a person.
var errNoLogin = errors.New("no login")

// valid returns a token that requests can carry, renewed if its time is about to
// be over. It is zero when there is none and only a person can get one.
func (s *Session) valid(ctx context.Context) (Token, error) {
	c, err := s.current()
	if err != nil {
		return Token{}, s.failed(err)
	}
	now := time.Now()
	if c.Token.fresh(now) || c.Token.Access != "" && !s.renewable(c) {
		return c.Token, nil
	}
	if !s.renewable(c) {
		return Token{}, nil
	}
	t, err := s.better(ctx, challenge{}, "")
	switch {
	case err == nil:
		return t, nil
	case errors.Is(err, errNoLogin):
		return Token{}, nil // the request will be refused, and that says what is needed
	case c.Token.usable(time.Now()):
		return c.Token, nil // good enough for this request; the next one tries again
	default:
		return Token{}, s.failed(err)
	}
}

// renewable reports whether a token can be had without a person, and without
// the server having said where.
func (s *Session) renewable(c Credentials) bool {
	if s.config.Machine() {
		return c.TokenEndpoint != "" && c.Failure == ""
	}
	return c.Token.Refresh != ""
}

// better returns another token than the one refused. Requests that come while
// one is being got share it.
func (s *Session) better(ctx context.Context, c challenge, refused Secret) (Token, error) {
	for {
		r, ours := s.renewal(ctx, c, refused)
		select {
		case <-r.done:
		case <-ctx.Done():
			return Token{}, context.Cause(ctx)
		}
		if ours || r.err != nil || r.token.Access != refused {
			return r.token, r.err
		}
		// Who began that one did not know of the refusal.
	}
}

// renewal is the one under way, else a new one, which is ours. It goes on when
// ctx ends: an answer that nobody keeps would take the login with it.
func (s *Session) renewal(ctx context.Context, c challenge, refused Secret) (r *renewal, ours bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.renewing != nil {
		return s.renewing, false
	}
	s.renewing = &renewal{done: make(chan struct{})}
	go s.run(context.WithoutCancel(ctx), s.renewing, c, refused)
	return s.renewing, true
}

func (s *Session) run(ctx context.Context, r *renewal, c challenge, refused Secret) {
	ctx, cancel := context.WithTimeout(ctx, renewTime)
	defer cancel()
	defer func() {
		if fault := recover(); fault != nil {
			r.err = errors.New("a fault of this program ended the renewal of the token")
			s.log.Error("oauth renewal panicked", slog.String("stack", string(debug.Stack())))
		}
		s.mu.Lock()
		s.renewing = nil
		s.mu.Unlock()
		close(r.done)
	}()
	r.token, r.err = s.renew(ctx, c, refused)
}

// renew gets a token while no other process does. One that another process has
// got meanwhile is as good.
func (s *Session) renew(ctx context.Context, c challenge, refused Secret) (Token, error) {
	unlock, err := s.store.Lock(ctx, s.name)
	if err != nil {
		return Token{}, err
	}
	defer unlock()
	known, err := s.current()
	if err != nil {
		return Token{}, err
	}
	if known.Token.Access != refused && known.Token.fresh(time.Now()) {
		return known.Token, nil
	}
	if s.config.Machine() {
		return s.vouchFor(ctx, c, known)
	}
	if known.Token.Refresh == "" {
		return Token{}, errNoLogin
	}
	return s.refresh(ctx, c, known)
}

// refresh spends the refresh token. When the authorization server refuses it the
// login is over, which is kept: no other process need try.
func (s *Session) refresh(ctx context.Context, c challenge, known Credentials) (Token, error) {
	if known.TokenEndpoint == "" { // of the program's first version
		if err := s.complete(ctx, c, &known); err != nil {
			return Token{}, err
		}
	}
	t, err := s.requestToken(ctx, known, url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {string(known.Token.Refresh)},
	})
	var answered *refusal
	if errors.As(err, &answered) {
		return Token{}, s.over(known, answered)
	}
	if err != nil {
		s.log.Debug("oauth token not refreshed", slog.String("error", err.Error()))
		return Token{}, fmt.Errorf("refresh the token: %w", err)
	}
	if t.Scope == "" {
		t.Scope = known.Token.Scope // unchanged, when nothing is said (RFC 6749 5.1)
	}
	known.Token = t
	if err := s.keep(known); err != nil {
		s.log.Error("oauth token not stored: it will be lost when this program ends", slog.String("error", err.Error()))
		s.remember(known)
	}
	s.log.Debug("oauth token refreshed", slog.Duration("lifetime", t.Lifetime))
	return t, nil
}

// over forgets the tokens of a login that has ended.
func (s *Session) over(known Credentials, because *refusal) error {
	known.Token, known.Failure = Token{}, because.Error()
	if err := s.keep(known); err != nil {
		s.remember(known)
	}
	s.log.Warn("server requires OAuth2 again; run: toolscript auth "+quoted(s.name), slog.String("error", because.Error()))
	return errNoLogin
}

// remember keeps credentials in this process alone.
func (s *Session) remember(c Credentials) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known, s.stamp, s.loaded = c, s.store.Stamp(s.name), true
}

// complete finds out what is missing of where tokens come from.
func (s *Session) complete(ctx context.Context, c challenge, known *Credentials) error {
	a, err := s.discover(ctx, c)
	if err != nil {
		return err
	}
	known.Issuer, known.TokenEndpoint, known.Resource = a.Issuer, a.TokenEndpoint, a.resource
	if known.Client.ID == "" {
		known.Client = s.configuredClient(a)
	}
	if known.Client.AuthMethod == "" {
		known.Client.AuthMethod = methodNone
		if known.Client.Secret != "" {
			known.Client.AuthMethod = methodBasic
		}
	}
	return nil
}

// vouchFor gets a token of a client that vouches for itself.
func (s *Session) vouchFor(ctx context.Context, c challenge, known Credentials) (Token, error) {
	a, err := s.discover(ctx, c)
	if err != nil {
		return Token{}, err
	}
	next := Credentials{Issuer: a.Issuer, TokenEndpoint: a.TokenEndpoint, Resource: a.resource, Client: s.configuredClient(a)}
	scopes := s.scopes(a, c, known)
	params := url.Values{"grant_type": {ClientCredentials}}
	if len(scopes) > 0 {
		params.Set("scope", strings.Join(scopes, " "))
	}
	t, err := s.requestToken(ctx, next, params)
	var answered *refusal
	if errors.As(err, &answered) {
		next.Failure = answered.Error()
		s.remember(next)
		s.log.Error("oauth client refused; look at oauth.clientId and its secret or key in the server's configuration",
			slog.String("error", answered.Error()))
		return Token{}, err
	}
	if err != nil {
		return Token{}, err
	}
	if t.Scope == "" {
		t.Scope = strings.Join(scopes, " ")
	}
	next.Token = t
	if err := s.keep(next); err != nil {
		s.remember(next) // another one can be had at any time
	}
	s.log.Info("oauth token received", slog.String("grant", s.config.String()))
	return t, nil
}
