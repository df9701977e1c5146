package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolscript/toolscript"
)

// maxWatchedHere bounds the resources that all clients of this server have subscribed to.
const maxWatchedHere = 1000

// stdioSession is the id of mcp-go's session of the client on stdio.
const stdioSession = "stdio"

// subscriptions holds the subscriptions of the sessions of MCP before 2026-07-28.
type subscriptions struct {
	mu    sync.Mutex
	all   map[string]*subscriber // by session
	count int                    // resources of all sessions
}

// subscriber holds the subscriptions of one session.
type subscriber struct {
	resources map[string]context.CancelFunc // by URI
	stopLogs  context.CancelFunc            // nil: no log messages
}

type sessionKey struct{}

// withSession returns a context for a request of a session.
func withSession(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, sessionKey{}, id)
}

var errNeedsSession = &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("only a client with a session can subscribe; begin one with initialize")}

// subscribe handles resources/subscribe.
func (e *entrance) subscribe(ctx context.Context, uri string) (json.RawMessage, error) {
	session, _ := ctx.Value(sessionKey{}).(string)
	switch {
	case session == "":
		return nil, errNeedsSession
	case uri == "":
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("the URI of the resource is missing")}
	}
	life, cancel := context.WithCancel(e.lifeOf(ctx))
	known, err := e.subscriptions.add(session, uri, cancel)
	if known || err != nil {
		cancel()
		return json.RawMessage(`{}`), err
	}
	defer context.AfterFunc(ctx, cancel)() // a cancelled request leaves no subscription
	if err := e.watchResource(life, uri, func(uri string) {
		e.notifySession(session, mcp.MethodNotificationResourceUpdated, map[string]any{"uri": uri})
	}); err != nil {
		e.subscriptions.remove(session, uri)
		return nil, err
	}
	return json.RawMessage(`{}`), nil
}

// lifeOf returns a context that has the profile of a request and ends with this server.
func (e *entrance) lifeOf(ctx context.Context) context.Context {
	return context.WithValue(e.life, profileKey{}, ProfileOf(ctx))
}

// unsubscribe handles resources/unsubscribe. It succeeds even if there is no subscription.
func (e *entrance) unsubscribe(ctx context.Context, uri string) json.RawMessage {
	session, _ := ctx.Value(sessionKey{}).(string)
	e.subscriptions.remove(session, uri)
	return json.RawMessage(`{}`)
}

// notifySession sends a notification to a session. A session that does not read loses notifications. If the session
// has ended, its subscriptions end.
func (e *entrance) notifySession(session, method string, params map[string]any) {
	if err := e.server.SendNotificationToSpecificClient(session, method, params); errors.Is(err, server.ErrSessionNotFound) {
		e.subscriptions.leave(session)
	}
}

// add records a subscription. known is true if the session has it already. The error is Busy if there are too many.
func (s *subscriptions) add(session, uri string, cancel context.CancelFunc) (known bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.of(session)
	switch _, known = of.resources[uri]; {
	case known:
		return true, nil
	case len(of.resources) >= toolscript.MaxWatched:
		return false, &toolscript.Error{Kind: toolscript.Busy, Err: fmt.Errorf("the session has %d subscriptions; end one of them", toolscript.MaxWatched)}
	case s.count >= maxWatchedHere:
		return false, &toolscript.Error{Kind: toolscript.Busy, Err: fmt.Errorf("all clients together have %d subscriptions; end one of them", maxWatchedHere)}
	}
	of.resources[uri] = cancel
	s.count++
	return false, nil
}

// of returns the subscriber of a session, and creates it if necessary. The caller holds mu.
func (s *subscriptions) of(session string) *subscriber {
	if s.all == nil {
		s.all = map[string]*subscriber{}
	}
	if s.all[session] == nil {
		s.all[session] = &subscriber{resources: map[string]context.CancelFunc{}}
	}
	return s.all[session]
}

func (s *subscriptions) remove(session, uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.all[session]
	if of == nil || of.resources[uri] == nil {
		return
	}
	of.resources[uri]()
	delete(of.resources, uri)
	s.count--
}

// leave ends all subscriptions of a session.
func (s *subscriptions) leave(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.all[session]
	if of == nil {
		return
	}
	for _, cancel := range of.resources {
		cancel()
		s.count--
	}
	if of.stopLogs != nil {
		of.stopLogs()
	}
	delete(s.all, session)
}
