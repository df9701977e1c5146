package oauth

import (
	"context"
	"log/slog"
	"sync"
)

// Book keeps the sessions of one process, one for each server.
type Book struct {
	store Store
	log   *slog.Logger

	mu    sync.Mutex
	pages map[string]bookPage // by server
}

type bookPage struct {
	url     string
	config  Config
	session *Session
}

// NewBook makes a book of logins that are kept in a store.
func NewBook(store Store, log *slog.Logger) *Book {
	return &Book{store: store, log: log, pages: map[string]bookPage{}}
}

// Session is the login at a server: the same one as long as its address and
// configuration are.
func (b *Book) Session(server, url string, config Config) (*Session, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if page, ok := b.pages[server]; ok && page.url == url && page.config == config {
		return page.session, nil
	}
	s, err := New(Options{Server: server, URL: url, Config: config, Store: b.store, Logger: b.log})
	if err != nil {
		return nil, err
	}
	b.pages[server] = bookPage{url, config, s}
	return s, nil
}

// Idle waits until no token is being renewed, or until ctx ends; see
// Session.Idle.
func (b *Book) Idle(ctx context.Context) {
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
