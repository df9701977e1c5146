package actors_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

const (
	faultServers = 5
	faultCallers = 100
	faultTime    = 30 * time.Second
	callTime     = 500 * time.Millisecond // deadline of a call
)

// chaos makes connections that fail in every possible way while on is set.
type chaos struct {
	on   atomic.Bool
	open atomic.Int32 // open connections

	refused, dialPanics, deaths, callPanics, actorPanics, storms atomic.Int32
}

// oneIn decides whether a fault happens. The first chance is always taken.
func (x *chaos) oneIn(n int, count *atomic.Int32) bool {
	if !x.on.Load() || count.Load() > 0 && rand.IntN(n) != 0 {
		return false
	}
	count.Add(1)
	return true
}

// moment returns a random duration in whole milliseconds, so that many events happen at
// the same fake time and race.
func moment(most time.Duration) time.Duration {
	return time.Duration(rand.Int64N(int64(most/time.Millisecond))) * time.Millisecond
}

func (x *chaos) dial(_ context.Context, name string, _ upstream.Config, on upstream.Events) (server.Conn, error) {
	time.Sleep(moment(20 * time.Millisecond))
	if x.oneIn(3, &x.refused) {
		return nil, errors.New("refused")
	}
	if x.oneIn(8, &x.dialPanics) {
		panic("injected: dial")
	}
	c := &chaosConn{fakeConn: newConn(name), chaos: x, on: on}
	x.open.Add(1)
	if x.on.Load() {
		time.AfterFunc(moment(8*time.Second), func() {
			x.deaths.Add(1)
			c.die()
		})
		time.AfterFunc(moment(4*time.Second), c.storm)
	}
	return c, nil
}

type chaosConn struct {
	*fakeConn
	chaos *chaos
	on    upstream.Events
	lists atomic.Int32
}

// storm sends many notifications that the tools have changed.
func (c *chaosConn) storm() {
	c.chaos.storms.Add(1)
	for range 200 {
		c.on.ToolsChanged()
	}
}

// ListTools adds a different tool each time.
func (c *chaosConn) ListTools(ctx context.Context) ([]toolscript.Tool, error) {
	tools, err := c.fakeConn.ListTools(ctx)
	return append(tools, toolscript.Tool{Server: c.server, Name: fmt.Sprint("list", c.lists.Add(1))}), err
}

func (*chaosConn) Fetch(context.Context, toolscript.FetchRequest, func()) (json.RawMessage, error) {
	return nil, upstream.ErrNoCapability
}

// Start returns the arguments in time or too late, or it fails or panics.
func (c *chaosConn) Start(m upstream.ToolCall) upstream.Started {
	if c.chaos.oneIn(50, &c.chaos.callPanics) {
		panic("injected: call")
	}
	return m.Go(func(ctx context.Context) (json.RawMessage, error) { return c.answer(ctx, m.Args, m.Progress) })
}

func (c *chaosConn) answer(ctx context.Context, args json.RawMessage, progress func()) (json.RawMessage, error) {
	progress()
	wait := moment(20 * time.Millisecond)
	if rand.IntN(50) == 0 {
		wait = 2 * callTime
	}
	select {
	case <-time.After(wait):
		return args, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.lost:
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Server: c.server, Err: errors.New("broken pipe")}
	}
}

func (c *chaosConn) Close() error {
	c.chaos.open.Add(-1)
	return nil
}

// chaosLog is a log handler that panics, so that actors panic on their own goroutines.
type chaosLog struct{ chaos *chaos }

func (h chaosLog) Enabled(context.Context, slog.Level) bool { return true }
func (h chaosLog) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h chaosLog) WithGroup(string) slog.Handler            { return h }

func (h chaosLog) Handle(_ context.Context, r slog.Record) error {
	switch r.Message {
	case "server connected", "server not connected", "tools listed again", "catalog changed", "actor failed":
		if h.chaos.oneIn(10, &h.chaos.actorPanics) {
			panic("injected: " + r.Message)
		}
	}
	return nil
}

type tally struct {
	mu    sync.Mutex
	kinds map[toolscript.Kind]int
}

func (y *tally) add(kind toolscript.Kind) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.kinds[kind]++
}

