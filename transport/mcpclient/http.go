package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/egress"
	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
	"github.com/toolscript/toolscript/transport/upstream"
)

type wire interface {
	transport.BidirectionalInterface
	Lost() <-chan struct{}
	Reason() error
	Fail(why error)
	Listens() bool
}

// httpPeer is a server that is reached over HTTP.
type httpPeer struct {
	wire
	explain func(error) error // converts the reason for the end of the connection to an error for the user
}

func (f httpPeer) transport() transport.Interface { return f.wire }
func (f httpPeer) lost() <-chan struct{}          { return f.Lost() }
func (f httpPeer) reason() error                  { return f.explain(f.Reason()) }
func (httpPeer) stderr() []string                 { return nil }
func (httpPeer) stdoutLine() string               { return "" }
func (f httpPeer) close() error                   { return f.Close() }
func (f httpPeer) abort() error                   { return f.Close() }

// options converts a server's configuration into the options of package
// httptransport.
func (d Dialer) options(name string, cfg upstream.Config, on upstream.Events) (httptransport.Options, error) {
	invalid := func(err error) (httptransport.Options, error) {
		return httptransport.Options{}, &toolscript.Error{Kind: toolscript.Invalid, Err: err}
	}
	to, err := httptransport.ParseURL(cfg.URL)
	if err != nil {
		return invalid(err)
	}
	if err := httptransport.CheckHeaders(cfg.Headers); err != nil {
		return invalid(err)
	}
	base, err := httptransport.NewTransport()
	if err != nil {
		on.Logf(slog.LevelWarn, "%v", err)
	}
	guard := egress.NewGuard(egress.GuardOptions{Written: []*url.URL{to}, Base: base, Hint: `if it is right, write that address as "url" of the server`})
	way := http.RoundTripper(guard)
	if d.RoundTripper != nil {
		way = wrapped{d.RoundTripper(name, cfg, guard), guard}
	}
	return httptransport.Options{
		URL: to, Headers: cfg.Headers, Client: httptransport.NewClient(way), Limit: maxMessage, Log: on.Logf,
		Answers: d.Answers,
	}, nil
}

// wrapped is the RoundTripper of Dialer.RoundTripper with the method CloseIdleConnections of the guard.
type wrapped struct {
	http.RoundTripper
	guard *egress.Guard
}

// CloseIdleConnections is called by http.Client.
func (w wrapped) CloseIdleConnections() { w.guard.CloseIdleConnections() }

// connectHTTP performs the handshake over streamable HTTP. If the server's refusal
// shows that it supports only MCP 2024-11-05, connectHTTP retries over HTTP+SSE.
func (c *Conn) connectHTTP(ctx context.Context, o httptransport.Options) error {
	wire := httptransport.NewHTTP(o, c.expired)
	c.peer = httpPeer{wire, c.ending}
	err := c.handshake(ctx)
	if !beforeStreamable(err) || len(c.refused) > 0 {
		return err
	}
	_ = wire.Close() // no session was opened
	older := c.connectSSE(ctx, o)
	if older != nil && len(c.refused) == 0 {
		return err // the first error is about the configured transport
	}
	return older
}

// connectSSE performs the handshake over HTTP+SSE, the transport of MCP 2024-11-05.
func (c *Conn) connectSSE(ctx context.Context, o httptransport.Options) error {
	c.dialect.older()
	wire, err := httptransport.OpenSSE(ctx, o)
	if err != nil {
		return err
	}
	c.peer = httpPeer{wire, c.ending}
	return c.handshake(ctx)
}

// beforeStreamable reports whether a handshake error shows, by the rules of MCP, that the server
// supports only the transport of 2024.
func beforeStreamable(err error) bool {
	var refused *httptransport.StatusError
	return errors.As(err, &refused) &&
		slices.Contains([]int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed}, refused.Status)
}

