package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// rereadPause is the least time between two readings that no notification of the server caused.
const rereadPause = 10 * time.Second

// ages is a connection to a server that may not announce changes of its list of tools. ListAge
// returns how long a list is used before it is read again; 0: the server announces changes.
type ages interface{ ListAge() time.Duration }

// Reread reads the list of tools of a server that does not announce changes, unless the list
// has just been read, or of a server at rest, which it starts. Reply gets the Reviews of the
// status that has the result, and 0 if no list was read.
type Reread struct{ Reply mailbox.Reply[int] }

// listAge returns the ListAge of the connection; 0 without a connection.
func (s *Server) listAge() time.Duration {
	if c, is := s.conn.(ages); is {
		return c.ListAge()
	}
	return 0
}

// rereadIn schedules the next reading.
func (s *Server) rereadIn(d time.Duration) {
	if s.reading != nil {
		s.reading.Stop()
	}
	post, due := s.post, rereadDue{s.generation}
	s.reading = time.AfterFunc(d, func() { post(due) })
}

// lookAgain is the time after which the actor checks again whether a server announces changes.
const lookAgain = 5 * time.Minute

// rereadLater schedules the next reading after the full ListAge.
func (s *Server) rereadLater() {
	if c, is := s.conn.(ages); is {
		s.rereadIn(max(cmp.Or(c.ListAge(), lookAgain), rereadPause))
	}
}

// hasRead notes that the list was read, and schedules the next reading.
func (s *Server) hasRead() {
	s.listing.read, s.listing.doubted = time.Now(), false
	s.rereadLater()
	for _, reply := range s.listing.awaited {
		reply.Send(s.reviews, nil)
	}
	s.listing.awaited = nil
}

// rereadDue reads the list of a server that was used since the last reading.
func (s *Server) rereadDue(m rereadDue) {
	switch {
	case m.generation != s.generation, s.listing.busy: // hasRead follows
	case s.listAge() == 0, !s.listing.doubted && !s.calls.usedSince(s.listing.read):
		s.rereadLater()
	default:
		s.list(true)
	}
}

// doubt schedules an early reading, because the server does not know a tool of the list.
func (s *Server) doubt(m toolUnknown) {
	if m.generation == s.generation && s.listAge() > 0 && !s.listing.doubted {
		s.listing.doubted = true
		s.rereadIn(max(0, rereadPause-time.Since(s.listing.read)))
	}
}

func (s *Server) reread(m Reread) {
	if s.conn == nil && s.state == toolscript.Resting { // the next process may be a newer version
		s.listing.awaited = append(s.listing.awaited, m.Reply)
		s.want()
		return
	}
	if s.listAge() == 0 || time.Since(s.listing.read) < rereadPause {
		m.Reply.Send(0, nil)
		return
	}
	s.listing.awaited = append(s.listing.awaited, m.Reply)
	if !s.listing.busy {
		s.list(true)
	}
}

// refuseRereads answers the waiting Rereads after the end of the connection.
func (s *Server) refuseRereads() {
	for _, reply := range s.listing.awaited {
		reply.Send(0, nil)
	}
	s.listing.awaited = nil
}

// unknownTexts match the texts with which servers refuse a tool that they do not have.
var unknownTexts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(unknown|no such|invalid) tool\b|\btool\b.{0,200}?\b(not found|not exist|unknown|is no longer)\b`)
})

const (
	longestRefusal = 4 << 10 // in bytes
	methodNotFound = -32601  // error code of JSON-RPC 2.0
)

// isUnknownTool reports whether an answer may say that the server has no such tool.
func isUnknownTool(result json.RawMessage, err error) bool {
	e, known := errors.AsType[*toolscript.Error](err)
	switch {
	case known:
		return e.RPCCode == methodNotFound || e.RPCCode != 0 && unknownTexts().MatchString(e.Error())
	case err != nil, len(result) > longestRefusal, !bytes.Contains(result, []byte(`"isError"`)):
		return false
	default:
		return unknownTexts().Match(result)
	}
}
