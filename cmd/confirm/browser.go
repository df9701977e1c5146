package confirm

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"github.com/toolscript/toolscript/transport/oauth"
)

// closeTime bounds the wait for answers in progress when a LoginCallback closes.
const closeTime = 5 * time.Second

// browserTime is the time within which a program that opens a browser can report a failure.
// Some of these programs end at once, others end with the browser.
const browserTime = 3 * time.Second

// openers are the programs that open an address in the browser, by GOOS.
var openers = map[string][]string{
	"darwin":  {"open"},
	"windows": {"rundll32", "url.dll,FileProtocolHandler"},
}

// OpenBrowser opens an address that an authorization server has chosen. The address is one
// argument of a program, never part of a shell command. It must be https, or http on this
// machine.
func OpenBrowser(ctx context.Context, address string, env []string) error {
	if err := oauth.CheckURL(address); err != nil {
		return err
	}
	opener, known := openers[runtime.GOOS]
	if !known {
		opener = []string{"xdg-open"}
	}
	path, err := exec.LookPath(opener[0])
	if err != nil {
		return err
	}
	// The browser outlives this command.
	c := exec.CommandContext(context.WithoutCancel(ctx), path, append(opener[1:], address)...) //nolint:gosec // checked above
	c.Env = env
	if err := c.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return errors.New("the program that opens browsers failed")
		}
		return nil
	case <-time.After(browserTime):
		return nil
	case <-ctx.Done():
		return nil
	}
}

// LoginReturned is the result of the authorization page: a redirect from the browser, or a line
// that the user pasted.
type LoginReturned struct {
	query url.Values
	err   error // set if there is no code; it ends the login
}

// Of returns the query or the error. It passes an error on to other processes that wait for the login.
func (r LoginReturned) Of(ctx context.Context, attempt *oauth.Attempt) (url.Values, error) {
	if r.err != nil {
		attempt.Refused(ctx, r.err)
	}
	return r.query, r.err
}

// LoginCallback is the HTTP server that receives the redirect of the browser. It accepts one
// redirect, and answers it when the login has ended.
type LoginCallback struct {
	listener net.Listener
	server   *http.Server
	attempt  *oauth.Attempt
	back     chan LoginReturned
	once     sync.Once
	result   chan struct{} // closed when page is set
	page     oauth.Page
}

// ListenForLogin listens on a port of this machine: on the preferred port if it is free, because a
// registration may name it, else on any free port. If fixed, no other port is tried.
func ListenForLogin(preferred int, fixed bool) (*LoginCallback, error) {
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
	return &LoginCallback{listener: listener, back: make(chan LoginReturned, 1), result: make(chan struct{})}, nil
}

// Port returns the port on this machine.
func (c *LoginCallback) Port() int { return c.listener.Addr().(*net.TCPAddr).Port }

// URL returns the address to which the browser is sent back.
func (c *LoginCallback) URL() string {
	return fmt.Sprintf("http://127.0.0.1:%d%s", c.Port(), oauth.CallbackPath)
}

// Back returns the channel that receives the redirect, once.
func (c *LoginCallback) Back() <-chan LoginReturned { return c.back }

// Serve starts to answer requests.
func (c *LoginCallback) Serve(attempt *oauth.Attempt) {
	c.attempt = attempt
	c.server = &http.Server{Handler: c, ReadTimeout: 10 * time.Second, IdleTimeout: time.Second, MaxHeaderBytes: 64 << 10}
	limited := netutil.LimitListener(c.listener, 64) // a browser opens a few connections; other programs must not use all descriptors
	go func() { _ = c.server.Serve(limited) }()      // ends with Close
}

// Close ends the server after the answer in progress.
func (c *LoginCallback) Close() {
	c.settle(oauth.Unsuccessful(errAbandoned))
	if c.server == nil {
		_ = c.listener.Close() // no browser has connected
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		_ = c.server.Close() // a browser that does not read its answer must not delay the end
	}
}

var errAbandoned = errors.New("the login was ended before it was complete")

// Answer sets the page that the browser gets.
func (c *LoginCallback) Answer(server string, err error) {
	if err != nil {
		c.settle(oauth.Unsuccessful(err))
		return
	}
	c.settle(oauth.Succeeded(server))
}

func (c *LoginCallback) settle(p oauth.Page) {
	c.once.Do(func() { c.page = p; close(c.result) })
}

// ServeHTTP handles the redirect. A redirect with another state ends the login, because it
// may be an attempt to log the user in to another person's account.
func (c *LoginCallback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
	case c.back <- LoginReturned{query, err}:
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
		<-c.result // closed by Close at the latest
		c.page.Write(w, http.StatusOK)
	}
}

// maxPaste is the maximum length of a pasted line, in bytes.
const maxPaste = 64 << 10

// PastedLogin reads the address of the redirect from standard input, for a browser on another
// machine. After any other line it calls say and reads the next line.
func PastedLogin(ctx context.Context, stdin io.Reader, attempt *oauth.Attempt, say func(format string, args ...any)) <-chan LoginReturned {
	found := make(chan LoginReturned, 1)
	go func() { // ends with the process if the user types nothing
		lines := bufio.NewScanner(stdin)
		lines.Buffer(nil, maxPaste)
		for lines.Scan() && ctx.Err() == nil {
			line := strings.TrimSpace(lines.Text())
			if line == "" {
				continue
			}
			query, err := pastedQuery(line, attempt.Redirect())
			if err == nil {
				err = attempt.Check(query)
			}
			var denied *oauth.DeniedError
			if err == nil || errors.As(err, &denied) {
				found <- LoginReturned{query, err}
				return
			}
			say("toolscript: that is not the address: %v; it begins with %s?", err, attempt.Redirect())
		}
	}()
	return found
}

// pastedQuery returns the query of a pasted redirect.
func pastedQuery(line, redirect string) (url.Values, error) {
	u, err := url.Parse(line)
	if err != nil || !strings.HasPrefix(line, redirect) {
		return nil, errors.New("it is another address")
	}
	return url.ParseQuery(u.RawQuery)
}
