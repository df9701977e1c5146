package oauth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/egress"
)

// Options configure a Session.
type Options struct {
	Server string // configured name
	URL    string // URL of the server
	Config Config
	Store  Store
	Logger *slog.Logger // nil: no log

	// Progress is called at each step of a flow. It may be nil.
	Progress func(Step)

	// Fetch runs the browser part of a flow during a request: it opens an
	// authorization URL and returns the query of the redirect to Redirect. Without
	// it, requests that need a person fail with a LoginError.
	Fetch    func(ctx context.Context, authorizationURL string) (url.Values, error)
	Redirect string
	Confirm  func(issuer string) bool // asks a person to confirm an issuer, see Session.Confirm; nil: nobody can be asked
}

// Session is the login at one server. It is safe for concurrent use.
type Session struct {
	name   string
	url    *url.URL
	config Config
	store  Store
	log    *slog.Logger
	client *http.Client  // client for requests to authorization servers
	guard  *egress.Guard // guard of client
	proofs proofs

	tell     func(Step)
	fetch    func(context.Context, string) (url.Values, error)
	redirect string
	confirm  func(issuer string) bool

	mu       sync.Mutex
	known    Credentials
	stamp    Stamp // stamp of the file that known was read from
	loaded   bool
	asked    *unanswered   // the challenge of the server that no token could answer; nil if there is none
	renewing *renewal      // the current renewal, or nil
	turn     chan struct{} // held during an interactive flow
}

// unanswered is a challenge that no token could answer, with the login at that time.
type unanswered struct {
	challenge
	login time.Time
	token bool // the request had a token
	plain bool // the server gives no sign that it uses OAuth
}

// New returns a Session. It returns an error if the configuration is not valid.
func New(o Options) (*Session, error) {
	at, err := url.Parse(o.URL)
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Server: o.Server, Err: errors.New("its url is not a URL")}
	}
	if err := o.Config.Check(); err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Server: o.Server, Err: err}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Progress == nil {
		o.Progress = func(Step) {}
	}
	at.Fragment = ""
	client, guard := newClient(at, o.Config.Issuer, o.Config.IDPTokenEndpoint)
	return &Session{
		name: o.Server, url: at, config: o.Config, store: o.Store, client: client, guard: guard,
		log:  o.Logger.With(slog.String("server", o.Server)),
		tell: o.Progress, fetch: o.Fetch, redirect: o.Redirect, confirm: o.Confirm, turn: make(chan struct{}, 1),
	}, nil
}

// Step is a step of a flow.
type Step int

// The steps of a flow, in order.
const (
	Discovering Step = iota + 1
	UsingDocument
	UsingConfigured
	UsingStored
	Registering
	Registered
	Exchanging
)

// Server returns the configured name of the server.
func (s *Session) Server() string { return s.name }

func (s *Session) progress(step Step) { s.tell(step) }

// Status returns the state of the login: one of the values below, which is also the gateway's
// `oauth_status`, or "" if the server does not use OAuth. reason is the reason of a failed login.
func (s *Session) Status() (status, reason string) {
	c, err := s.current()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		return Failed, err.Error()
	case c.Failure != "":
		return Failed, c.Failure
	case c.Authenticated(time.Now()) && s.asked == nil:
		return Authenticated, ""
	case s.asked != nil && s.asked.plain:
		return "", ""
	case s.asked != nil || s.config.names() || c.Token.Access != "":
		return Pending, ""
	default:
		return "", ""
	}
}

// Failure returns the reason and the time of a failed login. The reason is "" if no login has failed.
func (s *Session) Failure() (reason string, at time.Time) {
	c, err := s.current()
	if err != nil {
		return "", time.Time{}
	}
	return c.Failure, c.FailedAt
}

// Values of Status.
const (
	Authenticated = "authenticated"
	Pending       = "pending_authorization"
	Failed        = "authentication_failed"
)

// current returns the credentials in the Store. Each time, it checks whether the file has changed
// and reads it again if so. So a login in another process takes effect immediately.
func (s *Session) current() (Credentials, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.currentLocked()
}

func (s *Session) currentLocked() (Credentials, error) {
	stamp := s.store.Stamp(s.name)
	if s.loaded && (stamp == s.stamp || s.store.Dir == "") {
		return s.known, nil
	}
	c, err := s.store.Load(s.name)
	if err != nil {
		return Credentials{}, err
	}
	if c.URL != "" && c.URL != s.url.String() {
		c = Credentials{} // a token must not be sent to another server with the same name
	}
	if s.config.Issuer != "" && c.Issuer != "" && !sameIssuer(c.Issuer, s.config.Issuer) {
		c = Credentials{} // a token must not be renewed at another authorization server
	}
	s.known, s.stamp, s.loaded = c, stamp, true
	s.dropChallenge()
	return c, nil
}

// dropChallenge drops a challenge after a new login, but not after a renewal of the same login.
// Otherwise processes whose tokens are all refused would trigger each other without end.
func (s *Session) dropChallenge() {
	if s.asked == nil || s.known.Token.Access == "" {
		return
	}
	if !s.asked.token || !s.asked.login.Equal(s.known.Login) {
		s.asked = nil
	}
}

// keep writes credentials to the Store. The caller must hold the lock of the Store.
func (s *Session) keep(c Credentials) error {
	c.URL, c.Keyring = s.url.String(), s.config.Storage == StorageKeyring
	if err := s.store.Save(s.name, c); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known, s.stamp, s.loaded = c, s.store.Stamp(s.name), true
	s.dropChallenge()
	return nil
}

// Await waits until requests can be sent again after a login in any process, or until ctx ends. It
// checks the file once per second. A watch of the file system would need a descriptor and does not
// work on network folders, and a second is short for a person who returns from the browser.
func (s *Session) Await(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for !s.ready() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// ready reports whether there is a login that the server has not refused.
func (s *Session) ready() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.currentLocked()
	return err == nil && s.asked == nil && c.Authenticated(time.Now())
}

// Plain reports whether the server has answered 401 but gives no sign that it uses OAuth. Then a login
// does not help.
func (s *Session) Plain() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked != nil && s.asked.plain
}

// refuses reports whether the server has refused the current login.
func (s *Session) refuses() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked != nil
}

// Idle waits until no token is being renewed, or until ctx ends. Call it before the program ends: a
// refresh token that works only once would be lost if the program ended during a renewal.
func (s *Session) Idle(ctx context.Context) {
	s.mu.Lock()
	r := s.renewing
	s.mu.Unlock()
	if r == nil {
		return
	}
	select {
	case <-r.done:
	case <-ctx.Done():
	}
}
