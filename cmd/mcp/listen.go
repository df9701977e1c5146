package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
)

// maxListening bounds the requests subscriptions/listen of all clients. Each may name MaxWatched resources.
const maxListening = 200

// listenFilter selects the notifications that a client of MCP 2026-07-28 gets. It has the member of the extension
// for tasks, which the type of mcp-go lacks.
type listenFilter struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	URIs      []string `json:"resourceSubscriptions,omitempty"`
	Tasks     []string `json:"taskIds,omitempty"`
}

func (f listenFilter) empty() bool {
	return !f.Tools && !f.Prompts && !f.Resources && len(f.URIs) == 0 && len(f.Tasks) == 0
}

// wants reports whether the filter selects the notification of a changed list.
func (f listenFilter) wants(method string) bool {
	return f.Tools && method == mcp.MethodNotificationToolsListChanged || f.Prompts && method == mcp.MethodNotificationPromptsListChanged ||
		f.Resources && method == mcp.MethodNotificationResourcesListChanged
}

// listener is a request that is answered with notifications until it is cancelled.
type listener struct {
	id     json.RawMessage
	to     notifier
	filter listenFilter
	agreed chan struct{}    // closed when the client has received the agreed filter
	lists  *pending[string] // notifications of changed lists that wait
}

// notify sends a notification after the client has received the agreed filter.
func (l *listener) notify(method string, params map[string]any) {
	<-l.agreed
	l.send(method, params)
}

func (l *listener) send(method string, params map[string]any) {
	if params == nil {
		params = map[string]any{}
	}
	params["_meta"] = map[string]any{mcp.MetaKeySubscriptionID: l.id}
	text, err := toolscript.PlainJSON(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "method": method, "params": params})
	if err == nil { // the parameters always have a JSON form
		l.to.notify(text)
	}
}

// deliver sends notifications of changed lists until ctx ends.
func (l *listener) deliver(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.lists.wake:
			for _, method := range l.lists.take() {
				l.send(method, nil)
			}
		}
	}
}

// listeners are the requests in progress.
type listeners struct {
	mu    sync.Mutex
	all   map[*listener]bool
	count int // number of requests in progress, including those that all does not have yet
}

// begin counts a request, until end is called. It returns false if there are too many.
func (l *listeners) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count >= maxListening {
		return false
	}
	l.count++
	return true
}

func (l *listeners) end(one *listener) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count--
	delete(l.all, one)
}

func (l *listeners) add(one *listener) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[*listener]bool{}
	}
	l.all[one] = true
}

// announce notifies the listeners whose filter selects the method.
func (l *listeners) announce(method string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for each := range l.all {
		if each.filter.wants(method) {
			each.lists.note(method) // the client may read slowly
		}
	}
}

// isListen reports whether a request is subscriptions/listen of MCP 2026-07-28.
func (m message) isListen() bool {
	return m.Method == string(mcp.MethodSubscriptionsListen) && mcp.IsModernProtocol(m.passParams().Meta.Version)
}

// listen answers subscriptions/listen: with notifications until ctx or this server ends, and then with a result. The
// first notification has the agreed filter, the part of the client's filter that this server can fulfil.
func (e *entrance) listen(ctx context.Context, m message) []byte {
	var params struct {
		Notifications listenFilter `json:"notifications"`
	}
	if err := json.Unmarshal(m.Params, &params); err != nil {
		return passedError(string(m.ID), passParams{}, &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("the filter of %s cannot be read: %w", m.Method, err)})
	}
	if len(params.Notifications.Tasks) > 0 && !declaresTasks(m.passParams().Meta.Capabilities) {
		return missingTasks(string(m.ID))
	}
	to := notifierIn(ctx)
	if to == nil {
		return refusal(string(m.ID), mcp.INVALID_REQUEST, errNoEvents)
	}
	if !e.listeners.begin() {
		return passedError(string(m.ID), passParams{}, &toolscript.Error{Kind: toolscript.Busy, Err: fmt.Errorf("there are %d subscriptions already", maxListening)})
	}
	l := &listener{id: m.ID, to: to, agreed: make(chan struct{}), lists: newPending[string]()}
	defer e.listeners.end(l)
	life, cancel := context.WithCancel(e.lifeOf(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	l.filter = e.agree(life, l, params.Notifications)
	if l.filter.Prompts || l.filter.Resources {
		e.watchLists(ctx)
	}
	e.listeners.add(l) // before the acknowledgement: a change during it is delivered after it
	l.send(mcp.MethodNotificationSubscriptionsAcknowledged, map[string]any{"notifications": l.filter})
	close(l.agreed)
	if !l.filter.empty() {
		l.deliver(life)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%[1]s,"result":{"resultType":"complete","_meta":{"%[2]s":%[1]s}}}`, m.ID, mcp.MetaKeySubscriptionID)
}

// agree starts the notifications that the filter selects, until ctx ends, and returns the part of the filter for
// which that was possible.
func (e *entrance) agree(ctx context.Context, l *listener, wanted listenFilter) (agreed listenFilter) {
	agreed = listenFilter{Tools: wanted.Tools, Prompts: wanted.Prompts && e.Pass, Resources: wanted.Resources && e.Pass}
	for _, id := range wanted.Tasks[:min(len(wanted.Tasks), toolscript.MaxWatched)] {
		if t, err := e.findTask(ctx, id); err == nil {
			agreed.Tasks = append(agreed.Tasks, id)
			go l.follow(ctx, t)
		}
	}
	if !e.Pass {
		return agreed
	}
	for _, uri := range wanted.URIs[:min(len(wanted.URIs), toolscript.MaxWatched)] {
		err := e.watchResource(ctx, uri, func(uri string) {
			l.notify(mcp.MethodNotificationResourceUpdated, map[string]any{"uri": uri})
		})
		if err == nil {
			agreed.URIs = append(agreed.URIs, uri)
		}
	}
	return agreed
}
