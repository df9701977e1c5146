package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
)

// subscriptions holds the resources whose changes the server announces on this connection.
type subscriptions struct {
	mu    sync.Mutex
	all   map[string]*subscription // by URI
	level string                   // the level of log messages that was requested; "": none
}

// subscription is the subscription of one resource. In MCP 2026-07-28 it is a request that does not end.
type subscription struct {
	agreed chan struct{}      // receives a value when the server has agreed for the first time
	again  bool               // the request was sent again, so the resource may have changed in between
	stop   context.CancelFunc // nil in older versions
}

// add registers a resource; known is true if it is registered already.
func (s *subscriptions) add(uri string, stop context.CancelFunc) (added *subscription, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if had := s.all[uri]; had != nil {
		return had, true
	}
	if s.all == nil {
		s.all = map[string]*subscription{}
	}
	s.all[uri] = &subscription{agreed: make(chan struct{}, 1), stop: stop}
	return s.all[uri], false
}

// remove ends a subscription of MCP 2026-07-28, and removes the resource.
func (s *subscriptions) remove(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if had := s.all[uri]; had != nil && had.stop != nil {
		had.stop()
	}
	delete(s.all, uri)
}

// uris returns the URIs of the resources.
func (s *subscriptions) uris() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.all))
}

// acknowledged handles the notification in which the server agrees to subscriptions. It returns the
// resources that may have changed while there was no request.
func (s *subscriptions) acknowledged(fields map[string]any) (missed []string) {
	agreed, _ := fields["notifications"].(map[string]any)
	uris, _ := agreed["resourceSubscriptions"].([]any)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, each := range uris {
		uri, _ := each.(string)
		to := s.all[uri]
		if to == nil {
			continue
		}
		if to.again {
			missed = append(missed, uri)
		}
		select {
		case to.agreed <- struct{}{}:
		default:
		}
	}
	return missed
}

// announcements sends the requests that tell the server what to announce: Subscribe, Unsubscribe and SetLogLevel.
// The result is an empty object.
func (c *Conn) announcements(ctx context.Context, about toolscript.Error, o toolscript.FetchRequest, progress func()) (json.RawMessage, error) {
	err := errors.New("the URI of the resource is missing")
	switch {
	case o.ID == toolscript.SetLogLevel:
		err = c.setLogLevel(ctx, about, o.Value)
	case o.URI == "":
		return nil, wrapError(about, toolscript.Invalid, err)
	case o.ID == toolscript.Unsubscribe:
		c.subscriptions.remove(o.URI)
		if err = nil; !c.dialect.modern() {
			_, err = c.request(ctx, about, o.Method(), map[string]any{"uri": o.URI}, progress)
		}
	case c.dialect.modern():
		err = c.listen(ctx, about, o.URI)
	default:
		if _, err = c.request(ctx, about, o.Method(), map[string]any{"uri": o.URI}, progress); err == nil {
			c.subscriptions.add(o.URI, nil)
		}
	}
	if err != nil {
		return nil, err
	}
	return json.RawMessage(`{}`), nil
}

// setLogLevel sets the lowest level of the log messages that the server sends. It does nothing if the
// server sends no log messages.
func (c *Conn) setLogLevel(ctx context.Context, about toolscript.Error, level string) error {
	if !c.offers.logging {
		return nil
	}
	c.subscriptions.mu.Lock()
	c.subscriptions.level = level
	c.subscriptions.mu.Unlock()
	if c.dialect.modern() {
		c.dialect.askLogs(level)
		return nil
	}
	_, err := c.request(ctx, about, string(mcp.MethodSetLogLevel), map[string]any{"level": level}, nil)
	if isMethodNotFound(err) {
		return nil // the server sends all log messages
	}
	return err
}

// listen subscribes to a resource of a server of MCP 2026-07-28, and waits until the server agrees.
func (c *Conn) listen(ctx context.Context, about toolscript.Error, uri string) error {
	life, stop := context.WithCancel(context.Background())
	s, known := c.subscriptions.add(uri, stop)
	if known {
		stop()
		return nil
	}
	failed := make(chan error, 1)
	go func() {
		defer rescue.Catch(panicked(c.on))
		c.keepListening(life, about, uri, s, failed)
	}()
	var err error
	select {
	case <-s.agreed:
		return nil
	case err = <-failed:
	case <-ctx.Done():
		about.Err = fmt.Errorf("the server has not agreed to announce the changes of %s in time", c.redact.Printable(uri))
		err = contextError(ctx, &about)
	case <-c.Lost():
		err = c.tooLate(about)
	}
	c.subscriptions.remove(uri)
	return err
}

// keepListening sends the request again whenever it ends, until life or the connection ends. failed
// receives the error of the first request.
func (c *Conn) keepListening(life context.Context, about toolscript.Error, uri string, s *subscription, failed chan<- error) {
	filter := map[string]any{"notifications": mcp.SubscriptionFilter{ResourceSubscriptions: []string{uri}}}
	for delay := resubscribe; ; delay = min(2*delay, maxResubscribe) {
		begun := time.Now()
		_, err := c.request(life, about, string(mcp.MethodSubscriptionsListen), filter, nil)
		if err == nil {
			err = wrapError(about, toolscript.Unavailable, errors.New("the server has ended the subscription"))
		}
		select {
		case failed <- err: // only the first error fits into the channel
		default:
		}
		if time.Since(begun) > maxResubscribe {
			delay = resubscribe
		}
		select {
		case <-time.After(delay):
		case <-life.Done():
			return
		case <-c.Lost():
			return
		}
		c.subscriptions.mu.Lock()
		s.again = true
		c.subscriptions.mu.Unlock()
	}
}

// announceAgain repeats the requests of the previous session in a new one.
func (c *Conn) announceAgain(ctx context.Context) {
	about := toolscript.Error{Server: c.name}
	for _, uri := range c.subscriptions.uris() {
		if _, err := c.request(ctx, about, string(mcp.MethodResourcesSubscribe), map[string]any{"uri": uri}, nil); err == nil {
			c.on.NoteUpdated(uri) // the resource may have changed in the meantime
		}
	}
	c.subscriptions.mu.Lock()
	level := c.subscriptions.level
	c.subscriptions.mu.Unlock()
	if level != "" {
		_ = c.setLogLevel(ctx, about, level) // after an error, the server chooses the level
	}
}
