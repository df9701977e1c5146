package httptransport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/internal/budget"
)

const (
	retryDelay = time.Second      // wait before a stream is opened again, unless the server sets another delay
	leastRetry = time.Second / 2  // the shortest delay that a server can set; a shorter one has no effect
	maxRetry   = 30 * time.Second // between two attempts
	maxResumes = 5                // maximum number of consecutive attempts without a new event
	headerTime = 30 * time.Second // for the header of the response to a GET
)

// stream is the response to one request as a stream of messages. If the stream ends or breaks before
// the answer, await resumes it after the last event with an id.
type stream struct {
	http    *HTTP
	session string
	id      string // id of the request, as mcp.RequestId prints it
}

// await reads the stream until the answer has arrived.
func (s *stream) await(ctx context.Context, body io.ReadCloser) (*transport.JSONRPCResponse, error) {
	from := newEvents(body, s.http.Limit)
	failures := 0
	for {
		response, err := s.read(ctx, from)
		_ = body.Close() // the relevant part has been read
		if response != nil || errors.Is(err, ErrTooLarge) || errors.Is(err, budget.ErrFull) {
			return response, err
		}
		if from.count > 0 {
			failures = 0
		}
		if from.lastID == "" || s.http.modern() {
			return nil, broke(err) // MCP 2026-07-28 has no resumption
		}
		for opened := false; !opened; failures++ {
			if failures == maxResumes || !pause(ctx, delay(from, failures)) {
				return nil, broke(err)
			}
			next, failed := s.http.open(ctx, s.session, from.lastID)
			if failed != nil && !passing(failed) {
				return nil, broken(failed)
			}
			if opened = failed == nil; opened {
				body = next
			}
		}
		from = from.onward(body)
	}
}

// read reads until the answer or the end of the stream. Only the bytes of the answer count for the call: the stream may
// have any number of notifications before.
func (s *stream) read(ctx context.Context, from *events) (*transport.JSONRPCResponse, error) {
	for {
		response, err := s.next(ctx, from)
		if response != nil || err != nil {
			return response, err
		}
	}
}

// next handles one event. It returns nil without an error unless the event is the answer.
func (s *stream) next(ctx context.Context, from *events) (*transport.JSONRPCResponse, error) {
	lease := s.http.Answers.Lease(s.http.life)
	defer lease.Release()
	e, err := from.under(ctx, lease).read()
	if err != nil {
		return nil, err
	}
	switch response := s.http.take(ctx, e.data, s.http.replyIn(s.session), s.http.awaited); {
	case response == nil:
	case response.ID.String() == s.id, response.ID.IsNil():
		lease.Move(s.http.Answers.Lease(ctx))
		return response, nil
	default:
		s.http.deliver(response, lease)
	}
	return nil, nil
}

// broken returns the error for a request whose stream cannot be resumed. The request has reached the
// server.
func broken(err error) error {
	var session *SessionError
	if errors.As(err, &session) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &InterruptedError{Err: err}
}

// passing reports whether another attempt to open a stream may succeed after err.
func passing(err error) bool {
	var refused *StatusError
	if errors.As(err, &refused) {
		return refused.Status >= 500 || refused.Status == http.StatusTooManyRequests
	}
	var unreachable *UnreachableError
	var interrupted *InterruptedError
	return errors.As(err, &unreachable) || errors.As(err, &interrupted)
}

// delay returns the time before the next attempt, after failures attempts without success.
func delay(from *events, failures int) time.Duration {
	first := retryDelay
	if from.asked && from.retry >= leastRetry {
		first = from.retry
	}
	return max(first, min(first<<failures, maxRetry))
}

// onward returns an events that continues e with another body.
func (e *events) onward(body io.Reader) *events {
	next := newEvents(body, e.limit).under(e.ctx, e.lease)
	next.lastID, next.retry, next.asked = e.lastID, e.retry, e.asked
	return next
}

// open opens a stream of messages, after the event lastID if it is set. The header of
// the response must arrive within headerTime; the stream has no time limit.
func (h *HTTP) open(ctx context.Context, session, lastID string) (io.ReadCloser, error) {
	header := h.header(session, "text/event-stream", nil)
	if lastID != "" {
		header.Set(mcp.HeaderLastEventID, lastID)
	}
	ctx, cancel := context.WithCancel(ctx)
	late := time.AfterFunc(headerTime, cancel)
	resp, err := h.send(ctx, outgoing{http.MethodGet, h.URL, header, nil})
	if !late.Stop() && err == nil {
		_ = resp.Body.Close() // its context has ended
		err = &InterruptedError{Err: errors.New("the server did not begin its answer in time")}
	}
	switch {
	case err != nil:
	case resp.StatusCode == http.StatusOK && mediaType(resp) == "text/event-stream":
		return &body{resp.Body, cancel}, nil
	default:
		err = follows(session, refusal(resp))
	}
	cancel()
	return nil, err
}

// body is a response body that cancels its request when it is closed.
type body struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *body) Close() error {
	b.cancel()
	return b.ReadCloser.Close()
}
