package remote

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// SSE is a server spoken to by HTTP with server-sent events, as in MCP
// 2024-11-05: all that the server says comes on one stream, whose first event
// names the address that takes messages. The end of the stream is the end of the
// connection and of every request under way.
type SSE struct {
	*wire
	endpoint *url.URL

	waiting sync.Mutex
	pending map[string]chan *transport.JSONRPCResponse // by request id, as mcp.RequestId prints it
}

// OpenSSE opens the stream and waits for its first event. ctx bounds that alone.
func OpenSSE(ctx context.Context, o Options) (*SSE, error) {
	s := &SSE{wire: newWire(o), pending: make(map[string]chan *transport.JSONRPCResponse)}
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
		s.Fail(&InterruptedError{s.read(from)})
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
	if s.endpoint, err = s.greeting(from); err != nil {
		_ = resp.Body.Close() // the error says more
		return nil, nil, err
	}
	return from, resp.Body, nil
}

// greeting reads the address for messages. Another origin than the stream's is
// refused: it would be sent the headers of the configuration.
func (s *SSE) greeting(from *events) (*url.URL, error) {
	first, err := from.read()
	if err != nil {
		return nil, broke(err)
	}
	if first.name != "endpoint" {
		return nil, &InterruptedError{errors.New(`the stream does not begin with the event "endpoint"; is it an MCP server?`)}
	}
	to, err := s.URL.Parse(string(first.data))
	if err != nil || !sameOrigin(s.URL, to) {
		return nil, &InterruptedError{errors.New("the server names an address for messages that is not its own")}
	}
	return to, nil
}

// read hands on what the server says, until the stream ends.
func (s *SSE) read(from *events) error {
	for {
		e, err := from.read()
		switch {
		case errors.Is(err, io.EOF):
			return errors.New("the server ended the event stream")
		case errors.Is(err, ErrTooLarge) && s.refuse(from.torso):
			continue
		case err != nil:
			return err
		case e.name != "message":
			continue
		}
		if response := s.take(s.life, e.data, s.reply); response != nil {
			s.deliver(response)
		}
	}
}

func (s *SSE) deliver(response *transport.JSONRPCResponse) {
	s.waiting.Lock()
	defer s.waiting.Unlock()
	if to, ok := s.pending[response.ID.String()]; ok {
		delete(s.pending, response.ID.String())
		to <- response // has room for the one
	}
}

// anyID finds what may be the id of a message in a part of it.
var anyID = regexp.MustCompile(`"id"\s*:\s*("(?:[^"\\]|\\.)*"|[0-9]+)`)

// refuse has the request fail whose answer is too large, of which torso are both
// ends, and reports whether there is such a request.
func (s *SSE) refuse(torso []byte) bool {
	s.waiting.Lock()
	defer s.waiting.Unlock()
	for _, found := range anyID.FindAllSubmatch(torso, -1) {
		var id mcp.RequestId
		if id.UnmarshalJSON(found[1]) != nil {
			continue
		}
		if to, ok := s.pending[id.String()]; ok {
			delete(s.pending, id.String())
			to <- nil
			return true
		}
	}
	return false
}

// SendRequest is part of transport.Interface. Beside those of errors.go it fails
// with transport.ErrTransportClosed and with the error of ctx.
func (s *SSE) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	id, answer := request.ID.String(), make(chan *transport.JSONRPCResponse, 1)
	s.waiting.Lock()
	s.pending[id] = answer
	s.waiting.Unlock()
	defer func() {
		s.waiting.Lock()
		defer s.waiting.Unlock()
		delete(s.pending, id)
	}()

	posting, giveUp := s.within(context.WithoutCancel(ctx))
	posted := make(chan error, 1)
	s.run(func() {
		defer giveUp()
		posted <- s.post(posting, body, request.Header)
	})
	for {
		select {
		case response := <-answer: // servers do answer on the stream before they end the POST
			bound := time.AfterFunc(postBound, giveUp)
			context.AfterFunc(posting, func() { bound.Stop() })
			if response == nil {
				return nil, ErrTooLarge
			}
			return response, nil
		case err := <-posted:
			if err != nil {
				return nil, s.ended(ctx, err)
			}
			posted = nil
		case <-ctx.Done():
			giveUp()
			return nil, s.ended(ctx, ctx.Err())
		case <-s.life.Done():
			return nil, s.ended(ctx, s.life.Err())
		}
	}
}

// postBound is how long a POST may go on that was answered on the stream. It is not
// ended at once: net/http hands a connection on before it has told the request
// that it is over, and whoever ends that request then breaks the one that follows.
const postBound = 10 * time.Second

func (s *SSE) post(ctx context.Context, body []byte, header http.Header) error {
	resp, err := s.send(ctx, outgoing{http.MethodPost, s.endpoint, header, body})
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return refusal(resp)
	}
	_, _ = io.CopyN(io.Discard, resp.Body, maxErrorDoc) // so that the connection is used again
	return resp.Body.Close()
}

// SendNotification is part of transport.Interface.
func (s *SSE) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	body, err := json.Marshal(n)
	if err != nil {
		return err
	}
	asked := ctx
	ctx, cancel := s.within(ctx)
	defer cancel()
	if err := s.post(ctx, body, nil); err != nil {
		return s.ended(asked, err)
	}
	return nil
}

// reply answers a request of the server.
func (s *SSE) reply(ctx context.Context, response *transport.JSONRPCResponse) {
	body, err := json.Marshal(response)
	if err == nil {
		err = s.post(ctx, body, nil)
	}
	if err != nil && ctx.Err() == nil {
		s.Log(slog.LevelWarn, "an answer to a request of the server was not delivered: %v", err)
	}
}

// GetSessionId is part of transport.Interface. The address for messages names
// the session.
func (s *SSE) GetSessionId() string { return "" }

// Close ends the stream, and the connection with it.
func (s *SSE) Close() error { return s.shut() }
