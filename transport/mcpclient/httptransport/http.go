package httptransport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
)

const accepted = "application/json, text/event-stream"

// HTTP is a connection over streamable HTTP. Each message to the server is a POST. The response
// is one message or a stream of messages. If the server supports it, another stream carries
// unsolicited messages after the handshake.
//
// The server may return a session id in the handshake, which begins a session. A request in an
// expired session fails with a *SessionError. Another handshake on the same HTTP begins a new
// session.
type HTTP struct {
	*wire
	expired func(session string)
	listens atomic.Bool // see Listens

	session       sync.Mutex // held while the fields below change
	id            string     // session id; "" if there is none
	stopListening context.CancelFunc
	listened      chan struct{} // closed when the stream of unsolicited messages has ended for good; nil if there was none

	waiting sync.Mutex
	waiters map[string]*waiter // by request id, as mcp.RequestId prints it
}

// waiter is a request in flight. Some servers send the response on another stream than that of the
// POST, although MCP forbids it.
type waiter struct {
	stop     context.CancelFunc // cancels the POST
	lease    *budget.Lease      // lease of the call
	response atomic.Pointer[transport.JSONRPCResponse]
}

func (h *HTTP) await(id string, w *waiter) (forget func()) {
	h.waiting.Lock()
	defer h.waiting.Unlock()
	h.waiters[id] = w
	return func() {
		h.waiting.Lock()
		defer h.waiting.Unlock()
		delete(h.waiters, id)
	}
}

// awaited reports whether a request is in flight.
func (h *HTTP) awaited(id string) bool {
	h.waiting.Lock()
	defer h.waiting.Unlock()
	return h.waiters[id] != nil
}

// deliver handles a response that arrived on a stream other than that of its request.
// taken is the lease of the response.
func (h *HTTP) deliver(response *transport.JSONRPCResponse, taken *budget.Lease) {
	h.waiting.Lock()
	defer h.waiting.Unlock()
	if w, ok := h.waiters[response.ID.String()]; ok {
		taken.Move(w.lease)
		w.response.Store(response)
		w.stop()
	}
}

// NewHTTP returns an HTTP for the server at the URL of o. It sends nothing. expired
// is called when the stream of unsolicited messages reports that the session has
// ended; it must not block.
func NewHTTP(o Options, expired func(session string)) *HTTP {
	return &HTTP{wire: newWire(o), expired: expired, stopListening: func() {}, waiters: make(map[string]*waiter)}
}

// GetSessionId implements transport.Interface.
func (h *HTTP) GetSessionId() string {
	h.session.Lock()
	defer h.session.Unlock()
	return h.id
}

func (h *HTTP) setSession(id string) {
	h.session.Lock()
	defer h.session.Unlock()
	h.id = id
}

// SendRequest implements transport.Interface. Its errors are those of errors.go,
// transport.ErrTransportClosed, and the error of ctx.
func (h *HTTP) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	asked := ctx
	ctx, release := budget.Ensure(ctx)
	defer release()
	ctx, cancel := h.within(ctx)
	defer cancel()
	w := &waiter{stop: cancel, lease: h.Answers.Lease(ctx)}
	defer h.await(request.ID.String(), w)()
	session := h.GetSessionId()
	response, err := h.exchange(ctx, request, body)
	if elsewhere := w.response.Load(); elsewhere != nil {
		response, err = elsewhere, nil
		h.deviates(OtherStream)
	}
	if err != nil {
		return nil, h.ended(asked, err)
	}
	if request.Method != string(mcp.MethodInitialize) && session != "" && endsSession(response) {
		h.deviates(SessionByError)
		return nil, &SessionError{Session: session, Untouched: true}
	}
	return settled(response)
}

// noSession is the code of a JSON-RPC error. Some servers send it with HTTP status 200 if a session has
// ended. Others use it for other errors.
const noSession = -32001

// endsSession reports whether a response says that the session has ended.
func endsSession(response *transport.JSONRPCResponse) bool {
	return response.Error != nil && response.Error.Code == noSession && lostSession.MatchString(response.Error.Message)
}

// lostSession matches the texts of errors about an ended session. It must not match errors of a tool that has
// sessions of its own.
var lostSession = regexp.MustCompile(`(?i)^((unknown|invalid|expired|no such) (mcp )?session|(mcp )?session( id)? (is )?(not found|expired|unknown|invalid|terminated))\b`)

// exchange sends a request and reads its response.
func (h *HTTP) exchange(ctx context.Context, request transport.JSONRPCRequest, body []byte) (*transport.JSONRPCResponse, error) {
	session, header, first := h.GetSessionId(), request.Header, request.Method == string(mcp.MethodInitialize)
	if first { // the session and the version are not negotiated yet or no longer valid
		session, header = "", http.Header{transport.HeaderKeyProtocolVersion: nil}
	}
	resp, err := h.submit(ctx, session, body, header)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // the relevant part has been read
	if first {
		session = resp.Header.Get(transport.HeaderKeySessionID)
		h.setSession(session)
	}
	return h.answer(ctx, resp, session, request.ID)
}

// submit sends a message. A response with an error status becomes a *SessionError if
// the server may no longer know the session, otherwise a *StatusError.
func (h *HTTP) submit(ctx context.Context, session string, body []byte, header http.Header) (*http.Response, error) {
	resp, err := h.send(ctx, outgoing{http.MethodPost, h.URL, h.header(session, accepted, header), body})
	if session != "" && Unauthorized(err) {
		return nil, &SessionError{Session: session, Untouched: true, Refusal: err}
	}
	if err != nil || resp.StatusCode < 300 {
		return resp, err
	}
	refused := refusal(resp)
	if session != "" && overdue(refused) {
		return nil, &SessionError{Session: session, Untouched: true}
	}
	return nil, refused
}

