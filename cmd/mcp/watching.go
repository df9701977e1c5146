package mcp

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
)

// watchAgain is the time until a watch that has ended begins again. It doubles while the gateway does not
// answer, up to maxWatchAgain.
const (
	watchAgain    = time.Second
	maxWatchAgain = time.Minute
)

// watch calls tell with the announcements of the servers, until ctx ends. It returns when the subscriptions are in
// effect, or with the error of the first attempt. If the gateway ends the watch, it begins again when one runs; the
// resources may have changed in the meantime.
func (e *entrance) watch(ctx context.Context, q toolscript.WatchQuery, tell func(toolscript.Change)) error {
	begun := make(chan error, 1)
	go func() {
		find := e.Gateway
		for delay, first := watchAgain, true; ; delay = min(2*delay, maxWatchAgain) {
			err := e.watchOnce(ctx, find, q, func(c toolscript.Change) {
				switch {
				case c.Of != toolscript.ChangeReady:
					tell(c)
				case first:
					begun <- nil
				default:
					for _, r := range q.Resources {
						tell(toolscript.Change{Of: toolscript.ChangeResource, Server: r.Server, URI: r.URI})
					}
				}
				first, delay = false, watchAgain
			})
			if first {
				begun <- err
				return
			}
			if e.Running != nil { // a gateway that is restarting has ended and will run again: another one must not start meanwhile
				find = e.Running
			}
			select {
			case <-time.After(delay):
			case <-ctx.Done():
				return
			}
		}
	}()
	return <-begun
}

func (e *entrance) watchOnce(ctx context.Context, find func(context.Context) (Gateway, func(), error), q toolscript.WatchQuery, tell func(toolscript.Change)) (err error) {
	defer rescue.Into(&err)
	g, release, err := find(ctx)
	if g == nil || err != nil {
		return err
	}
	defer release()
	return g.Watch(ctx, q, func(changes []toolscript.Change) error {
		for _, c := range changes {
			tell(c)
		}
		return ctx.Err()
	})
}

// watchResource calls tell with the URIs of a resource that has changed and of changed parts of it, until ctx ends.
// The error is the reason why changes of the resource are not announced.
func (e *entrance) watchResource(ctx context.Context, uri string, tell func(uri string)) error {
	g, release, err := e.Gateway(ctx)
	if err != nil {
		return err
	}
	owner, err := e.passed.owners.of(ctx, g, uri)
	release()
	if err != nil {
		return err
	}
	q := toolscript.WatchQuery{Resources: []toolscript.WatchedResource{{Server: owner, URI: uri}}}
	return e.watch(ctx, q, func(c toolscript.Change) { tell(c.URI) })
}

// showSession has the gateway list the session of the client on stdio. Without it, only the list is incomplete.
func (e *entrance) showSession(v visitor) {
	_ = e.watch(e.life, toolscript.WatchQuery{Session: &v.MCPClient}, func(toolscript.Change) {})
}

// listPause is the time within which several changes of a list become one notification.
const listPause = 500 * time.Millisecond

// lists collects changed lists of the servers. A list is watched from the first request of a client for it.
type lists struct {
	changed *pending[toolscript.Collection]

	mu      sync.Mutex
	watched map[string]bool // by profile
}

// watchLists begins to watch the lists that a client sees.
func (e *entrance) watchLists(ctx context.Context) {
	profile := ProfileOf(ctx)
	e.lists.mu.Lock()
	defer e.lists.mu.Unlock()
	if e.lists.watched[profile] {
		return
	}
	e.lists.watched[profile] = true
	go func() {
		ctx := context.WithValue(e.life, profileKey{}, profile)
		if e.watch(ctx, toolscript.WatchQuery{Lists: true}, func(c toolscript.Change) { e.lists.changed.note(c.List) }) != nil {
			e.lists.mu.Lock()
			defer e.lists.mu.Unlock()
			delete(e.lists.watched, profile) // the next list tries again
		}
	}()
}

// follow notifies clients of changed lists until ctx ends.
func (e *entrance) follow(ctx context.Context) {
	var due <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.Changes:
			e.announce(mcp.MethodNotificationToolsListChanged)
			if e.Pass {
				e.passed.owners.forget()
				e.announce(mcp.MethodNotificationPromptsListChanged)
				e.announce(mcp.MethodNotificationResourcesListChanged)
			}
		case <-e.lists.changed.wake:
			if due == nil {
				due = time.After(listPause)
			}
		case <-due:
			due = nil
			for _, of := range e.lists.changed.take() {
				if of == toolscript.Prompts {
					e.announce(mcp.MethodNotificationPromptsListChanged)
					continue
				}
				e.passed.owners.forget()
				e.announce(mcp.MethodNotificationResourcesListChanged)
			}
		}
	}
}

// announce sends a notification of a changed list to all sessions, and to the listeners whose filter selects it.
func (e *entrance) announce(method string) {
	e.server.SendNotificationToAllClients(method, nil)
	e.listeners.announce(method)
}

// pending collects values, each once, until they are taken.
type pending[T comparable] struct {
	wake chan struct{} // receives a value when some wait

	mu     sync.Mutex
	values []T
}

func newPending[T comparable]() *pending[T] { return &pending[T]{wake: make(chan struct{}, 1)} }

// note adds a value. It does not block.
func (p *pending[T]) note(value T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Contains(p.values, value) {
		p.values = append(p.values, value)
	}
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *pending[T]) take() []T {
	p.mu.Lock()
	defer p.mu.Unlock()
	values := p.values
	p.values = nil
	return values
}
