package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/faultproxy"
	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

const (
	faultCallers = 20
	faultCalls   = 25                      // calls of each caller
	faultTime    = 1500 * time.Millisecond // time limit of a call
)

// tally counts the outcomes of calls.
type tally struct {
	made, answered, failed, lost, hung atomic.Int64
	bumped                             atomic.Int64 // calls of the tool that counts its calls
}

func (c *tally) String() string {
	return fmt.Sprintf("calls made %d, answered %d, failed with a clear error %d, lost %d, hung %d",
		c.made.Load(), c.answered.Load(), c.failed.Load(), c.lost.Load(), c.hung.Load())
}

// TestBadNetwork calls tools over a network that delays, resets, stalls and slows
// connections. The server answers with status 500, forgets its sessions, breaks its
// streams and sends answers of 64 MB.
func TestBadNetwork(t *testing.T) {
	for _, kind := range []string{upstream.HTTP, upstream.SSE} {
		t.Run(kind, func(t *testing.T) {
			h, cfg := overHTTP(t, kind)
			host, path, _ := strings.Cut(strings.TrimPrefix(cfg.URL, "http://"), "/")
			proxy, err := faultproxy.New(host, 7)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(proxy.Close)
			cfg.URL = "http://" + proxy.Addr + "/" + path
			var c tally
			line := &line{cfg: cfg}
			t.Cleanup(line.close)
			before := counted(t, kind)

			stop := make(chan struct{})
			var beside sync.WaitGroup
			beside.Go(func() { misbehave(h, stop) })
			var callers sync.WaitGroup
			for caller := range faultCallers {
				callers.Go(func() {
					for n := range faultCalls {
						c.call(t, line, caller, n)
					}
				})
			}
			callers.Wait()
			close(stop)
			beside.Wait()
			h.Refuse(0, 0)

			t.Log(&c)
			for f := faultproxy.None; f <= faultproxy.Drip; f++ {
				t.Logf("connections with fault %s: %d", f, proxy.Seen(f))
			}
			if c.lost.Load() != 0 || c.hung.Load() != 0 {
				t.Errorf("%d lost, %d hung, want none", c.lost.Load(), c.hung.Load())
			}
			if c.answered.Load() == 0 || c.failed.Load() == 0 {
				t.Errorf("%v: want some answered and some failed", &c)
			}
			if twice := counted(t, kind) - before - 1 - c.bumped.Load(); twice > 0 {
				t.Errorf("%d calls were carried out twice", twice)
			}
		})
	}
}

// counted returns how often the tool that counts its calls was called in this process.
func counted(t *testing.T, kind string) int64 {
	t.Helper()
	_, cfg := overHTTP(t, kind)
	n, err := strconv.ParseInt(text(t, dial(t, cfg, upstream.Events{}), "bump", `{}`), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// misbehave repeatedly makes the server fail.
func misbehave(h *mcpserver.HTTP, stop <-chan struct{}) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-stop:
			return
		}
		switch n % 6 {
		case 0:
			h.Refuse(http.StatusInternalServerError, 3)
		case 2:
			h.Forget()
		case 4:
			h.Cut()
		}
	}
}

// line dials again after its connection is lost.
type line struct {
	cfg upstream.Config

	mu   sync.Mutex
	conn *mcpclient.Conn
}

func (l *line) get(ctx context.Context) (*mcpclient.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil && l.conn.Err() == nil {
		return l.conn, nil
	}
	if l.conn != nil {
		go l.conn.Close() //nolint:errcheck // the connection is lost
	}
	conn, err := mcpclient.Dialer{}.Dial(ctx, "srv", l.cfg, upstream.Events{})
	if err != nil {
		return nil, err
	}
	l.conn = conn
	return conn, nil
}

func (l *line) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		_ = l.conn.Close() // errors of Close are expected on this network
	}
}

// call makes one call and counts its outcome.
func (c *tally) call(t *testing.T, l *line, caller, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), faultTime)
	defer cancel()
	c.made.Add(1)
	tool, args, want := "echo", fmt.Sprintf(`{"text":"%d/%d"}`, caller, n), fmt.Sprintf("%d/%d", caller, n)
	switch {
	case caller == 0 && n%12 == 5:
		tool, args, want = "big", `{"bytes":67108864}`, "xxx"
	case n%5 == 0:
		tool, args, want = "bump", `{}`, ""
		c.bumped.Add(1)
	}
	type outcome struct {
		raw json.RawMessage
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		conn, err := l.get(ctx)
		if err != nil {
			done <- outcome{err: err}
			return
		}
		raw, err := conn.CallTool(ctx, tool, json.RawMessage(args), nil)
		done <- outcome{raw, err}
	}()
	select {
	case o := <-done:
		c.count(t, o.raw, o.err, want)
	case <-time.After(faultTime + kit.Patience):
		c.hung.Add(1)
	}
}

func (c *tally) count(t *testing.T, raw json.RawMessage, err error, want string) {
	t.Helper()
	var e *toolscript.Error
	switch {
	case err == nil && strings.Contains(string(raw), want):
		c.answered.Add(1)
	case errors.As(err, &e) && e.Kind != toolscript.Internal && e.Kind != toolscript.Unauthorized && e.Error() != "":
		c.failed.Add(1)
	default:
		c.lost.Add(1)
		t.Errorf("answer %.200s, error %v", raw, err)
	}
}
