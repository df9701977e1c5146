//go:build linux

package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/toolscript/toolscript/test/fleet/history"
)

const (
	pause    = 150 * time.Millisecond // between two calls of a caller
	quick    = 5                      // ms that a quick call takes in its server
	long     = 1500                   // ms of a long call, so that some calls are always in flight
	callTime = 60 * time.Second       // a call without an outcome after this time is lost
)

// record holds the calls that have ended.
type record struct {
	mu    sync.Mutex
	calls []history.Call
}

func (r *record) add(c history.Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, c)
}

func (r *record) all() []history.Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// work says what a call does, apart from its effect.
type work struct {
	ms     int // ms that the call takes in its server
	answer int // additional bytes of its answer
	sent   int // additional bytes of its arguments
}

// client makes each call over a new connection, so that net/http never repeats a call.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// call calls a server and records the outcome. made is false if the gateway does not run.
func (f *fleet) call(ctx context.Context, g *gateway, server, id string, w work) (c history.Call, made bool) {
	running := g.now()
	if running == nil {
		return c, false
	}
	body, _ := json.Marshal(map[string]any{"text": id, "ms": w.ms, "bytes": w.answer, "message": strings.Repeat("y", w.sent)}) // this map always has a JSON form
	bounded, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	req, err := http.NewRequestWithContext(bounded, http.MethodPost, running.URL+"/tools/"+server+"__count", bytes.NewReader(body))
	if err != nil {
		f.Error(err)
		return c, false
	}
	req.Header.Set("Content-Type", "application/json")
	c = history.Call{ID: id, Server: server, Gateway: g.name, Limit: int64(g.limit), Begin: time.Now().UnixNano()}
	resp, err := client.Do(req)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return c, false
	}
	var text []byte
	if err == nil {
		text, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close() // only read, so an error is harmless
	}
	c.End = time.Now().UnixNano()
	switch {
	case err == nil && resp.StatusCode == http.StatusOK:
		answered(&c, text)
	case err == nil:
		failed(&c, resp, text)
	default:
		c.Error, c.Outcome = err.Error(), history.Cut
		if ctx.Err() != nil {
			c.Outcome = history.Cancelled
		} else if bounded.Err() != nil {
			c.Outcome = history.Lost
		}
	}
	f.record.add(c)
	return c, true
}

func answered(c *history.Call, text []byte) {
	var r struct{ Content []struct{ Text string } }
	c.Outcome = history.Answered
	if json.Unmarshal(text, &r) == nil && len(r.Content) == 1 {
		if fields := strings.Fields(r.Content[0].Text); len(fields) >= 2 {
			c.Answer, c.Process = fields[0], fields[1]
		}
	}
}

// failed reads an error response: whether the call was sent, and whether the caller may try again.
func failed(c *history.Call, resp *http.Response, text []byte) {
	var e struct {
		Error        string
		Sent         string
		RetryAfterMs int64
	}
	_ = json.Unmarshal(text, &e) // another form says nothing
	c.Error = fmt.Sprintf("HTTP %d: %s", resp.StatusCode, e.Error)
	c.Retry = resp.Header.Get("Retry-After") != "" || e.RetryAfterMs != 0 || resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusTooManyRequests
	switch e.Sent {
	case "no":
		c.Outcome = history.Refused
	case "unknown":
		c.Outcome = history.Unknown
	case "yes":
		c.Outcome = history.Failed
	default:
		c.Outcome = history.Untold
	}
}

// load makes callers call all servers through all gateways until stop is called, which waits for the
// last calls. The ids of the calls begin with name.
func (f *fleet) load(name string) (stop func()) {
	over := make(chan struct{})
	var callers sync.WaitGroup
	for _, g := range f.gateways {
		for _, server := range servers {
			for i, ms := range []int{quick, long} {
				callers.Go(func() {
					for n := 0; ; n++ {
						select {
						case <-over:
							return
						case <-time.After(pause):
						}
						f.call(context.Background(), g, server, fmt.Sprintf("%s-%s-%s-%d-%d", name, g.name, server, i, n), work{ms: ms})
					}
				})
			}
		}
	}
	return sync.OnceFunc(func() {
		close(over)
		callers.Wait()
	})
}

// awaitAnswers waits until each gateway has an answer of each of the servers to a call that began
// after since.
func (f *fleet) awaitAnswers(since time.Time, of ...string) bool {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		missing := f.missing(since, of)
		if len(missing) == 0 {
			return true
		}
		if time.Since(since) > bound {
			f.Errorf("no answer within %s: %s", bound, strings.Join(missing, ", "))
			return false
		}
		<-tick.C
	}
}

// missing returns the pairs of gateway and server without an answer to a call that began after since.
func (f *fleet) missing(since time.Time, of []string) (missing []string) {
	there := map[string]bool{}
	for _, c := range f.record.all() {
		if c.Begin >= since.UnixNano() && c.Outcome == history.Answered {
			there[c.Gateway+" of "+c.Server] = true
		}
	}
	for _, g := range f.gateways {
		for _, s := range of {
			if what := g.name + " of " + s; !there[what] {
				missing = append(missing, what)
			}
		}
	}
	return missing
}
