package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/internal/texts"
)

// Bounds of the log messages that a watcher gets: their number in a logWindow, and the sizes in bytes of the
// data and of the logger's name. Servers may send more.
const (
	logWindow  = time.Second
	maxLogs    = 200
	maxLogData = 16 << 10
	maxLogger  = 100
)

// The changed parts of resources that wait for one watcher, and the length of the URI of one.
const (
	maxParts   = 400
	maxPartURI = 2 << 10
)

// maxWatchers bounds the watchers of a gateway.
const maxWatchers = 2000

// Watch calls emit with what the servers announce, until ctx or closing ends or emit fails. The first change
// says that the servers have agreed. While emit does not return, changes of the same thing become one, and
// log messages beyond maxLogs are counted and left out.
//
// The error is Invalid for a query that cannot be answered, Busy if there are too many watchers, that of
// the request to a server if it does not agree, or that of emit or of ctx.
func (w *Watches) Watch(ctx context.Context, q toolscript.WatchQuery, emit func([]toolscript.Change) error) error {
	if len(q.Resources) > toolscript.MaxWatched {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("%d resources are too many; the maximum is %d", len(q.Resources), toolscript.MaxWatched)}
	}
	if q.Level != "" && toolscript.LogRank(q.Level) < 0 {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("there is no log level %.40q", q.Level)}
	}
	one := &watcher{query: q, wake: make(chan struct{}, 1), waiting: map[string]bool{}}
	if !w.enter(one) {
		return &toolscript.Error{Kind: toolscript.Busy, RetryAfter: time.Second, Err: fmt.Errorf("there are %d watchers already", maxWatchers)}
	}
	defer w.leave(one)
	for _, r := range q.Resources {
		if err := w.join(ctx, r, q.Allow); err != nil {
			return err
		}
		defer w.part(r)
	}
	if q.Level != "" {
		w.awaitLevel(ctx)
	}
	changes := []toolscript.Change{{Of: toolscript.ChangeReady}}
	for {
		if err := emit(changes); err != nil {
			return err
		}
		select {
		case <-one.wake:
			changes = one.take()
		case <-ctx.Done():
			return toolscript.ContextError(ctx)
		case <-w.Closing.Done():
			return mailbox.ErrStopped
		}
	}
}

// watcher is a client that receives changes.
type watcher struct {
	query toolscript.WatchQuery
	wake  chan struct{} // receives a value when changes wait

	mu      sync.Mutex
	changes []toolscript.Change
	waiting map[string]bool // the changes of resources and lists among them
	since   time.Time       // begin of the current window
	logs    int             // log messages in it
	omitted int             // log messages that were left out
}

// resource returns the URI of the resource that was subscribed and that a change is about; "" if there is none. A
// server may announce a change of a part of it.
func (w *watcher) resource(c toolscript.Change) string {
	for _, r := range w.query.Resources {
		if r.Server == c.Server && strings.HasPrefix(c.URI, r.URI) {
			return r.URI
		}
	}
	return ""
}

// wants reports whether a change is for the watcher.
func (w *watcher) wants(c toolscript.Change) bool {
	switch c.Of {
	case toolscript.ChangeResource:
		return w.resource(c) != ""
	case toolscript.ChangeList:
		return w.query.Lists && toolscript.FetchRequest{ID: toolscript.ListResources, Allow: w.query.Allow}.Admits(c.Server)
	default:
		return w.query.Level != "" && toolscript.LogRank(c.Level) >= toolscript.LogRank(w.query.Level) &&
			toolscript.FetchRequest{ID: toolscript.SetLogLevel, Allow: w.query.Allow}.Admits(c.Server)
	}
}

// add adds a change that the watcher wants. clean returns it without secrets. Of a resource with too many changed parts,
// it tells that the whole has changed.
func (w *watcher) add(c toolscript.Change, clean func() toolscript.Change) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.Of == toolscript.ChangeLog {
		if now := time.Now(); now.Sub(w.since) > logWindow {
			w.since, w.logs = now, 0
		}
		if w.logs++; w.logs > maxLogs || len(w.changes) > maxLogs {
			if w.omitted++; w.omitted == 1 {
				time.AfterFunc(logWindow, w.report)
			}
			return
		}
		c = clean()
	} else {
		if c.Of == toolscript.ChangeResource && (len(w.waiting) >= maxParts || len(c.URI) > maxPartURI) {
			c.URI = w.resource(c)
		}
		key := strings.Join([]string{string(c.Of), c.Server, c.URI, string(c.List)}, " ")
		if w.waiting[key] {
			return
		}
		w.waiting[key] = true
	}
	w.put(c)
}

// put adds a change. The caller holds mu.
func (w *watcher) put(c toolscript.Change) {
	w.changes = append(w.changes, c)
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// report tells how many log messages were left out. If the client does not read, take does.
func (w *watcher) report() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.omitted > 0 && len(w.changes) <= maxLogs {
		w.put(w.leftOut())
	}
}

// leftOut returns a message with the number of omitted log messages, and sets that number to 0. The caller
// holds mu.
func (w *watcher) leftOut() toolscript.Change {
	text, _ := json.Marshal(fmt.Sprintf("%d log messages of servers were left out", w.omitted)) // a text always has a JSON form
	w.omitted = 0
	return toolscript.Change{Of: toolscript.ChangeLog, Level: "warning", Data: text}
}

// take returns the changes that wait.
func (w *watcher) take() []toolscript.Change {
	w.mu.Lock()
	defer w.mu.Unlock()
	changes := w.changes
	if w.omitted > 0 && len(changes) > maxLogs {
		changes = append(changes, w.leftOut())
	}
	w.changes = nil
	clear(w.waiting)
	return changes
}

// cleaned returns a change without the secrets of the configuration. Data that is too long becomes a text
// with its beginning.
func (w *Watches) cleaned(c toolscript.Change) toolscript.Change {
	c.Logger = texts.Cut(w.Clean(c.Server, c.Logger), maxLogger)
	text := w.Clean(c.Server, string(c.Data))
	if c.Data = json.RawMessage(text); len(text) > maxLogData || !json.Valid(c.Data) {
		c.Data, _ = toolscript.PlainJSON(texts.Cut(text, maxLogData)) // a text always has a JSON form
	}
	return c
}

var errNoWatch = errors.New("the server and the URI of a resource are required")
