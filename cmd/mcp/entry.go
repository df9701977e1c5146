package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"golang.org/x/sync/semaphore"

	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rawjson"
)

// uncounted is the cost of a message up to which it is not counted: the number of connections bounds such messages.
// They include notifications and answers to questions, which must never be refused.
const uncounted = 128 << 10

// entry admits requests of HTTP clients, within the memory for messages and sessions. It
// also skips the byte order mark of a body.
type entry struct {
	lenient
	room     room
	sessions *sessions
	entrance *entrance
}

// ServeHTTP implements http.Handler.
func (h entry) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		if s := newStream(w, r); s != nil && r.Method == http.MethodGet {
			defer s.end()
			defer s.keepAlive()()
			w = s
		}
		h.inSession(w, r, "", func() { h.Handler.ServeHTTP(w, r) })
		return
	}
	body, release, refused := h.read(r)
	defer release()
	if refused != nil {
		refused(w, r)
		return
	}
	body = readable(body)
	var m message
	_ = json.Unmarshal(body, &m) // mcp-go answers an invalid message
	r.Body = io.NopCloser(bytes.NewReader(body))
	serve := func() {
		if _, isRequest := m.key(); isRequest && m.checkParams() != nil {
			respond(w, http.StatusOK, refusal(string(m.ID), mcp.INVALID_PARAMS, m.checkParams()))
			return
		}
		if _, isRequest := m.key(); isRequest && !m.namesTask(r) {
			respond(w, http.StatusBadRequest, refusal(string(m.ID), mcp.HEADER_MISMATCH, errTaskName))
			return
		}
		v := h.visitor(r, m)
		if h.entrance.passes(m, v) && m.passParams().ready() && m.agrees(r) {
			answer := h.entrance.passed.answer(withSession(withProfile(r.Context(), r), r.Header.Get(server.HeaderKeySessionID)), m, v)
			respond(w, statusOf(answer), answer)
			return
		}
		if _, isRequest := m.key(); isRequest && m.checkTool() != nil {
			respond(w, http.StatusOK, refusal(string(m.ID), mcp.INVALID_PARAMS, m.checkTool()))
			return
		}
		h.serve(w, r, m)
	}
	if m.Method == string(mcp.MethodToolsCall) || m.isListen() {
		if s := newStream(w, r); s != nil {
			defer s.end()
			defer s.keepAlive()()
			w, r = s, r.WithContext(withNotifier(r.Context(), s))
		}
	}
	if strings.EqualFold(m.Method, string(mcp.MethodInitialize)) {
		h.initialize(w, body, m.visitor(), serve)
		return
	}
	h.inSession(w, r, m.subject(), serve)
}

// read reads a message within the memory for messages, which release returns. If the
// message is not read, refused is the handler that answers it; otherwise refused is nil.
func (h entry) read(r *http.Request) (body []byte, release func(), refused http.HandlerFunc) {
	taken := int64(0)
	release = func() { h.room.Release(taken) }
	take := func(cost int64) bool {
		if cost <= max(uncounted, taken) {
			return true
		}
		if !h.room.TryAcquire(cost - taken) {
			return false
		}
		taken = cost
		return true
	}
	size := r.ContentLength
	if size < 0 {
		size = maxMessage
	}
	switch {
	case size > maxMessage:
		return nil, release, refusing(http.StatusRequestEntityTooLarge, errMessageTooLarge)
	case !take(perRequest + perByte*size):
		return nil, release, refusing(http.StatusServiceUnavailable, errMessagesBusy)
	}
	body, err := budget.Read(r.Context(), nil, rawjson.SkipMark(r.Body), r.ContentLength, maxMessage)
	if err != nil && !errors.Is(err, budget.ErrTooLong) {
		return nil, release, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, err.Error(), http.StatusBadRequest) }
	}
	switch cost := costOf(body); {
	case err != nil || cost > maxCost:
		return nil, release, refusing(http.StatusRequestEntityTooLarge, errMessageTooLarge)
	case !take(cost):
		return nil, release, refusing(http.StatusServiceUnavailable, errMessagesBusy)
	}
	return body, release, nil
}

// initialize serves a request that begins a session.
func (h entry) initialize(w http.ResponseWriter, body []byte, v visitor, serve func()) {
	kept := int(costOf(body))
	switch {
	case len(body) > maxInitialize:
		refusing(http.StatusRequestEntityTooLarge, errInitializeTooLarge)(w, nil)
		return
	case !h.sessions.begin(kept):
		refusing(http.StatusServiceUnavailable, errSessions)(w, nil)
		return
	}
	id := ""
	defer func() { h.sessions.began(id, kept, v) }()
	serve()
	id = w.Header().Get(server.HeaderKeySessionID)
}

// visitor returns the description of the client that has sent a request.
func (h entry) visitor(r *http.Request, m message) visitor {
	if mcp.IsModernProtocol(m.passParams().Meta.Version) {
		return m.visitor()
	}
	return h.sessions.visitor(r.Header.Get(server.HeaderKeySessionID))
}

// inSession serves a request that may belong to a session; subject is that of its message. A stream without a session gets
// one that ends with it.
func (h entry) inSession(w http.ResponseWriter, r *http.Request, subject string, serve func()) {
	id, own := r.Header.Get(server.HeaderKeySessionID), false
	if own = id == "" && r.Method == http.MethodGet; own {
		id = new(server.StatelessGeneratingSessionIdManager).Generate()
		r.Header.Set(server.HeaderKeySessionID, id)
	}
	if id != "" && !isSessionID(id) {
		refusing(http.StatusNotFound, errNoSession)(w, r)
		return
	}
	if id == "" || mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) { // such requests have no sessions
		serve()
		return
	}
	if own && !h.sessions.add(id) {
		refusing(http.StatusServiceUnavailable, errSessions)(w, r)
		return
	}
	if !h.sessions.enter(id, subject) {
		refusing(http.StatusNotFound, errNoSession)(w, r)
		return
	}
	defer func() {
		h.sessions.leave(id, subject)
		if own {
			h.sessions.end(id)
		}
		if own || r.Method == http.MethodDelete {
			h.sessions.forget(id)
		}
	}()
	serve()
}