// remoteError classifies an error of package httptransport. It returns nil for other errors. If the
// next request would fail with the same error, remoteError also ends the connection after the caller
// has received the error; see endAfter.
func (c *Conn) remoteError(ctx context.Context, about toolscript.Error, err error) error {
	const unknown = "; " + toolscript.UnknownOutcome
	var (
		known       *toolscript.Error
		login       *httptransport.UnauthorizedError
		refused     *httptransport.StatusError
		unreachable *httptransport.UnreachableError
		interrupted *httptransport.InterruptedError
		session     *httptransport.SessionError
	)
	about.RetryAfter, about.Sent = retryAfter, toolscript.SentUnknown
	switch {
	case errors.As(err, &known):
		if known.Kind == toolscript.Unauthorized {
			c.endAfter(ctx, known)
		}
		switch {
		case errors.Is(err, budget.ErrFull): // there was no memory for the answer
			about.Sent = toolscript.SentYes
		case !errors.As(err, &interrupted): // otherwise a request for the rest of the answer was refused
			about.Sent = toolscript.SentOf(known)
		}
		return named(known, about)
	case errors.As(err, &login):
		c.endAfter(ctx, login)
		if !errors.As(err, &interrupted) {
			about.Sent = toolscript.SentNo
		}
		return named(c.needsAuth(login), about)
	case errors.As(err, &unreachable):
		c.endAfter(ctx, err)
		about.Sent = toolscript.SentNo
		return wrapError(about, toolscript.Unavailable, &unreachableError{c.redact.Printable(err.Error()) + "; the call was not sent"})
	case errors.As(err, &interrupted):
		return wrapError(about, toolscript.Unavailable, errors.New(c.redact.Printable(err.Error())+unknown))
	case errors.As(err, &session):
		why := session.Error()
		if about.Sent = toolscript.SentNo; !session.Untouched {
			about.Sent = toolscript.SentUnknown
			why += unknown
		}
		return wrapError(about, toolscript.Unavailable, errors.New(why))
	case errors.As(err, &refused):
		about.RetryAfter, about.RPCCode, about.Sent = refused.RetryAfter, refused.Code, refusalSent(refused.Status)
		return wrapError(about, refusalKind(refused.Status), errors.New(c.redact.Printable(err.Error())))
	default:
		return nil
	}
}

// dialRefused classifies an error of the handshake. It returns nil for errors that explain
// themselves.
func (c *Conn) dialRefused(err error) *toolscript.Error {
	var (
		known       *toolscript.Error
		login       *httptransport.UnauthorizedError
		refused     *httptransport.StatusError
		unreachable *httptransport.UnreachableError
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &login):
		return c.needsAuth(login)
	case errors.As(err, &unreachable):
		return wrapError(toolscript.Error{}, toolscript.Unavailable, errors.New(c.redact.Printable(unreachable.Error())))
	case errors.As(err, &refused) && lastingStatus(refused.Status):
		return c.misconfigured(refused)
	default:
		return nil
	}
}

// lastingStatus reports whether a retry of the handshake would get the same HTTP status, for example
// because the URL is wrong or credentials are missing.
func lastingStatus(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	default:
		return status < http.StatusInternalServerError
	}
}

// misconfigured returns an error that names the setting to correct.
func (c *Conn) misconfigured(refused *httptransport.StatusError) *toolscript.Error {
	e := &toolscript.Error{Kind: toolscript.Unavailable, Permanent: true}
	text := c.redact.Printable(refused.Error())
	if refused.Status == http.StatusForbidden {
		e.Kind, e.Err = toolscript.Forbidden, fmt.Errorf("%s; the server does not accept the credentials of its configuration", text)
		return e
	}
	e.Err = fmt.Errorf(`initialize: %s; correct "url" or "type" in .toolscript.json if no MCP server is there`, text)
	return e
}

// ending describes why a connection has ended, with a kind if it is known.
func (c *Conn) ending(err error) error {
	if known := c.dialRefused(err); known != nil {
		return named(known, toolscript.Error{Server: c.name})
	}
	return err
}

// needsAuth returns the error for status 401, with the next step.
func (c *Conn) needsAuth(err *httptransport.UnauthorizedError) *toolscript.Error {
	next := "run: " + toolscript.Command("auth", c.name)
	if c.credentials != "" {
		next = "the credentials of its configuration are not accepted; correct " + c.credentials
	}
	return &toolscript.Error{Kind: toolscript.Unauthorized, Err: errors.New(c.redact.Printable(err.Error())), Next: next}
}

// end ends a connection over HTTP with a reason. It does nothing for stdio.
func (c *Conn) end(why error) {
	if f, ok := c.peer.(httpPeer); ok {
		f.Fail(why)
	}
}

// endAfter ends the connection after the caller of a request has received its error,
// which is more precise than the error of a lost connection. It waits for the context
// of the request to end, for a limited time.
func (c *Conn) endAfter(request context.Context, why error) {
	peer, ok := c.peer.(httpPeer)
	if !ok {
		return
	}
	late := time.AfterFunc(lossTimeout, func() { peer.Fail(why) })
	context.AfterFunc(request, func() {
		late.Stop()
		peer.Fail(why)
	})
}

// refusalSent returns whether the server got a request that was refused with an HTTP status. A status
// of 500 or above may come from a proxy that has passed the request on.
func refusalSent(status int) toolscript.Sent {
	switch refusalKind(status) {
	case toolscript.Forbidden, toolscript.Busy, toolscript.TooLarge:
		return toolscript.SentNo
	case toolscript.Unavailable:
		return toolscript.SentUnknown
	default:
		return toolscript.SentYes
	}
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

// named returns err with the server and the tool of about, and with Sent if about sets it.
func named(err *toolscript.Error, about toolscript.Error) error {
	full := *err
	full.Server, full.Tool = about.Server, about.Tool
	if about.Sent != "" {
		full.Sent = about.Sent
	}
	return &full
}
