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
)

// Options are what a Session is made from.
type Options struct {
	Server string // configured name
	URL    string // its address
	Config Config
	Store  Store
	Logger *slog.Logger // nil: nothing is logged

	// Progress is told what a flow is about to do; nil: nobody is.
	Progress func(Step)

	// Fetch takes a person through the flow at once, in the middle of a request:
	// it opens an authorization URL and returns the query of the redirect to
	// Redirect. Without it, requests that need a person fail with a LoginError.
	Fetch    func(ctx context.Context, authorizationURL string) (url.Values, error)
	Redirect string
}

// Session is the login at one server. It is safe for concurrent use.
type Session struct {
	name   string
	url    *url.URL
	config Config
	store  Store
	log    *slog.Logger
	client *http.Client // to authorization servers

	tell     func(Step)
	fetch    func(context.Context, string) (url.Values, error)
	redirect string

	mu       sync.Mutex
	known    Credentials
	stamp    Stamp // of the file that known was read from
	loaded   bool
	asked    *unanswered   // nil while the login suffices
	renewing *renewal      // under way, nil when none is
	turn     chan struct{} // held by who takes a person through the flow
}

// unanswered is a challenge that no token answered, and the login at that time.
type unanswered struct {
	challenge
	login time.Time
	token bool // whether there was a token
	plain bool // nothing says that the server uses OAuth
}

// New makes a session. It fails when the configuration cannot work.
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
	return &Session{
		name: o.Server, url: at, config: o.Config, store: o.Store, client: newClient(at),
		log:  o.Logger.With(slog.String("server", o.Server)),
		tell: o.Progress, fetch: o.Fetch, redirect: o.Redirect, turn: make(chan struct{}, 1),
	}, nil
}

// Step is what a flow is about to do, or has done.
type Step int

// The steps of a flow, in their order.
const (
	Discovering Step = iota + 1
	UsingDocument
	UsingConfigured
	UsingStored
	Registering
	Registered
	Exchanging
)

func (s *Session) progress(step Step) { s.tell(step) }

// Status is where the login stands, as the gateway's `oauth_status` has it. ""
// means that no OAuth is involved. reason is why a login failed.
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

// The values of Status.
const (
	Authenticated = "authenticated"
	Pending       = "pending_authorization"
	Failed        = "authentication_failed"
)

// current are the credentials as they are in the Store now. It looks at the file
// each time, and reads it when it is another one: a login in another process
// counts at once.
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
		c = Credentials{} // a token is never shown to another server of the same name
	}
	s.known, s.stamp, s.loaded = c, stamp, true
	s.reconsider()
	return c, nil
}

// reconsider drops a challenge when somebody has logged in since. A renewed token
// of the same login is none: processes whose tokens are all refused would wake
// one another without end.
func (s *Session) reconsider() {
	if s.asked == nil || s.known.Token.Access == "" {
		return
	}
	if !s.asked.token || !s.asked.login.Equal(s.known.Login) {
		s.asked = nil
	}
}

// keep writes credentials. The caller holds the lock of the Store.
func (s *Session) keep(c Credentials) error {
	c.URL, c.Keyring = s.url.String(), s.config.Storage == StorageKeyring
	if err := s.store.Save(s.name, c); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known, s.stamp, s.loaded = c, s.store.Stamp(s.name), true
	s.reconsider()
	return nil
}

// Await waits until requests can be sent again, because of a login in another
// process or in this one, or until ctx ends. It looks once a second: a watch of
// the system's costs a descriptor and sees nothing on network folders, and a
// person who comes from the browser does not notice the second.
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

// ready reports whether there is a login that no server has refused.
func (s *Session) ready() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.currentLocked()
	return err == nil && s.asked == nil && c.Authenticated(time.Now())
}

// Idle waits until nothing is being renewed, or until ctx ends: a program that
// ended in the middle would take a refresh token with it that is good once.
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
