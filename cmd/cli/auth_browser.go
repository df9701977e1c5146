package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
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

// browserTime is how long the program that opens a browser may take to fail. Some of
// these programs end at once, others with the browser.
const browserTime = 3 * time.Second

// openers are the programs that open an address in the browser, by operating system.
var openers = map[string][]string{
	"darwin":  {"open"},
	"windows": {"rundll32", "url.dll,FileProtocolHandler"},
}

// openBrowser opens an address that an authorization server has chosen. The address is
// one argument of a program, never part of a shell command, and must be https, or http
// on this machine.
func openBrowser(ctx context.Context, address string, env []string) error {
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

// returned is the result of the authorization page: the redirect of a browser, or a line
// that the user pasted.
type returned struct {
	query url.Values
	err   error // set if there is no code; it ends the login
}

// of returns the query or the error. Other processes see the error too.
func (r returned) of(ctx context.Context, attempt *oauth.Attempt) (url.Values, error) {
	if r.err != nil {
		attempt.Refused(ctx, r.err)
	}
	return r.query, r.err
}

// callback is the HTTP server for the redirect of the browser. It accepts one redirect,
// and answers when the login has ended.
type callback struct {
	listener net.Listener
	server   *http.Server
	attempt  *oauth.Attempt
	back     chan returned
	once     sync.Once
	result   chan struct{} // closed when page is set
	page     oauth.Page
}

// openCallback listens on a port of this machine: on the preferred port if it is free,
// because a registration may name it, else on any free port.
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

// serve starts to answer requests.
func (c *callback) serve(attempt *oauth.Attempt) {
	c.attempt = attempt
	c.server = &http.Server{Handler: c, ReadTimeout: 10 * time.Second, IdleTimeout: time.Second, MaxHeaderBytes: 64 << 10}
	limited := netutil.LimitListener(c.listener, 64) // a browser opens a few; others must not use all descriptors
	go func() { _ = c.server.Serve(limited) }()      // ends with close
}

// close ends the server after the answer in progress.
func (c *callback) close() {
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

// answer sets the page that the browser gets.
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

// ServeHTTP handles the redirect. A redirect with another state ends the login: it may
// be an attempt to log the user in to a foreign account.
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
		<-c.result // closed by close at the latest
		c.page.Write(w, http.StatusOK)
	}
}

// maxPaste bounds a pasted line.
const maxPaste = 64 << 10

// pasted reads standard input for the address that a browser on another machine
// pasted reads the address of the redirect from standard input, for a browser on another
// machine. After any other line it reads the next line.
func (o *authOptions) pasted(ctx context.Context, attempt *oauth.Attempt) <-chan returned {
	found := make(chan returned, 1)
	go func() { // ends with the process if the user types nothing
		lines := bufio.NewScanner(o.Stdin)
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
				found <- returned{query, err}
				return
			}
			o.say("toolscript: that is not the address: %v; it begins with %s?", err, attempt.Redirect())
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
