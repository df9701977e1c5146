package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

const accepted = "application/json, text/event-stream"

// HTTP is a server spoken to by streamable HTTP. Each message is a POST, whose
// answer is one message or a stream of them. What the server says unasked comes
// on a stream of its own, once the handshake is over and if the server has one.
//
// It has a session after a handshake in which the server names one. A request
// that finds the session over fails with a *SessionError; another handshake
// through the same HTTP begins another session.
type HTTP struct {
	*wire
	expired func(session string)

	session sync.Mutex // held while the fields below change
	id      string     // of the session, "" when there is none
	hush    context.CancelFunc

	waiting sync.Mutex
	waiters map[string]*waiter // by request id, as mcp.RequestId prints it
}

// waiter is a request under way. Its response may come on another stream than
// that of its POST: MCP does not want that, and servers do it.
type waiter struct {
	stop     context.CancelFunc // of the POST
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

// deliver takes a response that came on a stream that is not its request's.
func (h *HTTP) deliver(response *transport.JSONRPCResponse) {
	h.waiting.Lock()
	defer h.waiting.Unlock()
	if w, ok := h.waiters[response.ID.String()]; ok {
		w.response.Store(response)
		w.stop()
	}
}

// NewHTTP speaks to the server at the options' URL. Nothing is sent yet. expired
// is told, on a goroutine that must not be held up, of a session that the server
// has ended while nobody asked it for anything.
func NewHTTP(o Options, expired func(session string)) *HTTP {
	return &HTTP{wire: newWire(o), expired: expired, hush: func() {}, waiters: make(map[string]*waiter)}
}

// GetSessionId is part of transport.Interface.
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

// SendRequest is part of transport.Interface. Beside those of errors.go it fails
// with transport.ErrTransportClosed and with the error of ctx.
func (h *HTTP) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	asked := ctx
	ctx, cancel := h.within(ctx)
	defer cancel()
	w := &waiter{stop: cancel}
	defer h.await(request.ID.String(), w)()
	response, err := h.exchange(ctx, request, body)
	if elsewhere := w.response.Load(); elsewhere != nil {
		return elsewhere, nil
	}
	if err != nil {
		return nil, h.ended(asked, err)
	}
	return response, nil
}

// exchange sends a request and reads its response.
func (h *HTTP) exchange(ctx context.Context, request transport.JSONRPCRequest, body []byte) (*transport.JSONRPCResponse, error) {
	session, header, first := h.GetSessionId(), request.Header, request.Method == string(mcp.MethodInitialize)
	if first { // neither is agreed on yet, or not any more
		session, header = "", http.Header{transport.HeaderKeyProtocolVersion: nil}
	}
	resp, err := h.post(ctx, session, body, header)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // it has been read as far as it counts
	if first {
		session = resp.Header.Get(transport.HeaderKeySessionID)
		h.setSession(session)
	}
	return h.answer(ctx, resp, session, request.ID)
}

// post sends a message. An answer with an error status is an error here, unless
// it holds a JSON-RPC error of a request that was read.
func (h *HTTP) post(ctx context.Context, session string, body []byte, header http.Header) (*http.Response, error) {
	resp, err := h.send(ctx, outgoing{http.MethodPost, h.URL, h.header(session, accepted, header), body})
	if err != nil || resp.StatusCode < 300 {
		return resp, err
	}
	refused := refusal(resp)
	if session != "" && overdue(refused) {
		return nil, &SessionError{Session: session, Untouched: true}
	}
	return nil, refused
}

// overdue reports whether a request was refused for its session. MCP wants a 404;
// the examples of the TypeScript SDK, and the servers made after them, answer 400.
func overdue(e *StatusError) bool {
	return e.Status == http.StatusNotFound ||
		e.Status == http.StatusBadRequest && strings.Contains(strings.ToLower(e.Text), "session")
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

// answer reads the response to a request out of the answer to its POST.
func (h *HTTP) answer(ctx context.Context, resp *http.Response, session string, id mcp.RequestId) (*transport.JSONRPCResponse, error) {
	switch mediaType(resp) {
	case "text/event-stream":
		s := &stream{http: h, session: session, id: id.String()}
		return s.await(ctx, resp.Body)
	case "application/json":
		text, err := whole(resp.Body, h.Limit)
		if err != nil {
			return nil, err
		}
		var m message
		if err := json.Unmarshal(text, &m); err != nil || m.Method != "" {
			return nil, &StatusError{Status: resp.StatusCode, Text: "its answer is no response of JSON-RPC"}
		}
		return m.response(), nil
	default:
		return nil, &StatusError{Status: resp.StatusCode, Text: fmt.Sprintf(
			"its answer has the content type %q; is it an MCP server?", resp.Header.Get("Content-Type"))}
	}
}

// SendNotification is part of transport.Interface.
func (h *HTTP) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	body, err := json.Marshal(n)
	if err != nil {
		return err
	}
	asked := ctx
	ctx, cancel := h.within(ctx)
	defer cancel()
	if err := h.tell(ctx, h.GetSessionId(), body); err != nil {
		return h.ended(asked, err)
	}
	if n.Method == string(mcp.MethodNotificationInitialized) {
		h.listen(ctx)
	}
	return nil
}

// tell posts a message that has no answer.
func (h *HTTP) tell(ctx context.Context, session string, body []byte) error {
	resp, err := h.post(ctx, session, body, nil)
	if err != nil {
		return err
	}
	_, _ = io.CopyN(io.Discard, resp.Body, maxErrorDoc) // so that the connection is used again
	return resp.Body.Close()
}

// replyIn answers requests that the server makes in a session.
func (h *HTTP) replyIn(session string) func(context.Context, *transport.JSONRPCResponse) {
	return func(ctx context.Context, response *transport.JSONRPCResponse) {
		body, err := json.Marshal(response)
		if err == nil {
			err = h.tell(ctx, session, body)
		}
		if err != nil && ctx.Err() == nil {
			h.Log(slog.LevelWarn, "an answer to a request of the server was not delivered: %v", err)
		}
	}
}

// Close ends the connection, and the session, of which the server is told.
func (h *HTTP) Close() error {
	session := h.GetSessionId()
	if session != "" && !h.modern() && h.life.Err() == nil {
		ctx, cancel := context.WithTimeout(context.Background(), farewell)
		defer cancel()
		resp, err := h.send(ctx, outgoing{http.MethodDelete, h.URL, h.header(session, accepted, nil), nil})
		if err == nil {
			err = resp.Body.Close() // 405 is as good an answer as 200: some servers end sessions alone
		}
		if err != nil {
			h.Log(slog.LevelDebug, "the server was not told of the end of the session: %v", err)
		}
	}
	return h.shut()
}

// follows reports that a stream cannot go on in its session, and why.
func follows(session string, err error) error {
	var refused *StatusError
	if errors.As(err, &refused) && session != "" && overdue(refused) {
		return &SessionError{Session: session}
	}
	return err
}
