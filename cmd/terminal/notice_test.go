package terminal

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// screen is a terminal that stores its output.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.text.Reset()
	return s.text.String()
}

func TestNotice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s screen
		n := &Notice{to: &s, columns: func() int { return 40 }}
		n.Show("waiting for a")
		time.Sleep(patience - time.Millisecond)
		if got := s.take(); got != "" {
			t.Errorf("before a second: %q", got)
		}
		time.Sleep(2 * time.Millisecond)
		if got, want := s.take(), "\r\x1b[Ktoolscript: waiting for a (1 s)"; got != want {
			t.Errorf("after a second: %q, want %q", got, want)
		}
		n.Show("waiting for something with a long name")
		if got, want := s.take(), "\r\x1b[Ktoolscript: waiting for somethin… (1 s)"; got != want {
			t.Errorf("another text: %q, want %q", got, want)
		}
		n.Hide()
		if got := s.take(); got != "\r\x1b[K" {
			t.Errorf("hidden: %q", got)
		}
		time.Sleep(time.Second)
		if got := s.take(); !strings.HasSuffix(got, "(2 s)") {
			t.Errorf("it does not come back: %q", got)
		}
		n.End()
		if got := s.take(); got != "\r\x1b[K" {
			t.Errorf("at the end: %q", got)
		}
		time.Sleep(5 * time.Second)
		if got := s.take(); got != "" {
			t.Errorf("after the end: %q", got)
		}
		n.Show("quick")
		n.End()
		time.Sleep(5 * time.Second)
		if got := s.take(); got != "" {
			t.Errorf("of a short wait: %q", got)
		}
	})
}

// Without a terminal on stderr there is no notice, and a nil notice does nothing.
func TestNoNotice(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		for _, n := range []*Notice{nil, NewNotice(&screen{})} {
			n.Show("waiting")
			time.Sleep(3 * time.Second)
			n.Hide()
			n.End()
		}
	})
}
