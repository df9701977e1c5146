package api

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"slices"
	"sync"
	"time"
)

// LinkTime is the time for which a link is valid.
const LinkTime = 2 * time.Minute

const (
	mostLinks    = 8  // links not opened yet; the oldest is dropped
	mostSessions = 16 // open pages; the one opened first is dropped
)

// PageSessions holds the links and the open pages of one gateway, until the gateway ends. The
// zero value is ready to use. It is safe for concurrent use.
type PageSessions struct {
	mu       sync.Mutex
	links    []link
	sessions []PageSession
}

// link is an unused link, which opens the page once.
type link struct {
	hash    [sha256.Size]byte
	expires time.Time
}

// PageSession is a page that was opened by a link.
type PageSession struct {
	ID     string // part of the page's path, so that no other server of this machine gets the cookie
	Cookie string // proves the session
	Proof  string // proves to the gateway that a person has given a code to the page; never in a cookie
}

// NewLink returns the secret of a link that is valid once, within LinkTime.
func (s *PageSessions) NewLink() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := secret()
	s.links = last(append(s.links, link{sha256.Sum256([]byte(text)), time.Now().Add(LinkTime)}), mostLinks)
	return text
}

// Open begins a session with the secret of a link. It returns false if the link is unknown, used or too old.
func (s *PageSessions) Open(text string) (PageSession, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	hash := sha256.Sum256([]byte(text))
	i := slices.IndexFunc(s.links, func(l link) bool { return l.hash == hash })
	if i < 0 {
		return PageSession{}, false
	}
	late := !time.Now().Before(s.links[i].expires)
	s.links = slices.Delete(s.links, i, i+1)
	if late {
		return PageSession{}, false
	}
	session := PageSession{ID: secret(), Cookie: secret(), Proof: secret()}
	s.sessions = last(append(s.sessions, session), mostSessions)
	return session, true
}

// Find returns the session with an id, if cookie belongs to it.
func (s *PageSessions) Find(id, cookie string) (PageSession, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range s.sessions {
		if session.ID == id && subtle.ConstantTimeCompare([]byte(cookie), []byte(session.Cookie)) == 1 {
			return session, true
		}
	}
	return PageSession{}, false
}

// Proves reports whether proof is the proof of the session.
func (s PageSession) Proves(proof string) bool {
	return s.Proof != "" && subtle.ConstantTimeCompare([]byte(proof), []byte(s.Proof)) == 1
}

// secret returns 192 random bits in characters that are safe in a URL.
func secret() string {
	var b [24]byte
	_, _ = rand.Read(b[:]) // never fails: without randomness, the process ends
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// last removes all but the last n elements.
func last[T any](list []T, n int) []T { return slices.Delete(list, 0, max(0, len(list)-n)) }
