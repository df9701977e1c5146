package mcp

import (
	"cmp"
	"container/list"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/live"
)

const (
	sessionIdle   = time.Hour // a session without a request ends after this time
	maxSessions   = 1000      // sessions at the same time; the least recently used one ends for a new one
	maxInitialize = 64 << 10  // bytes of an initialize message, most of which the session keeps
	maxKept       = 32 << 20  // memory for the initialize messages of all sessions, in bytes
)

// sessions bounds the sessions over HTTP that mcp-go keeps: mcp-go has no bound, accepts any id as that of a session, and
// would end an idle session whose stream is open.
type sessions struct {
	end  func(id string) // removes a session from mcp-go
	feed *live.Feed

	mu    sync.Mutex
	known map[string]*list.Element // elements of order by session id
	order list.List                // elements are *session; the most recently used is the last
	kept  int                      // memory of all sessions, in bytes
	begun int                      // initialize messages that are being answered
	count int64                    // sessions so far
}

type session struct {
	id   string
	busy int // requests that are being answered
	kept int // memory for its initialize message, in bytes
	used time.Time

	visitor visitor
	shown   toolscript.SessionEntry // without Waits
	waits   []string                // subjects of the requests that are being answered
}

// maxWaits is the maximum number of requests of a session that operators see.
const maxWaits = 20

// entry returns what operators see of the session.
func (s *session) entry() toolscript.SessionEntry {
	e := s.shown
	for _, subject := range s.waits[:min(len(s.waits), maxWaits)] {
		e.Waits = append(e.Waits, strings.TrimPrefix(subject, calledTool))
	}
	return e
}

func newSessions(web *server.StreamableHTTPServer, feed *live.Feed) *sessions {
	return &sessions{feed: cmp.Or(feed, live.NewFeed()), known: map[string]*list.Element{}, end: func(id string) {
		web.Handle(nowhere{}, &server.HTTPRequest{
			Method: http.MethodDelete, Header: http.Header{server.HeaderKeySessionID: {id}}, Context: context.Background(),
		})
	}}
}

// begin makes room for a session that keeps some bytes. It returns false if there is no
// room; otherwise the caller must call began.
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

// began records the session that has begun. id is "" if none has.
func (s *sessions) began(id string, bytes int, v visitor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun--
	if id == "" {
		s.kept -= bytes
		return
	}
	s.count++
	of := &session{id: id, kept: bytes, used: time.Now(), visitor: v, shown: toolscript.SessionEntry{
		ID: fmt.Sprintf("%s_%d", toolscript.SessionHTTP, s.count), MCPClient: v.MCPClient, Transport: toolscript.SessionHTTP, Since: time.Now(), Calls: new(int64),
	}}
	s.known[id] = s.order.PushBack(of)
	s.feed.Put(of.entry())
}

// add creates a session for one stream. It returns false if there is no room for it.
func (s *sessions) add(id string) bool {
	if !s.begin(0) {
		return false
	}
	s.began(id, 0, visitor{})
	return true
}

// enter records the start of a session's request with a subject, see message.subject. It returns false if there is no such
// session; otherwise the caller must call leave.
func (s *sessions) enter(id, subject string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.known[id]
	if ok {
		of := s.use(at)
		of.busy++
		if subject != "" {
			of.shown.Last, of.waits = new(time.Now()), append(of.waits, subject)
			s.feed.Put(of.entry())
		}
	}
	return ok
}

func (s *sessions) use(at *list.Element) *session {
	s.order.MoveToBack(at)
	of, _ := at.Value.(*session)
	of.used = time.Now()
	return of
}

// visitor returns the description that the client of a session has sent when it began.
func (s *sessions) visitor(id string) (v visitor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok := s.known[id]; ok {
		v = at.Value.(*session).visitor
	}
	return v
}

// leave records the end of a request.
func (s *sessions) leave(id, subject string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.known[id]
	if at == nil {
		return
	}
	of := s.use(at)
	of.busy--
	if n := slices.Index(of.waits, subject); n >= 0 {
		of.waits = slices.Delete(of.waits, n, n+1)
		if strings.HasPrefix(subject, calledTool) {
			of.shown.Calls = new(*of.shown.Calls + 1)
		}
		s.feed.Put(of.entry())
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
	s.feed.Remove(toolscript.LiveSession, of.shown.ID)
}

// makeRoom removes sessions without requests, the least recently used first, until there is room for one that keeps
// some bytes. The caller holds mu, and must end the returned sessions.
func (s *sessions) makeRoom(bytes int) (ended []string, ok bool) {
	full := func() bool { return len(s.known)+s.begun >= maxSessions || s.kept+bytes > maxKept }
	return s.remove(func(*session) bool { return full() }), !full()
}

// remove removes sessions without requests, the least recently used first, up to one that need not go. The caller holds
// mu, and must end the returned sessions.
func (s *sessions) remove(must func(*session) bool) (ended []string) {
	var next *list.Element
	for at := s.order.Front(); at != nil; at = next {
		next = at.Next()
		of, _ := at.Value.(*session)
		if !must(of) {
			break
		}
		if of.busy == 0 {
			s.drop(at)
			ended = append(ended, of.id)
		}
	}
	return ended
}

// endIdle ends the sessions that have had no request for sessionIdle, until ctx ends.
func (s *sessions) endIdle(ctx context.Context) {
	for ctx.Err() == nil {
		s.mu.Lock()
		ended := s.remove(func(of *session) bool { return time.Since(of.used) >= sessionIdle })
		s.mu.Unlock()
		s.endAll(ended)
		select {
		case <-time.After(sessionIdle / 4):
		case <-ctx.Done():
		}
	}
}

func (s *sessions) endAll(ids []string) {
	for _, id := range ids {
		s.end(id)
	}
}

// isSessionID reports whether mcp-go accepts an id.
func isSessionID(id string) bool {
	_, err := new(server.StatelessGeneratingSessionIdManager).Validate(id)
	return strings.TrimSpace(id) != "" && err == nil
}

// nowhere discards an answer.
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
