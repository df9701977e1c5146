package live

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

const (
	announceTime = 30 * time.Second // bounds a request to a server about a resource
	joinWait     = 15 * time.Second // how long a client waits for a server that connects
	levelTime    = 5 * time.Second  // bounds the requests that set the level of log messages
	levelWait    = time.Second      // how long a client waits for them
)

// Watches has the watchers of a gateway, and keeps the subscriptions at the servers that they need: one for
// each resource. It implements server.Watches. The exported fields must be set before its first use.
type Watches struct {
	// Subscribe makes a request for a watcher, Check returns why it may not be made, and Announce makes a
	// request that no watcher waits for.
	Subscribe, Announce func(ctx context.Context, o toolscript.FetchRequest) error
	Check               func(o toolscript.FetchRequest) error

	Ready   func() []string                  // the servers that are connected
	Clean   func(server, text string) string // returns a text of a server without secrets
	Work    *mailbox.Group                   // requests that no watcher waits for
	Closing context.Context                  //nolint:containedctx // ends with the gateway
	Logger  *slog.Logger

	mu        sync.Mutex
	watchers  map[*watcher]bool
	resources map[toolscript.WatchedResource]*subscribed
	level     string        // of log messages, that the servers were told last
	telling   chan struct{} // closed when they have been told; nil: they are not being told another one

	active atomic.Int64 // number of watchers; read without mu, so that changes are cheap while there are none
	rank   atomic.Int64 // toolscript.LogRank of the lowest level that a watcher wants, plus 1; 0: none
}

// subscribed is a resource that watchers want.
type subscribed struct {
	turn  chan struct{} // holds a value while a request about the resource is in progress
	count int           // watchers; guarded by watches.mu
	made  bool          // the server has agreed; guarded by watches.mu
}

// enter registers a watcher. It returns false if there are too many.
func (w *Watches) enter(one *watcher) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.watchers) >= maxWatchers {
		return false
	}
	if w.watchers == nil {
		w.watchers, w.resources = map[*watcher]bool{}, map[toolscript.WatchedResource]*subscribed{}
	}
	w.watchers[one] = true
	w.counted()
	return true
}

func (w *Watches) leave(one *watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.watchers, one)
	w.counted()
}

// counted updates what depends on the watchers. The caller holds mu.
func (w *Watches) counted() {
	lowest := math.MaxInt
	for each := range w.watchers {
		if rank := toolscript.LogRank(each.query.Level); rank >= 0 {
			lowest = min(lowest, rank)
		}
	}
	if lowest == math.MaxInt {
		lowest = -1
	}
	w.active.Store(int64(len(w.watchers)))
	if w.rank.Swap(int64(lowest)+1) != int64(lowest)+1 {
		w.tellLevel()
	}
}

func (w *Watches) background(f func(ctx context.Context)) {
	w.Work.Go(func() {
		ctx, cancel := context.WithTimeout(w.Closing, announceTime)
		defer cancel()
		f(ctx)
	}, func(err error) {
		mailbox.LogFailure(w.Logger, slog.LevelError, "request to a server failed", err)
	})
}

// Logs implements server.Watches.
func (w *Watches) Logs(level string) bool {
	rank := w.rank.Load()
	return rank > 0 && int64(toolscript.LogRank(level)) >= rank-1
}

// Tell implements server.Watches.
func (w *Watches) Tell(c toolscript.Change) {
	if w.active.Load() == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	clean := sync.OnceValue(func() toolscript.Change { return w.cleaned(c) })
	for each := range w.watchers {
		if each.wants(c) {
			each.add(c, clean)
		}
	}
}

// Subscribed implements server.Watches.
func (w *Watches) Subscribed(server string) bool {
	if w.active.Load() == 0 {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for r := range w.resources {
		if r.Server == server {
			return true
		}
	}
	return false
}

// Connected implements server.Watches. The server gets the subscriptions of its previous connection, and
// the level of log messages.
func (w *Watches) Connected(server string) {
	if w.active.Load() == 0 {
		return
	}
	for _, list := range []toolscript.Collection{toolscript.Resources, toolscript.Prompts} {
		w.Tell(toolscript.Change{Of: toolscript.ChangeList, Server: server, List: list})
	}
	if w.rank.Load() > 0 {
		w.background(func(ctx context.Context) { w.setLevel(ctx, server, w.wanted()) })
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for r, s := range w.resources {
		if r.Server == server { // also if the answer of the previous connection has not been handled yet
			w.background(func(ctx context.Context) { w.again(ctx, r, s) })
		}
	}
}

// join adds a watcher of a resource. The first one makes the server announce its changes.
func (w *Watches) join(ctx context.Context, r toolscript.WatchedResource, allow toolscript.Filter) error {
	if r.Server == "" || r.URI == "" {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: errNoWatch}
	}
	o := toolscript.FetchRequest{ID: toolscript.Subscribe, Server: r.Server, URI: r.URI, Selected: true, Allow: allow, Wait: joinWait}
	if err := w.Check(o); err != nil {
		return err
	}
	w.mu.Lock()
	s := w.resources[r]
	if s == nil {
		s = &subscribed{turn: make(chan struct{}, 1)}
		w.resources[r] = s
	}
	s.count++
	w.mu.Unlock()
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		w.background(func(ctx context.Context) { w.drop(ctx, r, s) })
		return toolscript.ContextError(ctx)
	}
	if w.isMade(s) {
		<-s.turn
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, announceTime)
	defer cancel()
	err := w.Subscribe(bounded, o)
	w.mu.Lock()
	s.made = err == nil
	w.mu.Unlock()
	<-s.turn
	if err != nil {
		w.background(func(ctx context.Context) { w.drop(ctx, r, s) })
	}
	return err
}

