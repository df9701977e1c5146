package httptransport

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/egress"
)

// SSE is a connection over HTTP with server-sent events, as in MCP 2024-11-05. All
// messages of the server arrive on one stream. Its first event contains the URL for
// the client's messages. The end of the stream ends the connection and every request
// in flight.
type SSE struct {
	*wire
	endpoint *url.URL

	waiting sync.Mutex
	pending map[string]*expected // by request id, as mcp.RequestId prints it
}

// expected is a request in flight.
type expected struct {
	arrived chan *transport.JSONRPCResponse // buffered for one response; nil means too large
	lease   *budget.Lease                   // lease of the call
}

// OpenSSE opens the stream and waits for its first event. ctx limits only this step.
func OpenSSE(ctx context.Context, o Options) (*SSE, error) {
	s := &SSE{wire: newWire(o), pending: make(map[string]*expected)}
	stop := context.AfterFunc(ctx, s.end)
	from, body, err := s.open()
	if !stop() && err == nil {
		err = errors.Join(ctx.Err(), body.Close())
	}
	if err != nil {
		s.end()
		o.Client.CloseIdleConnections()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, err
	}
	s.run(func() {
		defer body.Close() //nolint:errcheck // it has been read to its end
		s.Fail(&InterruptedError{Err: s.read(from)})
	})
	return s, nil
}

func (s *SSE) open() (*events, io.ReadCloser, error) {
	resp, err := s.send(s.life, outgoing{http.MethodGet, s.URL, http.Header{"Accept": {"text/event-stream"}}, nil})
	if err != nil {
		return nil, nil, err
	}
	if resp.StatusCode != http.StatusOK || mediaType(resp) != "text/event-stream" {
		return nil, nil, refusal(resp)
	}
	from := newEvents(resp.Body, s.Limit)
	if s.endpoint, err = s.readEndpoint(from); err != nil {
		_ = resp.Body.Close() // the first error is more precise
		return nil, nil, err
	}
	return from, resp.Body, nil
}

// maxFirst is how many events may come before the URL for the client's messages.
const maxFirst = 100

// readEndpoint reads the URL for the client's messages, and skips the events before it. The URL must
// have the origin of the stream, because requests to it contain the configured headers.
func (s *SSE) readEndpoint(from *events) (*url.URL, error) {
	var first event
	for n := 0; first.name != "endpoint"; n++ {
		if n > maxFirst {
			return nil, &InterruptedError{Err: errors.New(`the stream does not begin with the event "endpoint"; is it an MCP server?`)}
		}
		var err error
		if first, err = from.read(); err != nil {
			return nil, broke(err)
		}
	}
	to, err := s.URL.Parse(string(first.data))
	if err != nil || !egress.SameOrigin(s.URL, to) {
		return nil, &InterruptedError{Err: errors.New("the server names an address of another origin for messages")}
	}
	return to, nil
}

// read handles messages until the stream ends.
func (s *SSE) read(from *events) error {
	for {
		if err := s.readOne(from); err != nil {
			return err
		}
	}
}

func (s *SSE) readOne(from *events) error {
	lease := s.Answers.Lease(s.life)
	defer lease.Release()
	e, err := from.under(s.life, lease).read()
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("the server ended the event stream")
	case errors.Is(err, ErrTooLarge) && s.refuse(from.torso):
		return nil
	case err != nil:
		return err
	case e.name != "message":
		return nil
	}
	if response := s.take(s.life, e.data, s.reply, s.awaited); response != nil && !s.tookNameless(response) {
		s.deliver(response, lease)
	}
	return nil
}

func (s *SSE) deliver(response *transport.JSONRPCResponse, taken *budget.Lease) {
	s.waiting.Lock()
	defer s.waiting.Unlock()
	if to, ok := s.pending[response.ID.String()]; ok {
		delete(s.pending, response.ID.String())
		taken.Move(to.lease)
		to.arrived <- response
	}
}

// awaited reports whether a request is in flight.
func (s *SSE) awaited(id string) bool {
	s.waiting.Lock()
	defer s.waiting.Unlock()
	return s.pending[id] != nil
}

// refuse fails the request whose answer is too large. torso is the beginning and the end of the
// answer. refuse returns false if no request in flight has its id.
func (s *SSE) refuse(torso []byte) bool {
	s.waiting.Lock()
	defer s.waiting.Unlock()
	for n := range In(torso, nil) {
		id := mcp.NewRequestId(n).String()
		if to, ok := s.pending[id]; ok {
			delete(s.pending, id)
			to.arrived <- nil
			return true
		}
	}
	return false
}

// SendRequest implements transport.Interface. Its errors are those of errors.go,
// transport.ErrTransportClosed, and the error of ctx.
func (s *SSE) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	ctx, release := budget.Ensure(ctx)
	defer release()
	id, answer := request.ID.String(), make(chan *transport.JSONRPCResponse, 1)
	s.waiting.Lock()
	s.pending[id] = &expected{answer, s.Answers.Lease(ctx)}
	s.waiting.Unlock()
	defer func() {
		s.waiting.Lock()
		defer s.waiting.Unlock()
		delete(s.pending, id)
	}()

	ctx, left := context.WithCancel(ctx)
	defer left()
	posted := s.post(ctx, func(ctx context.Context) error { return s.deposit(ctx, body, request.Header) })
	for {
		select {
		case response := <-answer: // some servers send the answer on the stream before they end the POST
			if response == nil {
				return nil, ErrTooLarge
			}
			return settled(response)
		case err := <-posted:
			if err != nil {
				return nil, s.ended(ctx, err)
			}
			posted = nil
		case <-ctx.Done():
			return nil, s.ended(ctx, ctx.Err())
		case <-s.life.Done():
			return nil, s.ended(ctx, s.life.Err())
		}
	}
}

// deposit sends one message.
func (s *SSE) deposit(ctx context.Context, body []byte, header http.Header) error {
	resp, err := s.send(ctx, outgoing{http.MethodPost, s.endpoint, header, body})
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return refusal(resp)
	}
	_, _ = io.CopyN(io.Discard, resp.Body, maxErrorDoc) // allows the connection to be reused
	return resp.Body.Close()
}

// SendNotification implements transport.Interface.
func (s *SSE) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	body, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return s.tell(ctx, func(ctx context.Context) error { return s.deposit(ctx, body, nil) })
}

// reply answers a request of the server.
func (s *SSE) reply(ctx context.Context, response *transport.JSONRPCResponse) {
	body, err := json.Marshal(response)
	if err == nil {
		err = s.tell(ctx, func(ctx context.Context) error { return s.deposit(ctx, body, nil) })
	}
	if err != nil && ctx.Err() == nil {
		s.Log(slog.LevelWarn, "an answer to a request of the server was not delivered: %v", err)
	}
}

// GetSessionId implements transport.Interface. It returns "", because the session is a part of the
// URL for messages.
func (s *SSE) GetSessionId() string { return "" }

// Listens returns true: unsolicited messages arrive on the stream of the answers.
func (s *SSE) Listens() bool { return true }

// Close ends the stream and the connection.
func (s *SSE) Close() error { return s.shut() }