var (
	errInitializeTooLarge = errors.New("the message initialize has more than 64 KB")
	errSessions           = errors.New("there are 1000 sessions with requests in progress; end one of them")
	errTaskName           = errors.New("the header Mcp-Name differs from the taskId in the message")
	errNoEvents           = errors.New("notifications are sent as text/event-stream, which the request does not accept")
	errNoSession          = errors.New("there is no such session: it has ended, or the gateway was started again; begin another one with initialize")
)

// respond writes a response, which is JSON.
func respond(w http.ResponseWriter, status int, response []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(response) // the client has gone
}

// statusOf returns the HTTP status of a response: MCP wants 400 for a missing capability.
func statusOf(response []byte) int {
	if bytes.Contains(response[:min(len(response), 1000)], fmt.Appendf(nil, `,"error":{"code":%d,`, missingCapability)) {
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// refusing returns a handler that answers with a JSON-RPC error.
func refusing(status int, why error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		code := mcp.INVALID_REQUEST
		w.Header().Set("Content-Type", "application/json")
		if status == http.StatusServiceUnavailable {
			code = mcp.INTERNAL_ERROR
			w.Header().Set("Retry-After", "1")
		}
		w.WriteHeader(status)
		_, _ = w.Write(refusal("null", code, why)) // the client has gone
	}
}

// refusal returns the error response to a request. id is JSON.
func refusal(id string, code int, why error) []byte {
	text, _ := json.Marshal(map[string]any{ // it always encodes
		"jsonrpc": mcp.JSONRPC_VERSION, "id": json.RawMessage(id), "error": map[string]any{"code": code, "message": why.Error()},
	})
	return text
}

// lenient accepts correct messages that mcp-go refuses. A refusal makes the Go SDK close
// its session.
type lenient struct{ http.Handler }

// serve answers an HTTP request with a message.
func (h lenient) serve(w http.ResponseWriter, r *http.Request, m message) {
	switch {
	case mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)):
		// The client has cancelled the request by closing its response. The notification of
		// the Go SDK has no version in _meta.
		if m.Method == "notifications/cancelled" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
	case m.isResponse() && r.Header.Get(server.HeaderKeySessionID) != "":
		w = &acceptedLate{ResponseWriter: w}
	}
	h.ServeHTTP(w, r)
}

// message is the part of a JSON-RPC message that is read before mcp-go reads it.
type message struct {
	JSONRPC       string
	Method        string
	ID            json.RawMessage
	Result, Error json.RawMessage
	Params        json.RawMessage
}

func (m message) isResponse() bool {
	_, err := strconv.ParseInt(string(m.ID), 10, 64)
	return err == nil && m.Method == "" && (m.Result != nil || m.Error != nil)
}

// acceptedLate answers 202 to a client's response that comes too late, because its request
// has ended or was answered. The client could not know that yet. mcp-go answers 400 or 500.
type acceptedLate struct {
	http.ResponseWriter
	late bool
}

// WriteHeader implements http.ResponseWriter.
func (w *acceptedLate) WriteHeader(code int) {
	if w.late = code == http.StatusBadRequest || code == http.StatusInternalServerError; w.late {
		w.Header().Del("Content-Type")
		w.Header().Del("Content-Length")
		code = http.StatusAccepted
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (w *acceptedLate) Write(p []byte) (int, error) {
	if w.late {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

type profileKey struct{}

// withProfile makes the profile in the URL of a request available to ProfileOf.
func withProfile(ctx context.Context, r *http.Request) context.Context {
	return context.WithValue(ctx, profileKey{}, r.URL.Query().Get("profile"))
}

// ProfileOf returns the profile in the URL of an HTTP request, or "" if there is none.
func ProfileOf(ctx context.Context) string {
	name, _ := ctx.Value(profileKey{}).(string)
	return name
}

const (
	// maxMessage is the longest message of a client, in bytes. The longest script has 1 MB,
	// and at most six times as much in JSON.
	maxMessage = 8 << 20

	// maxCost is the maximum memory for one message, and allCosts for all messages that are
	// being answered.
	maxCost  = 64 << 20
	allCosts = 128 << 20

	// The estimated memory for answering a message, in bytes: mcp-go decodes it several
	// times, into Go values.
	perRequest = 16 << 10
	perByte    = 6
	perValue   = 100
)

var (
	errMessageTooLarge = errors.New("the message has more than 8 MB, or too many values")
	errMessagesBusy    = errors.New("the requests in progress use all the memory for requests; try again when one of them has its answer")
)

// room limits the memory for messages that are being answered.
type room struct {
	*semaphore.Weighted

	returner *budget.Returner
}

func newRoom() room { return room{semaphore.NewWeighted(allCosts), &budget.Returner{}} }

// Release returns the memory of a message.
func (r room) Release(cost int64) {
	r.Weighted.Release(cost)
	r.returner.Released(cost)
}

// costOf returns the estimated memory for a message.
func costOf(message []byte) int64 {
	values, inside := 0, false
	for i := 0; i < len(message); i++ {
		switch b := message[i]; {
		case b == '"':
			inside = !inside
		case inside && b == '\\':
			i++
		case !inside && (b == ',' || b == '[' || b == '{'):
			values++
		}
	}
	return int64(perRequest + perByte*len(message) + perValue*values)
}
