package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

const pageParams = `{"mode":"url","message":"Pay","elicitationId":"p","url":"https://example.com/p"}`

// holding returns a connection whose tool hold answers when its call ends.
func holding() *fakeConn {
	c := withTools("hold")
	c.call = func(ctx context.Context, _ string, _ func()) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, toolscript.ContextError(ctx)
	}
	return c
}

// The answer about a page has no content. If the server finishes the page before the person has answered, the page
// counts as accepted. If the server finishes it later, the run has an event.
func TestPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := holding()
		r := start(t, options{dial: func(context.Context, int) (server.Conn, error) { return c, nil }})
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		asked := make(chan toolscript.Question, 1)
		var after time.Duration
		done := r.ask(ctx, "run_1", "hold", func(ctx context.Context, q toolscript.Question) (toolscript.Answer, error) {
			asked <- q
			return answering(after, "x")(ctx, q)
		})
		elicit := func() string {
			got, err := r.events().Elicit(t.Context(), json.RawMessage(pageParams))
			if err != nil {
				t.Error(err)
			}
			return string(got)
		}
		if got := elicit(); got != `{"action":"accept"}` {
			t.Errorf("answer %s", got)
		}
		q := <-asked
		if q.URL != "https://example.com/p" || q.Host() != "example.com" || q.Message != "Pay" || q.Await {
			t.Errorf("question %+v", q)
		}
		finish := r.events().Finished
		finish("another")
		synctest.Wait()
		select {
		case <-q.Finished:
			t.Error("a page is finished with the id of another one")
		default:
		}
		finish("p")
		<-q.Finished
		finish("p") // twice has no effect

		after = time.Hour
		time.AfterFunc(time.Minute, func() { finish("p") })
		if got := elicit(); got != `{"action":"accept"}` {
			t.Errorf("a page that was finished before the answer: %s", got)
		}
		long := strings.Replace(pageParams, `"p"`, `"`+strings.Repeat("p", 2000)+`"`, 1)
		if _, err := r.events().Elicit(t.Context(), json.RawMessage(long)); toolscript.KindOf(err) != toolscript.Unsupported {
			t.Errorf("a page with a long id: %v", err)
		}
		cancel()
		<-done
	})
}

// needing returns a connection whose tool is refused until a page is finished. calls counts its calls.
func needing(calls *atomic.Int64, until int64) *fakeConn {
	c := withTools("pay")
	c.call = func(context.Context, string, func()) (json.RawMessage, error) {
		if calls.Add(1) > until {
			return json.RawMessage(`{"content":[]}`), nil
		}
		page := toolscript.Question{Message: "Pay", URL: "https://example.com/p", Page: "p"}
		return nil, &toolscript.Error{
			Kind: toolscript.ToolFailed, RPCCode: -32042, Sent: toolscript.SentNo,
			Err: &upstream.PagesError{Message: "This needs more", Pages: []toolscript.Question{page}},
		}
	}
	return c
}

// A call that is refused until a person has finished a page waits for the page, longer than its own time limit, and
// is made again. If there is no person, the person declines, or the page is not finished, the error has the link.
func TestCallsThatNeedPages(t *testing.T) {
	const link = "a person has to open https://example.com/p in a browser"
	declines := func(_ context.Context, q toolscript.Question) (toolscript.Answer, error) {
		return toolscript.Answer{ID: q.ID, Action: toolscript.Decline}, nil
	}
	fails := func(context.Context, toolscript.Question) (toolscript.Answer, error) {
		return toolscript.Answer{}, errors.New("no client")
	}
	for _, test := range []struct {
		name    string
		ask     func(context.Context, toolscript.Question) (toolscript.Answer, error)
		until   int64 // how many calls are refused
		finish  time.Duration
		calls   int64
		why     string // of Origin.Refused
		refused bool
	}{
		{"finished", answering(time.Minute, "x"), 1, 3 * time.Minute, 2, "", false},
		{"finished before the answer", answering(time.Hour, "x"), 1, time.Minute, 2, "", false},
		{"wanted again and again", answering(0, "x"), 99, time.Second, 4, "", true},
		{"no person", nil, 1, time.Second, 1, "", true},
		{"declined", declines, 1, time.Hour, 1, "the person did not agree to open example.com", true},
		{"a client that opens no pages", fails, 1, time.Hour, 1, "no client", true},
		{"never finished", answering(0, "x"), 1, time.Hour, 1, "did not report in time that the page at example.com is finished", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int64
				c := needing(&calls, test.until)
				r := start(t, options{dial: func(context.Context, int) (server.Conn, error) { return c, nil }})
				synctest.Wait()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var tell func()
				tell = func() {
					if ctx.Err() == nil {
						r.events().Finished("p")
						time.AfterFunc(test.finish, tell)
					}
				}
				time.AfterFunc(test.finish, tell)
				origin := new(toolscript.Origin)
				err := <-r.ask(ctx, "run_1", "pay", test.ask, origin)
				if (err != nil) != test.refused || calls.Load() != test.calls || !strings.Contains(origin.Refused(), test.why) {
					t.Errorf("%d calls, %v, %q", calls.Load(), err, origin.Refused())
				}
				if err != nil && (!strings.Contains(err.Error(), link) || toolscript.SentOf(err) != toolscript.SentNo) {
					t.Errorf("the error is %v, %s", err, toolscript.SentOf(err))
				}
			})
		})
	}
}

// A call that waits for a page ends with its caller, and with the gateway.
func TestCallsThatNeedPagesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		c := needing(&calls, 1)
		r := start(t, options{dial: func(context.Context, int) (server.Conn, error) { return c, nil }})
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		done := r.ask(ctx, "run_1", "pay", answering(0, "x"))
		cancel()
		if err := <-done; toolscript.KindOf(err) != toolscript.Cancelled || calls.Load() != 1 {
			t.Errorf("%d calls, %v", calls.Load(), err)
		}
	})
}
