package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/toolscript/toolscript/transport/oauth"
)

// returned is a browser, or a user's paste, that came back from an authorization
// server.
type returned struct {
	query url.Values
	err   error // why it ends the login; nil when it has a code
}

// callback is the server on this machine that the browser comes back to. It takes
// one redirect, keeps the browser waiting until the login is complete, and tells
// it how that went.
type callback struct {
	listener net.Listener
	server   *http.Server
	attempt  *oauth.Attempt
	back     chan returned
	once     sync.Once
	result   chan struct{} // closed when page stands
	page     oauth.Page
}

// openCallback listens on a port of this machine: the preferred one if it is
// free, since a registration may be for it, and any other one otherwise.
func openCallback(preferred int, fixed bool) (*callback, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:"+strconv.Itoa(preferred)) //nolint:noctx // it does not block
	if err != nil && fixed {
		return nil, fmt.Errorf("the port of oauth.callbackPort is not free: %w", err)
	}
	if err != nil {
		listener, err = net.Listen("tcp4", "127.0.0.1:0") //nolint:noctx // it does not block
	}
	if err != nil {
		return nil, err
	}
	return &callback{listener: listener, back: make(chan returned, 1), result: make(chan struct{})}, nil
}

func (c *callback) port() int { return c.listener.Addr().(*net.TCPAddr).Port }

func (c *callback) url() string {
	return fmt.Sprintf("http://127.0.0.1:%d%s", c.port(), oauth.CallbackPath)
}

// serve begins to answer.
func (c *callback) serve(attempt *oauth.Attempt) {
	c.attempt = attempt
	c.server = &http.Server{Handler: c, ReadTimeout: 10 * time.Second, IdleTimeout: time.Second, MaxHeaderBytes: 64 << 10}
	go func() { _ = c.server.Serve(c.listener) }() // ends with close
}

// close ends the server, after the answer that is being given.
func (c *callback) close() {
	c.settle(oauth.Unsuccessful(errAbandoned))
	if c.server == nil {
		_ = c.listener.Close() // nobody came
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		_ = c.server.Close() // a browser that does not read its answer is not waited for
	}
}

var errAbandoned = errors.New("the login was given up")

// answer tells the browser how the login went.
func (c *callback) answer(server string, err error) {
	if err != nil {
		c.settle(oauth.Unsuccessful(err))
		return
	}
	c.settle(oauth.Succeeded(server))
}

func (c *callback) settle(p oauth.Page) {
	c.once.Do(func() { c.page = p; close(c.result) })
}

// ServeHTTP takes the redirect. One with another state ends the login: somebody
// may be trying to log the user in as somebody else.
func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || r.URL.Path != oauth.CallbackPath || r.Host != c.listener.Addr().String() {
		http.NotFound(w, r)
		return
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		err = oauth.ErrState
	} else {
		err = c.attempt.Check(query)
	}
	select {
	case c.back <- returned{query, err}:
	default:
		oauth.Unsuccessful(oauth.ErrState).Write(w, http.StatusBadRequest)
		return
	}
	var denied *oauth.DeniedError
	switch {
	case errors.As(err, &denied):
		oauth.Unsuccessful(err).Write(w, http.StatusOK)
	case err != nil:
		oauth.Unsuccessful(err).Write(w, http.StatusBadRequest)
	default:
		<-c.result // close settles it at the latest
		c.page.Write(w, http.StatusOK)
	}
}