// TestFaults runs 100 callers with faults in all parts. Every call must be answered
// in time with its own answer. In the end all servers are connected and no goroutine
// is left, which the synctest bubble checks.
func TestFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := &chaos{}
		x.on.Store(true)
		o := actors.Options{Servers: map[string]upstream.Config{}, Dial: x.dial, Logger: slog.New(chaosLog{x})}
		for i := range faultServers {
			o.Servers[fmt.Sprint("s", i)] = upstream.Config{Type: upstream.Stdio}
		}
		s := startWith(t, o)
		answers := &tally{kinds: map[toolscript.Kind]int{}}
		var callers sync.WaitGroup
		end := time.Now().Add(faultTime)
		for caller := range faultCallers {
			callers.Go(func() {
				for n := 0; time.Now().Before(end); n++ {
					kind := callOnce(t, s, caller*1_000_000+n)
					answers.add(kind)
					pause := 100 * time.Millisecond
					if kind == toolscript.Unavailable {
						pause = time.Second // the waiting time in the error
					}
					time.Sleep(moment(pause))
				}
			})
		}
		callers.Wait()
		x.on.Store(false)
		status := checkRecovered(t, s)
		if err := s.Close(t.Context()); err != nil {
			t.Errorf("Close: %v", err)
		}
		if n := x.open.Load(); n != 0 {
			t.Errorf("%d connections are open", n)
		}
		restarts := 0
		for _, a := range status.Actors {
			restarts += a.Restarts
		}
		t.Logf("answers %v; refused %d, dial panics %d, deaths %d, call panics %d, actor panics %d with %d restarts, storms %d, generation %d",
			answers.kinds, x.refused.Load(), x.dialPanics.Load(), x.deaths.Load(), x.callPanics.Load(),
			x.actorPanics.Load(), restarts, x.storms.Load(), status.Generation)
		for what, n := range map[string]*atomic.Int32{
			"refusal": &x.refused, "panic in a dial": &x.dialPanics, "death": &x.deaths,
			"panic in a call": &x.callPanics, "panic in an actor": &x.actorPanics, "storm": &x.storms,
		} {
			if n.Load() == 0 {
				t.Errorf("no %s was injected", what)
			}
		}
	})
}

// callOnce makes a call, or sometimes a request for types, and returns the kind of
// its error, or "" for success.
func callOnce(t *testing.T, s *actors.System, n int) toolscript.Kind {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), callTime)
	defer cancel()
	begin := time.Now()
	err := func() error {
		if n%50 == 49 {
			_, err := s.Types(ctx, toolscript.Filter{fmt.Sprint("s", n%faultServers)}, true)
			return err
		}
		args := fmt.Sprintf(`{"n":%d}`, n)
		result, err := s.CallTool(ctx, toolscript.Call{ID: fmt.Sprintf("s%d__echo", n%faultServers), Args: json.RawMessage(args)})
		if err == nil && string(result) != args {
			t.Errorf("call with %s was answered with %s", args, result)
		}
		return err
	}()
	if took := time.Since(begin); took > callTime {
		t.Errorf("call %d hung for %v: %v", n, took, err)
	}
	switch kind := toolscript.KindOf(err); kind {
	case "", toolscript.Unavailable, toolscript.Timeout, toolscript.Internal:
		return kind
	default:
		t.Errorf("call %d = %v (%s)", n, err, kind)
		return kind
	}
}

// checkRecovered checks that all servers work some time after the last fault.
func checkRecovered(t *testing.T, s *actors.System) toolscript.Status {
	t.Helper()
	time.Sleep(3 * time.Minute)
	for i := range faultServers {
		if err := echo(t, s, fmt.Sprint("s", i)); err != nil {
			t.Errorf("after the faults: %v", err)
		}
	}
	synctest.Wait() // a call is answered before it is removed from the count
	status, err := s.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range status.Actors {
		if a.State != "running" || a.InFlight != 0 {
			t.Errorf("after the faults: actor %+v", a)
		}
	}
	for _, server := range status.Servers {
		if server.State != toolscript.Ready {
			t.Errorf("after the faults: server %+v", server)
		}
	}
	return status
}
