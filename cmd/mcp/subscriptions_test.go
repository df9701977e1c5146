package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/mcp"
	"github.com/toolscript/toolscript/test/kit"
)

// announcing is a gateway whose servers announce changes.
type announcing struct {
	offering
	mu       sync.Mutex
	watchers map[*func([]toolscript.Change) error]toolscript.WatchQuery
}

func (a *announcing) Watch(ctx context.Context, q toolscript.WatchQuery, emit func([]toolscript.Change) error) error {
	for _, r := range q.Resources {
		if r.URI == "test:///b" {
			return &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("the server lacks the capability subscriptions of resources")}
		}
	}
	if err := emit([]toolscript.Change{{Of: toolscript.ChangeReady}}); err != nil {
		return err
	}
	a.mu.Lock()
	if a.watchers == nil {
		a.watchers = map[*func([]toolscript.Change) error]toolscript.WatchQuery{}
	}
	a.watchers[&emit] = q
	a.mu.Unlock()
	<-ctx.Done()
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.watchers, &emit)
	return ctx.Err()
}

// watched returns the subscriptions of all watches, except the one that shows the session.
func (a *announcing) watched() (all []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, q := range a.watchers {
		if q.Session != nil {
			continue
		}
		text := fmt.Sprint(q.Lists, q.Level)
		for _, r := range q.Resources {
			text = r.Server + " " + r.URI
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

func (a *announcing) await(t *testing.T, want ...string) {
	t.Helper()
	kit.Eventually(t, fmt.Sprint("watched: ", want), func() bool { return slices.Equal(a.watched(), want) })
}

// tell sends a change to all watchers that have subscribed to it.
func (a *announcing) tell(c toolscript.Change) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for emit, q := range a.watchers {
		if c.Of == toolscript.ChangeList && q.Lists || c.Of == toolscript.ChangeResource && len(q.Resources) > 0 && q.Resources[0].URI == c.URI || c.Of == toolscript.ChangeLog && q.Level != "" {
			_ = (*emit)([]toolscript.Change{c}) // a watcher that has left
		}
	}
}

func (a *announcing) options() mcp.Options {
	o := plain(a)
	o.Pass = true
	return o
}

const changedA = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test:///a"}}`

// line returns the next line of the server.
func (c *client) line() string {
	c.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func hello(c *client) string {
	c.Helper()
	answer := c.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	return answer
}

func TestSubscriptionsOnStdio(t *testing.T) {
	a := &announcing{}
	c := onStdio(t, a.options())
	if answer := hello(c); !strings.Contains(answer, `"resources":{"subscribe":true,"listChanged":true}`) {
		t.Errorf("capabilities: %s", answer)
	}
	for _, tt := range []struct{ method, uri, want string }{
		{"resources/subscribe", "test:///a", `"result":{}`},
		{"resources/subscribe", "test:///a", `"result":{}`},
		{"resources/subscribe", "test:///b", `the server lacks the capability subscriptions`},
		{"resources/subscribe", "test:///none", `"code":-32002`},
		{"resources/subscribe", "", `the URI of the resource is missing`},
		{"resources/unsubscribe", "test:///b", `"result":{}`},
	} {
		if got := c.ask(tt.method, `{"uri":"`+tt.uri+`"}`); !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: %s, want %s", tt.method, tt.uri, got, tt.want)
		}
	}
	a.await(t, "docs test:///a")
	a.tell(toolscript.Change{Of: toolscript.ChangeResource, Server: "docs", URI: "test:///a"})
	if got := c.line(); got != changedA {
		t.Errorf("told %s", got)
	}
	c.ask("resources/unsubscribe", `{"uri":"test:///a"}`)
	a.await(t)
}

// TestListChangesOnStdio: a client that has requested a list is notified when the list has changed.
func TestListChangesOnStdio(t *testing.T) {
	a := &announcing{}
	c := onStdio(t, a.options())
	hello(c)
	if got := a.watched(); len(got) > 0 {
		t.Errorf("before a client has asked for a list, %q is watched", got)
	}
	c.ask("prompts/list", `{}`)
	a.await(t, "true")
	for range 100 {
		a.tell(toolscript.Change{Of: toolscript.ChangeList, Server: "docs", List: toolscript.Prompts})
		a.tell(toolscript.Change{Of: toolscript.ChangeList, Server: "docs", List: toolscript.Resources})
	}
	got := []string{c.line(), c.line(), strings.TrimSpace(c.ask("ping", `{}`))}
	for i, want := range []string{`"method":"notifications/prompts/list_changed"`, `"method":"notifications/resources/list_changed"`, `"result":{}`} {
		if !strings.Contains(got[i], want) {
			t.Errorf("told %q, want %s", got[i], want)
		}
	}
}

const listenAll = `{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{` + modernMeta + `,"notifications":{"toolsListChanged":true,"promptsListChanged":true,` +
	`"resourceSubscriptions":["test:///a","test:///b","test:///none"]}}}`

const (
	agreedAll = `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7},` +
		`"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["test:///a"]}}}`
	toldA = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7},"uri":"test:///a"}}`
)

// subscribed returns the next line of the server that is not for clients with an older version: mcp-go's session on
// stdio, which all tests share, may have been initialized by another test.
func (c *client) subscribed(line string) string {
	c.Helper()
	for strings.Contains(line, "list_changed") && !strings.Contains(line, "_meta") {
		line = c.line()
	}
	return line
}

func TestListenOnStdio(t *testing.T) {
	a := &announcing{}
	changes := make(chan struct{}, 1)
	o := a.options()
	o.Changes = changes
	c := onStdio(t, o)
	c.send(listenAll + "\n")
	if got := c.line(); got != agreedAll {
		t.Fatalf("told %s\nwant %s", got, agreedAll)
	}
	a.await(t, "docs test:///a", "true")
	go a.tell(toolscript.Change{Of: toolscript.ChangeResource, Server: "docs", URI: "test:///a"}) // the client reads later
	if got := c.line(); got != toldA {
		t.Errorf("told %s", got)
	}
	changes <- struct{}{}
	for _, list := range []string{"tools", "prompts"} {
		want := `{"jsonrpc":"2.0","method":"notifications/` + list + `/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`
		if got := c.subscribed(c.line()); got != want {
			t.Errorf("told %s, want %s", got, want)
		}
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}` + "\n")
	a.await(t, "true")
	if got := c.subscribed(c.ask("ping", `{}`)); !strings.Contains(got, `"id":"x"`) {
		t.Errorf("a cancelled subscription is answered: %s", got)
	}
}

// TestListenOverHTTP: a client over HTTP gets the notifications that it has subscribed to, and none of the
// subscriptions of others.
func TestListenOverHTTP(t *testing.T) {
	a := &announcing{}
	url, session := overNetwork(t, a.options())
	listen := func(body string) (*bufio.Reader, context.CancelFunc) {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"} {
			r.Header.Set(name, value)
		}
		w, err := http.DefaultClient.Do(r) //nolint:bodyclose // closed by the end of ctx
		if err != nil {
			t.Fatal(err)
		}
		if w.Header.Get("Content-Type") != "text/event-stream" {
			text, _ := io.ReadAll(w.Body) // for the message
			t.Fatalf("status %d: %s", w.StatusCode, text)
		}
		return bufio.NewReader(w.Body), cancel
	}
	event := func(from *bufio.Reader) string {
		for {
			line, err := from.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if data, is := strings.CutPrefix(line, "data: "); is {
				return strings.TrimSpace(data)
			}
		}
	}
	one, leave := listen(listenAll)
	if got := event(one); got != agreedAll {
		t.Errorf("told %s", got)
	}
	other, leaveOther := listen(strings.ReplaceAll(listenAll, `"test:///a","test:///b","test:///none"`, `"test:///notes/1"`))
	event(other)
	a.await(t, "docs test:///a", "files test:///notes/1", "true")
	a.tell(toolscript.Change{Of: toolscript.ChangeResource, Server: "docs", URI: "test:///a"})
	a.tell(toolscript.Change{Of: toolscript.ChangeResource, Server: "files", URI: "test:///notes/1"})
	if got := event(one); got != toldA {
		t.Errorf("told %s", got)
	}
	if got := event(other); !strings.Contains(got, "test:///notes/1") {
		t.Errorf("told %s", got)
	}
	if got := post(t, url, session, `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"test:///a"}}`); got.text != `{"jsonrpc":"2.0","id":2,"result":{}}` {
		t.Errorf("an older client: %s", got.text)
	}
	leave()
	leaveOther()
	a.await(t, "docs test:///a", "true")
	if got := post(t, url, "", `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"test:///a"}}`); !strings.Contains(got.text, "session") {
		t.Errorf("a client without a session: %s", got.text)
	}
	exchange(t, http.MethodDelete, url, session, "")
	a.await(t, "true")
}

// TestSubscriptionsAreBounded: the number of subscriptions of a session is bounded.
func TestSubscriptionsAreBounded(t *testing.T) {
	a := &announcing{}
	c := onStdio(t, a.options())
	hello(c)
	for i := range toolscript.MaxWatched + 1 {
		got := c.ask("resources/subscribe", fmt.Sprintf(`{"uri":"test:///notes/%d"}`, i))
		if refused := strings.Contains(got, `"error"`); refused != (i == toolscript.MaxWatched) {
			t.Fatalf("subscription %d: %s", i, got)
		}
	}
	var answer struct{ Error struct{ Message string } }
	if err := json.Unmarshal([]byte(c.ask("resources/subscribe", `{"uri":"test:///notes/x"}`)), &answer); err != nil || !strings.Contains(answer.Error.Message, "100 subscriptions") {
		t.Errorf("%v, %+v", err, answer)
	}
}

// slowly is a gateway whose watches are ready only after they have ended.
type slowly struct {
	*announcing
	begun chan struct{}
}

func (s slowly) Watch(ctx context.Context, q toolscript.WatchQuery, emit func([]toolscript.Change) error) error {
	s.begun <- struct{}{}
	<-ctx.Done()
	return s.announcing.Watch(ctx, q, emit) // a server may agree to a subscription late
}

// TestSessionEndsDuringRequest: a session that ends while it subscribes, or sets the level of log messages, leaves no
// watch.
func TestSessionEndsDuringRequest(t *testing.T) {
	g := slowly{&announcing{}, make(chan struct{})}
	o := plain(g)
	o.Pass = true
	url, session := overNetwork(t, o)
	for _, body := range []string{`"logging/setLevel","params":{"level":"error"}`, `"resources/subscribe","params":{"uri":"test:///a"}`} {
		done := make(chan answered)
		go func() { done <- post(t, url, session, `{"jsonrpc":"2.0","id":2,"method":`+body+`}`) }()
		<-g.begun
		exchange(t, http.MethodDelete, url, session, "")
		<-done
		g.await(t)
		session = post(t, url, "", beginSession).header.Get("Mcp-Session-Id")
	}
}

// ending is a gateway whose watches end at once.
type ending struct{ *announcing }

func (ending) Watch(_ context.Context, _ toolscript.WatchQuery, emit func([]toolscript.Change) error) error {
	return errors.Join(emit([]toolscript.Change{{Of: toolscript.ChangeReady}}), errors.New("the gateway is shutting down"))
}

// TestWatchStartsNoGateway: a watch that the gateway has ended begins again when a gateway runs. It starts none, because
// the gateway may be restarting.
func TestWatchStartsNoGateway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var started, looked int
		o := plain(ending{&announcing{}})
		find := o.Gateway
		o.Pass, o.Gateway, o.Running = true, func(ctx context.Context) (mcp.Gateway, func(), error) {
			started++
			return find(ctx)
		}, func(context.Context) (mcp.Gateway, func(), error) {
			looked++
			return nil, nil, nil
		}
		h, stop := mcp.Handler(o)
		defer stop()
		session := handler{t, h}.session()
		handler{t, h}.post(session, `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`)
		synctest.Wait()
		before := started
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if started != before || looked < 3 {
			t.Errorf("%d starts, %d looks", started-before, looked)
		}
	})
}