// overdue reports whether a status may mean that the session has ended. MCP requires status 404. The
// examples of the TypeScript SDK, and servers based on them, return 400. Others return 200; see
// endsSession.
func overdue(e *StatusError) bool {
	return e.Status == http.StatusNotFound ||
		e.Status == http.StatusBadRequest && strings.Contains(strings.ToLower(e.Text), "session") ||
		e.Code == noSession && lostSession.MatchString(e.Text)
}

// Unauthorized reports whether a request was refused because of its credentials. Some servers
// also respond in this way if they no longer know the session.
func Unauthorized(err error) bool {
	var refused *UnauthorizedError
	return errors.As(err, &refused) || toolscript.KindOf(err) == toolscript.Unauthorized
}

func (h *HTTP) header(session, accept string, more http.Header) http.Header {
	header := more.Clone()
	if header == nil {
		header = make(http.Header)
	}
	header.Set("Accept", accept)
	if session != "" && !h.modern() {
		header.Set(transport.HeaderKeySessionID, session)
	}
	return header
}

// answer reads the response to a request from the response to its POST.
func (h *HTTP) answer(ctx context.Context, resp *http.Response, session string, id mcp.RequestId) (*transport.JSONRPCResponse, error) {
	switch kind := mediaType(resp); {
	case resp.StatusCode == http.StatusAccepted:
		return nil, h.awaitElsewhere(ctx)
	case kind == "text/event-stream":
		s := &stream{http: h, session: session, id: id.String()}
		return s.await(ctx, resp.Body)
	case kind == "application/json":
		text, err := whole(ctx, resp.Body, resp.ContentLength, h.Limit, h.Answers.Lease(ctx))
		if err != nil {
			return nil, err
		}
		m, err := h.parse(text)
		if err != nil || m.Method != "" {
			return nil, Unreadable(text)
		}
		return m.response(), nil
	default:
		return h.mislabelled(ctx, resp, id)
	}
}

// mislabelled reads a response with a wrong content type. It may still be the message: frameworks set
// some content type if the server sets none.
func (h *HTTP) mislabelled(ctx context.Context, resp *http.Response, id mcp.RequestId) (*transport.JSONRPCResponse, error) {
	text, err := whole(ctx, resp.Body, resp.ContentLength, h.Limit, h.Answers.Lease(ctx))
	if err == nil {
		if m, err := parseMessage(text); err == nil && m.Method == "" && m.response().ID.String() == id.String() {
			h.deviates(OtherMediaType)
			return m.response(), nil
		}
	}
	return nil, &StatusError{Status: resp.StatusCode, Text: fmt.Sprintf(
		"its answer has the content type %q; is it an MCP server?", resp.Header.Get("Content-Type"))}
}

// awaitElsewhere waits for the answer to an accepted request that must arrive on the stream of
// unsolicited messages. It returns when ctx ends, because deliver cancels ctx when the answer has
// arrived. The error says why no answer can arrive.
func (h *HTTP) awaitElsewhere(ctx context.Context) error {
	h.session.Lock()
	over := h.listened
	h.session.Unlock()
	if over == nil {
		return &StatusError{Status: http.StatusAccepted, Text: "there is no stream for the answer to the request"}
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-over:
		return &InterruptedError{Err: errors.New("the server has accepted the request, and its stream has ended without the answer")}
	}
}

// SendNotification implements transport.Interface.
func (h *HTTP) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	body, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := h.tell(ctx, func(ctx context.Context) error { return h.deposit(ctx, h.GetSessionId(), body) }); err != nil {
		return err
	}
	if n.Method == string(mcp.MethodNotificationInitialized) {
		h.listen(ctx)
	}
	return nil
}

// deposit sends one message that has no response.
func (h *HTTP) deposit(ctx context.Context, session string, body []byte) error {
	resp, err := h.submit(ctx, session, body, nil)
	if err != nil {
		return err
	}
	_, _ = io.CopyN(io.Discard, resp.Body, maxErrorDoc) // so that the connection can be reused
	return resp.Body.Close()
}

// replyIn returns a function that answers the server's requests in a session.
func (h *HTTP) replyIn(session string) func(context.Context, *transport.JSONRPCResponse) {
	return func(ctx context.Context, response *transport.JSONRPCResponse) {
		body, err := json.Marshal(response)
		if err == nil {
			err = h.tell(ctx, func(ctx context.Context) error { return h.deposit(ctx, session, body) })
		}
		if err != nil && ctx.Err() == nil {
			h.Log(slog.LevelWarn, "an answer to a request of the server was not delivered: %v", err)
		}
	}
}

// Close tells the server that the session ends, and ends the connection.
func (h *HTTP) Close() error {
	session := h.GetSessionId()
	if session != "" && !h.modern() && h.life.Err() == nil {
		ctx, cancel := context.WithTimeout(context.Background(), deleteTime)
		defer cancel()
		resp, err := h.send(ctx, outgoing{http.MethodDelete, h.URL, h.header(session, accepted, nil), nil})
		if err == nil {
			err = resp.Body.Close() // any status is fine: servers that end sessions themselves may reply 405
		}
		if err != nil {
			h.Log(slog.LevelDebug, "the request to end the session failed: %v", err)
		}
	}
	return h.shut()
}

// follows returns a *SessionError if a stream failed because its session has expired,
// otherwise err.
func follows(session string, err error) error {
	var refused *StatusError
	if errors.As(err, &refused) && session != "" && overdue(refused) {
		return &SessionError{Session: session}
	}
	return err
}
