package api_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript/transport/api"
)

// TestLink: a link opens the page only once, and only before it expires.
func TestLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s api.PageSessions
		link := s.NewLink()
		if _, ok := s.Open(link + "x"); ok {
			t.Error("another link opened the page")
		}
		if _, ok := s.Open(""); ok {
			t.Error("an empty link opened the page")
		}
		time.Sleep(api.LinkTime - time.Nanosecond)
		if _, ok := s.Open(link); !ok {
			t.Error("the link did not open the page")
		}
		if _, ok := s.Open(link); ok {
			t.Error("the link opened the page twice")
		}
		late := s.NewLink()
		time.Sleep(api.LinkTime)
		if _, ok := s.Open(late); ok {
			t.Error("a late link opened the page")
		}
	})
}

// TestManyLinks: only the newest links are kept, and only the newest sessions.
func TestManyLinks(t *testing.T) {
	var s api.PageSessions
	first := s.NewLink()
	for range 8 {
		s.NewLink()
	}
	if _, ok := s.Open(first); ok {
		t.Error("the oldest of nine links opened the page")
	}
	old, _ := s.Open(s.NewLink())
	for range 15 {
		s.Open(s.NewLink())
	}
	if _, ok := s.Find(old.ID, old.Cookie); !ok {
		t.Error("the oldest of 16 sessions was dropped")
	}
	s.Open(s.NewLink())
	if _, ok := s.Find(old.ID, old.Cookie); ok {
		t.Error("the oldest of 17 sessions was kept")
	}
}

// TestFind: Find needs both the id and the cookie of a session.
func TestFind(t *testing.T) {
	var s api.PageSessions
	a, _ := s.Open(s.NewLink())
	b, _ := s.Open(s.NewLink())
	for _, tt := range []struct {
		name, id, cookie string
		want             bool
	}{
		{"its own", a.ID, a.Cookie, true},
		{"the cookie of another session", a.ID, b.Cookie, false},
		{"the id of another session", b.ID, a.Cookie, false},
		{"no cookie", a.ID, "", false},
		{"no id", "", a.Cookie, false},
		{"the proof", a.ID, a.Proof, false},
	} {
		if _, ok := s.Find(tt.id, tt.cookie); ok != tt.want {
			t.Errorf("%s: found = %v, want %v", tt.name, ok, tt.want)
		}
	}
	if !a.Proves(a.Proof) || a.Proves(b.Proof) || a.Proves("") || a.Proves(a.Cookie) || (api.PageSession{}).Proves("") {
		t.Error("Proves accepts another text than the proof of the session")
	}
}
