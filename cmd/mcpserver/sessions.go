package mcpserver

import (
	"container/list"
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

const (
	// sessionIdle is how long the state of a client over HTTP is kept after its last
	// request.
	sessionIdle = time.Hour

	maxSessions   = 1000     // sessions at once; the one that was used last ends for another
	maxInitialize = 64 << 10 // bytes of a message initialize, most of which the session keeps
	maxKept       = 32 << 20 // memory for the messages initialize of all sessions, in bytes
)

// sessions bounds what mcp-go keeps of sessions over HTTP: it has no bound of its own, and
// takes any id for that of a session.
type sessions struct {
	end func(id string) // removes a session from mcp-go

	mu    sync.Mutex
	known map[string]*list.Element // of order
	order list.List                // of *session; the one that was used last is the last
	kept  int                      // of all sessions
	begun int                      // messages initialize that are being answered
}

type session struct {
	id   string
	busy int // requests that are being answered
	kept int // memory for its message initialize, in bytes
}

func newSessions(web *server.StreamableHTTPServer) *sessions {
	return &sessions{known: map[string]*list.Element{}, end: func(id string) {
		web.Handle(nowhere{}, &server.HTTPRequest{
			Method: http.MethodDelete, Header: http.Header{server.HeaderKeySessionID: {id}}, Context: context.Background(),
		})
	}}
}

// begin makes room for a session that keeps some bytes. It returns false if there is none;
// otherwise began must follow.
func (s *sessions) begin(bytes int) bool {
	s.mu.Lock()
	ended, ok := s.makeRoom(bytes)
	if ok {
		s.begun++
		s.kept += bytes
	}
	s.mu.Unlock()
	s.endAll(ended)
	return ok
}

// began records the session that has begun; "" if it has not.
func (s *sessions) began(id string, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun--
	if id == "" {
		s.kept -= bytes
		return
	}
	s.known[id] = s.order.PushBack(&session{id: id, kept: bytes})
}

// add makes a session of one stream. It returns false if there is no room for it.
func (s *sessions) add(id string) bool {
	if !s.begin(0) {
		return false
	}
	s.began(id, 0)
	return true
}

// enter records a request of a session. It returns false if there is no such session;
// otherwise leave must follow.
func (s *sessions) enter(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.known[id]
	if ok {
		s.order.MoveToBack(at)
		at.Value.(*session).busy++
	}
	return ok
}

// leave records the end of a request.
func (s *sessions) leave(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.known[id]; at != nil {
		s.order.MoveToBack(at)
		at.Value.(*session).busy--
	}
}

// forget removes a session that mcp-go has ended.
func (s *sessions) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.known[id]; at != nil {
		s.drop(at)
	}
}

func (s *sessions) drop(at *list.Element) {
	of, _ := s.order.Remove(at).(*session)
	s.kept -= of.kept
	delete(s.known, of.id)
}

// makeRoom removes sessions without requests, first those that were used the longest time
// ago, until there is room for one more that keeps some bytes. It is called with mu held;
// the caller ends what it returns.
func (s *sessions) makeRoom(bytes int) (ended []string, ok bool) {
	full := func() bool { return len(s.known)+s.begun >= maxSessions || s.kept+bytes > maxKept }
	for at := s.order.Front(); at != nil && full(); {
		next := at.Next()
		if of, _ := at.Value.(*session); of.busy == 0 {
			s.drop(at)
			ended = append(ended, of.id)
		}
		at = next
	}
	return ended, !full()
}

func (s *sessions) endAll(ids []string) {
	for _, id := range ids {
		s.end(id)
	}
}

// isSessionID reports whether mcp-go takes an id.
func isSessionID(id string) bool {
	_, err := new(server.StatelessGeneratingSessionIdManager).Validate(id)
	return strings.TrimSpace(id) != "" && err == nil
}

// nowhere takes an answer that nothing reads.
type nowhere struct{}

// Header implements server.HTTPResponseWriter.
func (nowhere) Header() http.Header { return http.Header{} }

// WriteHeader implements server.HTTPResponseWriter.
func (nowhere) WriteHeader(int) {}

// Write implements server.HTTPResponseWriter.
func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// Flush implements server.HTTPResponseWriter.
func (nowhere) Flush() {}

// CanStream implements server.HTTPResponseWriter.
func (nowhere) CanStream() bool { return false }
