package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
)

// agingConn is a connection to a server that does not announce changes of its tools.
type agingConn struct {
	*fakeConn
	age time.Duration

	version atomic.Int32 // version of its tools
	lists   atomic.Int32 // lists so far
	fails   atomic.Bool  // the server does not list its tools
}

func (c *agingConn) ListAge() time.Duration { return c.age }

// aging starts a rig whose server has one tool, named after its version.
func aging(t *testing.T, age time.Duration) (*rig, *agingConn) {
	t.Helper()
	c := &agingConn{fakeConn: newConn(), age: age}
	c.list = func(context.Context) ([]toolscript.Tool, error) {
		c.lists.Add(1)
		if c.fails.Load() {
			return nil, errors.New("too many requests")
		}
		return tools(fmt.Sprint("version", c.version.Load())), nil
	}
	return start(t, options{dial: func(context.Context, int) (server.Conn, error) { return c, nil }}), c
}

// The list of a server in use is read again when it is old, and a list without a change has no consequences. The
// list of an unused server is not read.
func TestOldListsAreReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, c := aging(t, 5*time.Minute)
		time.Sleep(time.Hour)
		if n := c.lists.Load(); n != 1 {
			t.Errorf("%d lists of a server that is not used", n)
		}
		r.take()
		for range 60 {
			<-r.call(t.Context(), "version0")
			time.Sleep(time.Minute)
		}
		if n := c.lists.Load(); n < 12 || n > 14 {
			t.Errorf("%d lists within an hour of use", n)
		}
		if facts := describe(r.take()); len(facts) != 0 {
			t.Errorf("facts without a change: %q", facts)
		}
		c.version.Add(1)
		time.Sleep(time.Second)
		<-r.call(t.Context(), "version0")
		time.Sleep(6 * time.Minute)
		if diff := cmp.Diff([]string{"tools: version1", "ready"}, describe(r.take())); diff != "" {
			t.Errorf("facts (-want +got):\n%s", diff)
		}
	})
}

func TestAnnouncedListsAreNotReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, c := aging(t, 0)
		for range 60 {
			<-r.call(t.Context(), "version0")
			time.Sleep(time.Minute)
		}
		if reviews, err := reread(r); reviews != 0 || err != nil || c.lists.Load() != 1 {
			t.Errorf("Reread = %d, %v; %d lists", reviews, err, c.lists.Load())
		}
	})
}

// TestAFailedReadingIsQuiet: a list that cannot be read again stays in use, and is not requested more often.
func TestAFailedReadingIsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, c := aging(t, time.Minute)
		r.take()
		c.fails.Store(true)
		for range 10 {
			<-r.call(t.Context(), "version0")
			time.Sleep(time.Minute)
		}
		if n := c.lists.Load(); n > 12 {
			t.Errorf("%d lists within 10 minutes", n)
		}
		if s := r.status(); s.Error != "" || s.Tools != 1 || len(r.take()) != 0 {
			t.Errorf("status = %+v", s)
		}
	})
}

// refusals are answers that may mean that the server has no such tool.
var refusals = map[string]struct {
	result string
	err    error
	doubt  bool
}{
	"a result":           {`{"isError": true, "content": [{"type": "text", "text": "Unknown tool: a"}]}`, nil, true},
	"another result":     {`{"content":[{"type":"text","text":"MCP error -32602: Tool a not found"}],"isError":true}`, nil, true},
	"an error":           {"", &toolscript.Error{Kind: toolscript.ToolFailed, RPCCode: -32602, Err: errors.New("unknown tool: a")}, true},
	"no such method":     {"", &toolscript.Error{Kind: toolscript.ToolFailed, RPCCode: -32601, Err: errors.New("no")}, true},
	"a success":          {`{"content":[{"type":"text","text":"Unknown tool: a"}]}`, nil, false},
	"another failure":    {`{"isError":true,"content":[{"type":"text","text":"no such file"}]}`, nil, false},
	"another error":      {"", &toolscript.Error{Kind: toolscript.ToolFailed, RPCCode: -32602, Err: errors.New("id is missing")}, false},
	"an error of others": {"", &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New("unknown tool")}, false},
}

// TestAnUnknownToolHasTheListRead: if the server answers that a tool is unknown, its list is read ten seconds after
// the last reading, however often that happens.
func TestAnUnknownToolHasTheListRead(t *testing.T) {
	for name, tt := range refusals {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, c := aging(t, time.Hour)
				c.call = func(context.Context, string, func()) (json.RawMessage, error) {
					return json.RawMessage(tt.result), tt.err
				}
				c.version.Add(1)
				for range 600 { // one minute
					<-r.call(t.Context(), "version0")
					time.Sleep(100 * time.Millisecond)
				}
				if n := c.lists.Load(); tt.doubt != (n > 1) || n > 7 {
					t.Errorf("%d lists", n)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		r, c := aging(t, time.Hour)
		c.call = func(context.Context, string, func()) (json.RawMessage, error) {
			return json.RawMessage(refusals["a result"].result), nil
		}
		time.Sleep(time.Minute)
		<-r.call(t.Context(), "version0")
		synctest.Wait()
		if n := c.lists.Load(); n != 2 {
			t.Errorf("%d lists at once after a minute", n)
		}
	})
}

func reread(r *rig) (int, error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	return mailbox.Ask(ctx, r.at, func(reply mailbox.Reply[int]) any { return server.Reread{Reply: reply} })
}

// TestReread: Reread reads a list that is older than ten seconds, once for all callers at the same time.
func TestReread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, c := aging(t, time.Hour)
		if reviews, err := reread(r); reviews != 0 || err != nil {
			t.Errorf("of a list that was just read: %d, %v", reviews, err)
		}
		time.Sleep(11 * time.Second)
		c.version.Add(1)
		list := c.list
		c.list = func(ctx context.Context) ([]toolscript.Tool, error) {
			time.Sleep(time.Second)
			return list(ctx)
		}
		got := make(chan int, 5)
		for range cap(got) {
			go func() {
				reviews, _ := reread(r)
				got <- reviews
			}()
		}
		for range cap(got) {
			if reviews := <-got; reviews != 2 || r.status().Reviews != 2 {
				t.Errorf("Reread = %d, the status has %d", reviews, r.status().Reviews)
			}
		}
		if n := c.lists.Load(); n != 2 {
			t.Errorf("%d lists", n)
		}
		time.Sleep(11 * time.Second)
		c.list = func(ctx context.Context) ([]toolscript.Tool, error) {
			c.die(errors.New("lost"))
			<-ctx.Done()
			return nil, ctx.Err()
		}
		if reviews, err := reread(r); reviews != 0 || err != nil {
			t.Errorf("when the connection is lost: %d, %v", reviews, err)
		}
	})
}
