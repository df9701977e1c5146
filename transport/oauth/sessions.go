package oauth

import (
	"context"
	"log/slog"
	"sync"
)

// Sessions holds the sessions of one process, one per server.
type Sessions struct {
	store Store
	log   *slog.Logger

	mu    sync.Mutex
	pages map[string]sessionEntry // by server
}

type sessionEntry struct {
	url     string
	config  Config
	session *Session
}

// NewSessions returns Sessions for the logins of a store.
func NewSessions(store Store, log *slog.Logger) *Sessions {
	return &Sessions{store: store, log: log, pages: map[string]sessionEntry{}}
}

// Session returns the session of a server. It returns the same Session as long as the URL and the
// configuration do not change.
func (b *Sessions) Session(server, url string, config Config) (*Session, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if page, ok := b.pages[server]; ok && page.url == url && page.config == config {
		return page.session, nil
	}
	s, err := New(Options{Server: server, URL: url, Config: config, Store: b.store, Logger: b.log})
	if err != nil {
		return nil, err
	}
	b.pages[server] = sessionEntry{url, config, s}
	return s, nil
}

// Idle waits until no token is being renewed, or until ctx ends; see Session.Idle.
func (b *Sessions) Idle(ctx context.Context) {
	b.mu.Lock()
	var all []*Session
	for _, page := range b.pages {
		all = append(all, page.session)
	}
	b.mu.Unlock()
	for _, s := range all {
		s.Idle(ctx)
	}
}
