package actors

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
)

// rereadTime bounds the wait for a new list of tools before a request is refused.
const rereadTime = 5 * time.Second

// Reread reads the list of tools of a server that does not announce changes or is at rest. It
// returns true when the catalog has the list, and false if it was just read or cannot be read.
func (s *System) Reread(ctx context.Context, name string) bool {
	at, ok := s.directory.Find(serverID(name))
	if !ok {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, rereadTime)
	defer cancel()
	reviews, err := mailbox.Ask(ctx, at, func(r mailbox.Reply[int]) any { return server.Reread{Reply: r} })
	return err == nil && reviews > 0 && s.awaitReview(ctx, name, reviews)
}

// awaitReview waits until the catalog has the tools of the given review of a server.
func (s *System) awaitReview(ctx context.Context, name string, reviews int) bool {
	return s.awaitView(ctx, func(view catalog.View) bool {
		at := slices.IndexFunc(view.Servers, func(known catalog.Server) bool { return known.Name == name })
		return at < 0 || view.Servers[at].Reviews >= reviews
	})
}

// rereadAll is Reread for several servers, in parallel. It reports whether any list was read.
func (s *System) rereadAll(ctx context.Context, names toolscript.Filter) (read bool) {
	var work sync.WaitGroup
	var mu sync.Mutex
	for _, name := range names {
		work.Go(func() {
			if s.Reread(ctx, name) {
				mu.Lock()
				defer mu.Unlock()
				read = true
			}
		})
	}
	work.Wait()
	return read
}
