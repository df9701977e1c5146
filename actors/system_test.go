package actors_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

func TestAwaitWaitsForTheServersOfTheFilter(t *testing.T) {
	tests := []struct {
		name      string
		filter    string
		limit     time.Duration
		waitedFor []string
		pending   []string
		took      time.Duration
	}{
		{"all", "", 2 * time.Minute, []string{"down", "never", "slow", "soon"}, nil, time.Minute},
		{"a server", "soon", time.Minute, []string{"soon"}, nil, time.Second},
		{"a tool", "soon__echo", time.Minute, []string{"soon"}, nil, time.Second},
		{"a server that is up", "up", time.Minute, nil, nil, 0},
		{"an unknown server", "nobody", time.Minute, nil, nil, 0},
		{"longer than there is time", "soon,slow", 2 * time.Second, []string{"slow", "soon"}, []string{"slow"}, 2 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t, dialer{
					"soon":  after(time.Second, answers(newConn("soon"), nil)),
					"slow":  after(10*time.Second, answers(newConn("slow"), nil)),
					"never": after(time.Hour, answers(newConn("never"), nil)),
					"down":  answers(nil, errors.New("refused")),
				}, "soon", "slow", "never", "up", "down")
				synctest.Wait()
				ctx, cancel := context.WithTimeout(t.Context(), tt.limit)
				defer cancel()
				begin := time.Now()
				waitedFor, pending := s.Await(ctx, toolscript.ParseFilter(tt.filter))
				if diff := cmp.Diff(tt.waitedFor, waitedFor); diff != "" {
					t.Errorf("waited for (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(tt.pending, pending); diff != "" {
					t.Errorf("pending (-want +got):\n%s", diff)
				}
				if took := time.Since(begin); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
			})
		})
	}
}

// TestToolsAreKnownAfterAwait checks that the catalog, the names and the module
// contain the tools after Await.
func TestToolsAreKnownAfterAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, dialer{"soon": after(time.Second, answers(newConn("soon"), nil))}, "soon")
		settle(t, s)
		if _, ok := s.Catalog().Lookup("soon__echo"); !ok {
			t.Error("the catalog has no soon__echo")
		}
		if id, ok := s.Names().ID("soon", "echo"); !ok || id != "soon__echo" {
			t.Errorf("tools.soon.echo is %q", id)
		}
		for _, compact := range []bool{false, true} {
			m, err := s.Types(t.Context(), nil, compact)
			if err != nil || !strings.Contains(m.Text, "echo") || m.Generation != s.Catalog().Generation() {
				t.Errorf("Types(compact %v) = generation %d, %v", compact, m.Generation, err)
			}
		}
		if err := echo(t, s, "soon"); err != nil {
			t.Errorf("echo: %v", err)
		}
	})
}

// oddConn has a tool with an unusable schema.
type oddConn struct{ *fakeConn }

func (c oddConn) ListTools(context.Context) ([]toolscript.Tool, error) {
	return []toolscript.Tool{{Server: c.server, Name: "echo", InputSchema: json.RawMessage(`{"type": "object", "properties": {"n": {"type": "strin"}}}`)}}, nil
}

// TestMalformedSchemaIsInTheStatus checks that such a tool can be called, and that
// the status says what of the schema is not applied.
func TestMalformedSchemaIsInTheStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, dialer{"odd": func(context.Context) (server.Conn, error) { return oddConn{newConn("odd")}, nil }}, "odd")
		settle(t, s)
		if err := echo(t, s, "odd"); err != nil {
			t.Fatalf("echo: %v", err)
		}
		status, err := s.Status(t.Context())
		all := strings.Join(status.Warnings, "\n")
		for _, want := range []string{`odd__echo: /inputSchema/properties/n/type: unknown type "strin"`, "odd__echo: the schema is not valid at #/properties/n: type must be the name of a type or a list of names"} {
			if err != nil || !strings.Contains(all, want) {
				t.Errorf("warnings %q lack %q (%v)", status.Warnings, want, err)
			}
		}
	})
}