func (w *Watches) isMade(s *subscribed) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return s.made
}

// part removes a watcher of a resource.
func (w *Watches) part(r toolscript.WatchedResource) {
	w.mu.Lock()
	s := w.resources[r]
	w.mu.Unlock()
	w.background(func(ctx context.Context) { w.drop(ctx, r, s) })
}

// drop removes a watcher of a resource. The last one ends the subscription at the server, which has nothing
// to end if it is not connected.
func (w *Watches) drop(ctx context.Context, r toolscript.WatchedResource, s *subscribed) {
	s.turn <- struct{}{} // all requests about the resource end within their time
	defer func() { <-s.turn }()
	w.mu.Lock()
	s.count--
	ends := s.count == 0 && s.made
	s.made = s.made && !ends
	w.mu.Unlock()
	if ends && slices.Contains(w.Ready(), r.Server) {
		_ = w.Announce(ctx, toolscript.FetchRequest{ID: toolscript.Unsubscribe, Server: r.Server, URI: r.URI}) // without it, later announcements have no effect
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.count == 0 && w.resources[r] == s {
		delete(w.resources, r)
	}
}

// again subscribes to a resource on a new connection. The resource may have changed in the meantime.
func (w *Watches) again(ctx context.Context, r toolscript.WatchedResource, s *subscribed) {
	s.turn <- struct{}{} // as above
	defer func() { <-s.turn }()
	w.mu.Lock()
	wanted := s.count > 0
	w.mu.Unlock()
	if !wanted {
		return
	}
	err := w.Announce(ctx, toolscript.FetchRequest{ID: toolscript.Subscribe, Server: r.Server, URI: r.URI})
	w.mu.Lock()
	s.made = err == nil // otherwise the next watcher asks
	w.mu.Unlock()
	if err != nil {
		w.Logger.Warn("resource not subscribed again", slog.String("server", r.Server), slog.String("error", err.Error()))
		return
	}
	w.Tell(toolscript.Change{Of: toolscript.ChangeResource, Server: r.Server, URI: r.URI})
}

// wanted returns the level from which on servers are to send log messages.
func (w *Watches) wanted() string {
	if rank := w.rank.Load(); rank > 0 {
		return toolscript.LogLevel(int(rank) - 1)
	}
	return toolscript.DefaultLogLevel
}

// awaitLevel waits until the servers have been told the level, but not long for one that does not answer.
func (w *Watches) awaitLevel(ctx context.Context) {
	w.mu.Lock()
	told := w.telling
	w.mu.Unlock()
	if told == nil {
		return
	}
	late := time.NewTimer(levelWait)
	defer late.Stop()
	select {
	case <-told:
	case <-late.C:
	case <-ctx.Done():
	}
}

// tellLevel starts a goroutine that sends the lowest wanted log level to all connected servers, unless such a
// goroutine runs. The caller holds mu.
func (w *Watches) tellLevel() {
	if w.telling != nil {
		return
	}
	w.telling = make(chan struct{})
	w.background(func(context.Context) {
		for level := w.nextLevel(); level != ""; level = w.nextLevel() {
			w.setLevels(level)
		}
	})
}

// nextLevel returns the level that the servers have to be told now, or "" if they know it.
func (w *Watches) nextLevel() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	level := w.wanted()
	if level == w.level {
		close(w.telling)
		w.telling = nil
		return ""
	}
	w.level = level
	return level
}

func (w *Watches) setLevels(level string) {
	ctx, cancel := context.WithTimeout(w.Closing, levelTime)
	defer cancel()
	var all mailbox.Group
	for _, server := range w.Ready() {
		all.Go(func() { w.setLevel(ctx, server, level) }, func(error) {})
	}
	<-all.Idle()
}

// setLevel tells one server the level. A server that does not know it sends what it likes.
func (w *Watches) setLevel(ctx context.Context, server, level string) {
	err := w.Announce(ctx, toolscript.FetchRequest{ID: toolscript.SetLogLevel, Server: server, Value: level})
	if err != nil {
		w.Logger.Debug("log level not set", slog.String("server", server), slog.String("error", err.Error()))
	}
}
