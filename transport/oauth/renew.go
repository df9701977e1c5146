package oauth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
)

// renewTime bounds one renewal, including the wait for other processes.
const renewTime = 45 * time.Second

// renewal is one attempt to get a better token. All waiting requests share it.
type renewal struct {
	done  chan struct{} // closed when token and err are set
	token Token
	err   error
}

// errNoLogin reports that a token cannot be obtained without a person.
var errNoLogin = errors.New("no login")

// valid returns a token for requests, and renews it first if it expires soon. It returns the zero
// Token if a login is required.
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
		return Token{}, nil // send the request without a token: the refusal names the requirements
	case c.Token.usable(time.Now()):
		return c.Token, nil // still valid for this request; the next request tries to renew it again
	default:
		return Token{}, s.failed(err)
	}
}

// renewable reports whether a new token can be obtained without a person and without a challenge of
// the server.
func (s *Session) renewable(c Credentials) bool {
	if s.config.Machine() {
		return c.TokenEndpoint != "" && c.Failure == ""
	}
	return c.Token.Refresh != ""
}

// better returns a token other than the refused one. Concurrent callers share one renewal.
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
		// That renewal has returned the refused token, because it began before the refusal.
	}
}

// renewal returns the current renewal. If there is none, it starts one, and ours is true. The end of
// ctx does not stop a renewal: if the answer with the new refresh token were lost, the login would
// end.
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
		s.mu.Lock()
		s.renewing = nil
		s.mu.Unlock()
		close(r.done)
	}()
	defer rescue.Catch(func(p *rescue.Error) {
		r.err = errors.New("a fault of this program ended the renewal of the token")
		s.log.Error("oauth renewal panicked", slog.String("stack", string(p.Stack)))
	})
	r.token, r.err = s.renew(ctx, c, refused)
}

// renew gets a token under the lock of the Store. If another process has stored a new token in the
// meantime, renew returns that one.
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
		return s.requestClientToken(ctx, c, known)
	}
	if known.Token.Refresh == "" || known.TokenEndpoint == "" {
		return Token{}, errNoLogin
	}
	return s.refresh(ctx, known)
}

// refresh gets a token with the refresh token. If the authorization server refuses that, the login
// has ended. refresh then stores this, so that other processes do not try.
func (s *Session) refresh(ctx context.Context, known Credentials) (Token, error) {
	t, err := s.requestToken(ctx, known, url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {string(known.Token.Refresh)},
	})
	if answered := finalRefusal(err); answered != nil {
		return Token{}, s.over(known, answered)
	}
	if err != nil {
		s.log.Debug("oauth token not refreshed", slog.String("error", err.Error()))
		return Token{}, fmt.Errorf("refresh the token: %w", err)
	}
	if t.Scope == "" {
		t.Scope = known.Token.Scope // absent means unchanged (RFC 6749 5.1)
	}
	known.Token, known.Failure, known.FailedAt = t, "", time.Time{}
	if err := s.keep(known); err != nil {
		s.log.Error("oauth token not stored: it will be lost when this program ends", slog.String("error", err.Error()))
		s.remember(known)
	}
	s.log.Debug("oauth token refreshed", slog.Duration("lifetime", t.Lifetime))
	return t, nil
}

// over removes the tokens of a login that has ended.
func (s *Session) over(known Credentials, because *refusal) error {
	known.Token = Token{}
	known.fail(because.Error())
	if err := s.keep(known); err != nil {
		s.remember(known)
	}
	s.log.Warn("server requires OAuth2 again; run: "+toolscript.Command("auth", s.name), slog.String("error", because.Error()))
	return errNoLogin
}

// remember stores credentials in this process only.
func (s *Session) remember(c Credentials) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known, s.stamp, s.loaded = c, s.store.Stamp(s.name), true
}

// requestClientToken gets a token without a person, with the client's own credentials or with an
// assertion.
func (s *Session) requestClientToken(ctx context.Context, c challenge, known Credentials) (Token, error) {
	a, err := s.discover(ctx, c)
	if err != nil {
		return Token{}, err
	}
	if err := s.confirmed(a.Issuer, &known); err != nil {
		return Token{}, err
	}
	next := Credentials{
		Issuer: a.Issuer, TokenEndpoint: a.TokenEndpoint, Resource: a.resource, Client: s.configuredClient(a), Confirmed: known.Confirmed, Token: a.noToken(),
	}
	scopes := s.scopes(a, c, known)
	params := url.Values{"grant_type": {ClientCredentials}}
	if s.config.Grant == JWTBearer {
		if params, err = s.bearerParams(ctx, a); err != nil {
			return Token{}, err
		}
	}
	if len(scopes) > 0 {
		params.Set("scope", strings.Join(scopes, " "))
	}
	t, err := s.requestToken(ctx, next, params)
	if answered := finalRefusal(err); answered != nil {
		next.fail(answered.Error())
		s.remember(next)
		s.log.Error("oauth client refused; look at oauth.clientId and its secret, key or assertion in the server's configuration",
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
		s.remember(next) // another token can be requested at any time
	}
	s.log.Info("oauth token received", slog.String("grant", s.config.String()))
	return t, nil
}