// TestObservedResults checks that modules for reading show the observed form of
// results of a tool without an output schema, and that modules for the checker, or
// with NoObserve, do not.
func TestObservedResults(t *testing.T) {
	for _, off := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			servers := map[string]upstream.Config{"up": {Type: upstream.Stdio}}
			s := startWith(t, actors.Options{Servers: servers, Dial: dialer{}.dial, NoObserve: off})
			settle(t, s)
			if err := echo(t, s, "up"); err != nil {
				t.Fatalf("echo: %v", err)
			}
			for name, types := range map[string]func() (toolscript.Module, error){
				"full":         func() (toolscript.Module, error) { return s.Types(t.Context(), nil, false) },
				"compact":      func() (toolscript.Module, error) { return s.Types(t.Context(), nil, true) },
				"declarations": func() (toolscript.Module, error) { return s.Declarations(t.Context(), nil) },
			} {
				m, err := types()
				if shown := strings.Contains(m.Text, "Observed, not guaranteed: "); err != nil || shown == off {
					t.Errorf("NoObserve %t: %s shows it: %t (%v)\n%s", off, name, shown, err, m.Text)
				}
			}
		})
	}
}

// TestSlowServerDoesNotDelayOthers checks that Start and the other servers do not wait for
// a slow server.
func TestSlowServerDoesNotDelayOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		s := start(t, dialer{"slow": after(20*time.Second, answers(newConn("slow"), nil))}, "slow", "up")
		s.Await(t.Context(), toolscript.Filter{"up"})
		if err := echo(t, s, "up"); err != nil || time.Since(begin) != 0 {
			t.Errorf("echo = %v after %v", err, time.Since(begin))
		}
	})
}

// TestSettled checks that a server is settled after its first attempt to connect, and
// stays settled while it connects again.
func TestSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := newConn("up")
		connected := false
		s := start(t, dialer{
			"up": func(ctx context.Context) (server.Conn, error) {
				if connected {
					<-ctx.Done() // the second dial does not end by itself
					return nil, ctx.Err()
				}
				connected = true
				return conn, nil
			},
			"soon": after(time.Second, answers(newConn("soon"), nil)),
			"down": answers(nil, errors.New("refused")),
		}, "soon", "down", "up")
		synctest.Wait()
		check := func(when string, want map[string]bool) {
			t.Helper()
			servers, err := s.Servers(t.Context())
			got := map[string]bool{}
			for _, server := range servers {
				got[server.Name] = server.Settled
			}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("settled %s (-want +got):\n%s%v", when, diff, err)
			}
		}
		check("at first", map[string]bool{"down": true, "soon": false, "up": true})
		close(conn.lost)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if servers, _ := s.Servers(t.Context()); servers[2].State != toolscript.Connecting {
			t.Fatalf("up = %+v, want it to connect again", servers[2])
		}
		check("while up reconnects", map[string]bool{"down": true, "soon": true, "up": true})
	})
}

func TestStatusShowsEveryActorAndServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := newConn("up")
		conn.call = func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		d := dialer{"up": answers(conn, nil), "down": answers(nil, errors.New("refused"))}
		s := startWith(t, actors.Options{Dial: d.dial, Servers: map[string]upstream.Config{
			"up":   {Type: upstream.Stdio, ExcludeTools: []string{"ecko"}},
			"down": {Type: upstream.Stdio},
		}})
		synctest.Wait()
		go func() { _ = echo(t, s, "up") }()
		synctest.Wait()
		status, err := s.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, a := range status.Actors {
			names = append(names, a.Name)
			if a.State != "running" || a.Since.IsZero() {
				t.Errorf("actor %+v", a)
			}
			if want := map[bool]int{true: 1}[a.Name == "server/up"]; a.InFlight != want {
				t.Errorf("%s has %d calls in flight, want %d", a.Name, a.InFlight, want)
			}
		}
		if diff := cmp.Diff([]string{"approvals", "auth", "embedder", "registry", "search", "server/down", "server/up", "servers", "supervisor", "typecache"}, names); diff != "" {
			t.Errorf("actors (-want +got):\n%s", diff)
		}
		down, up := status.Servers[0], status.Servers[1]
		if down.State != toolscript.Backoff || down.Error != "refused" || down.Attempt != 1 || down.NextRetry == nil {
			t.Errorf("down = %+v", down)
		}
		if up.State != toolscript.Ready || up.Tools != 1 || up.InFlight != 1 || up.Title != "up" {
			t.Errorf("up = %+v", up)
		}
		if len(status.Warnings) != 1 || !strings.Contains(status.Warnings[0], `"ecko"`) {
			t.Errorf("warnings = %q", status.Warnings)
		}
	})
}

func TestNoServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, nil)
		settle(t, s)
		m, err := s.Types(t.Context(), nil, false)
		if err != nil || !strings.Contains(m.Text, "// No tools available") {
			t.Errorf("Types = %q, %v", m.Text, err)
		}
	})
}
