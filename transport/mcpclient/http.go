package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/mcpclient/remote"
)

// wire is a transport of package remote.
type wire interface {
	transport.BidirectionalInterface
	Lost() <-chan struct{}
	Reason() error
	Fail(why error)
}

// far is a server that is reached over HTTP.
type far struct {
	wire
	words func(error) error // says why the connection ended, for people
}

func (f far) transport() transport.Interface { return f.wire }
func (f far) lost() <-chan struct{}          { return f.Lost() }
func (f far) reason() error                  { return f.words(f.Reason()) }
func (far) stderr() []string                 { return nil }
func (far) chatter() string                  { return "" }
func (f far) close() error                   { return f.Close() }
func (f far) abort() error                   { return f.Close() }

// options are how package remote reaches the server of a configuration.
func (d Dialer) options(name string, cfg Config, on Events) (remote.Options, error) {
	invalid := func(err error) (remote.Options, error) {
		return remote.Options{}, &toolscript.Error{Kind: toolscript.Invalid, Err: err}
	}
	to, err := remote.ParseURL(cfg.URL)
	if err != nil {
		return invalid(err)
	}
	if err := remote.CheckHeaders(cfg.Headers); err != nil {
		return invalid(err)
	}
	base, err := remote.NewTransport()
	if err != nil {
		on.logf(slog.LevelWarn, "%v", err)
	}
	way := http.RoundTripper(base)
	if d.RoundTripper != nil {
		way = d.RoundTripper(name, cfg, base)
	}
	return remote.Options{
		URL: to, Headers: cfg.Headers, Client: remote.NewClient(way), Limit: maxMessage, Log: on.logf,
	}, nil
}

// connectHTTP shakes hands over streamable HTTP, and where the server refuses
// that as one of 2024 does, over its event stream.
func (c *Conn) connectHTTP(ctx context.Context, o remote.Options) error {
	wire := remote.NewHTTP(o, c.expired)
	c.peer = far{wire, c.ending}
	err := c.handshake(ctx)
	if !beforeStreamable(err) {
		return err
	}
	_ = wire.Close() // nothing has come about
	if c.connectSSE(ctx, o) != nil {
		return err // the first error is about what the configuration asks for
	}
	return nil
}

// connectSSE shakes hands over an event stream of MCP 2024-11-05.
func (c *Conn) connectSSE(ctx context.Context, o remote.Options) error {
	wire, err := remote.OpenSSE(ctx, o)
	if err != nil {
		return err
	}
	c.peer = far{wire, c.ending}
	return c.handshake(ctx)
}

// beforeStreamable reports whether an error of the handshake is what MCP takes
// for the sign of a server that has only the transport of 2024.
func beforeStreamable(err error) bool {
	var refused *remote.StatusError
	return errors.As(err, &refused) &&
		slices.Contains([]int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed}, refused.Status)
}

// remoteError classes an error of package remote, nil when err is none. An error
// that will meet the next request too ends the connection, as soon as the caller
// has been told: see endAfter.
func (c *Conn) remoteError(ctx context.Context, about toolscript.Error, err error) error {
	const unknown = "; whether the call was carried out is not known"
	var (
		known       *toolscript.Error
		login       *remote.UnauthorizedError
		refused     *remote.StatusError
		unreachable *remote.UnreachableError
		interrupted *remote.InterruptedError
		session     *remote.SessionError
	)
	about.RetryAfter = retryAfter
	switch {
	case errors.Is(err, remote.ErrTooLarge):
		about.RetryAfter = 0
		return because(about, toolscript.TooLarge, errAnswerTooLarge)
	case errors.As(err, &known):
		if known.Kind == toolscript.Unauthorized {
			c.endAfter(ctx, known)
		}
		return named(known, about)
	case errors.As(err, &login):
		c.endAfter(ctx, login)
		return named(c.needsAuth(login), about)
	case errors.As(err, &unreachable):
		c.endAfter(ctx, err)
		return because(about, toolscript.Unavailable, fmt.Errorf("%s; the call was not sent", c.words.clean(err.Error())))
	case errors.As(err, &interrupted):
		return because(about, toolscript.Unavailable, errors.New(c.words.clean(err.Error())+unknown))
	case errors.As(err, &session):
		why := session.Error()
		if !session.Untouched {
			why += unknown
		}
		return because(about, toolscript.Unavailable, errors.New(why))
	case errors.As(err, &refused):
		about.RetryAfter = refused.RetryAfter
		return because(about, refusalKind(refused.Status), errors.New(c.words.clean(err.Error())))
	default:
		return nil
	}
}

// dialRefused classes an error of the handshake, nil when there is nothing more
// to say of it.
func (c *Conn) dialRefused(err error) *toolscript.Error {
	var (
		known       *toolscript.Error
		login       *remote.UnauthorizedError
		refused     *remote.StatusError
		unreachable *remote.UnreachableError
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &login):
		return c.needsAuth(login)
	case errors.As(err, &unreachable):
		return because(toolscript.Error{}, toolscript.Unavailable, errors.New(c.words.clean(unreachable.Error())))
	case errors.As(err, &refused) && refused.Status == http.StatusForbidden:
		return because(toolscript.Error{}, toolscript.Forbidden, errors.New(c.words.clean(refused.Error())))
	default:
		return nil
	}
}

// ending says why a connection has ended: with a kind, if that is known.
func (c *Conn) ending(err error) error {
	if known := c.dialRefused(err); known != nil {
		return named(known, toolscript.Error{Server: c.name})
	}
	return err
}

// needsAuth says what to do about a 401.
func (c *Conn) needsAuth(err *remote.UnauthorizedError) *toolscript.Error {
	next := "run: toolscript auth " + c.name
	if c.ownAuthorization {
		next = "the header Authorization of its configuration is not accepted"
	}
	return &toolscript.Error{Kind: toolscript.Unauthorized, Err: fmt.Errorf("%s; %s", c.words.clean(err.Error()), next)}
}

// end ends the connection for a reason, unless it is that of a process.
func (c *Conn) end(why error) {
	if f, ok := c.peer.(far); ok {
		f.Fail(why)
	}
}

// endAfter ends the connection once the caller of a request has the answer to it,
// which says more than that the connection was lost: the context of the request
// ends then. A caller that keeps its context for longer has a moment.
func (c *Conn) endAfter(request context.Context, why error) {
	peer, ok := c.peer.(far)
	if !ok {
		return
	}
	late := time.AfterFunc(lossTimeout, func() { peer.Fail(why) })
	context.AfterFunc(request, func() {
		late.Stop()
		peer.Fail(why)
	})
}

func refusalKind(status int) toolscript.Kind {
	switch {
	case status == http.StatusForbidden:
		return toolscript.Forbidden
	case status == http.StatusTooManyRequests:
		return toolscript.Busy
	case status == http.StatusRequestEntityTooLarge:
		return toolscript.TooLarge
	case status >= 500:
		return toolscript.Unavailable
	default:
		return toolscript.ToolFailed
	}
}

// named adds to an error which server and tool it is about.
func named(err *toolscript.Error, about toolscript.Error) error {
	full := *err
	full.Server, full.Tool = about.Server, about.Tool
	return &full
}
