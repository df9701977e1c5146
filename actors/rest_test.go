package actors_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// lists stores tool lists by name of the server, for one definition of each.
type lists struct {
	mu   sync.Mutex
	of   map[string]upstream.Config
	list map[string][]toolscript.Tool
}

func (*lists) Instructions(string, upstream.Config) string { return "" }

func (*lists) KeepInstructions(string, upstream.Config, string) error { return nil }

func (*lists) Spoken(string, upstream.Config) upstream.Spoken { return upstream.Spoken{} }

func (*lists) KeepSpoken(string, upstream.Config, upstream.Spoken) error { return nil }

func (l *lists) Recall(name string, c upstream.Config) []toolscript.Tool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !reflect.DeepEqual(l.of[name].Connection(), c.Connection()) {
		return nil
	}
	return l.list[name]
}

func (l *lists) Keep(name string, c upstream.Config, tools []toolscript.Tool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of, l.list = map[string]upstream.Config{}, map[string][]toolscript.Tool{}
	}
	l.of[name], l.list[name] = c, tools
	return nil
}

func idle(command string) upstream.Config {
	return upstream.Config{Type: upstream.Stdio, Command: command, Idle: 10 * time.Minute}
}

func stateOf(t *testing.T, s *actors.System, name string) toolscript.ServerState {
	t.Helper()
	synctest.Wait()
	all, err := s.Servers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(x toolscript.ServerStatus) bool { return x.Name == name })
	return all[i].State
}

// TestGatewayStartsNoServerWithAStoredList checks what a gateway answers from the lists that
// an earlier one stored, and that a server with another definition starts.
func TestGatewayStartsNoServerWithAStoredList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, memory := &roll{}, &lists{}
		earlier := startWith(t, actors.Options{Servers: map[string]upstream.Config{"a": idle("a"), "b": idle("b")}, Dial: r.dial, Memory: memory})
		settle(t, earlier)
		if err := earlier.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		r = &roll{}
		s := startWith(t, actors.Options{Servers: map[string]upstream.Config{"a": idle("a"), "b": idle("other")}, Dial: r.dial, Memory: memory})
		settle(t, s)
		if names := r.dialled(); !slices.Equal(names, []string{"b"}) {
			t.Fatalf("dialled %q, want b, whose definition is another", names)
		}
		answer, err := s.Search(t.Context(), toolscript.SearchQuery{Text: "echo", Servers: []string{"a"}})
		if err != nil || found(answer) != "a__echo" || len(answer.Missing) > 0 {
			t.Errorf("search: %+v, %v", answer, err)
		}
		if selected := s.Select(toolscript.Filter{"a"}, nil); len(selected.Missing) > 0 || s.Catalog().Len() != 2 {
			t.Errorf("selection: %+v of %d tools", selected, s.Catalog().Len())
		}
		if names := r.dialled(); !slices.Equal(names, []string{"b"}) || stateOf(t, s, "a") != toolscript.Resting {
			t.Errorf("dialled %q, a is %s", names, stateOf(t, s, "a"))
		}
		if err := echo(t, s, "a"); err != nil || stateOf(t, s, "a") != toolscript.Ready {
			t.Errorf("call: %v, a is %s", err, stateOf(t, s, "a"))
		}
		time.Sleep(time.Hour)
		if a, b := stateOf(t, s, "a"), stateOf(t, s, "b"); a != toolscript.Resting || b != toolscript.Resting {
			t.Errorf("an hour later: %s and %s", a, b)
		}
		if _, err := s.Configure(t.Context(), map[string]upstream.Config{"a": idle("a"), "b": idle("other")}); err != nil || len(r.dialled()) != 2 {
			t.Errorf("reload without a change: %v; dialled %q", err, r.dialled())
		}
		reload, err := s.Configure(t.Context(), map[string]upstream.Config{"a": {Type: upstream.Stdio, Command: "a"}, "b": idle("other")})
		if err != nil || !slices.Equal(reload.Adjusted, []string{"a"}) || stateOf(t, s, "a") != toolscript.Ready {
			t.Errorf("reload without idle of a: %+v, %v; it is %s", reload, err, stateOf(t, s, "a"))
		}
	})
}

// TestArgumentsAreCheckedAfterAStart checks that a call whose tool has changed while its
// server was at rest is checked against the new definition before it is sent.
func TestArgumentsAreCheckedAfterAStart(t *testing.T) {
	stored := []toolscript.Tool{
		{Server: "a", Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)},
		{Server: "a", Name: "gone", InputSchema: json.RawMessage(`{"type":"object"}`)},
	}
	for _, tt := range []struct {
		name, tool, args string
		kind             toolscript.Kind
		want             string
	}{
		{"valid", "echo", `{"n":1}`, "", `{"n":1}`},
		{"no longer valid", "echo", `{"m":1}`, toolscript.Invalid, "do not fit the schema"},
		{"no longer there", "gone", `{}`, toolscript.NotFound, "there is no tool"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				memory := &lists{}
				if err := memory.Keep("a", idle("a"), stored); err != nil {
					t.Fatal(err)
				}
				sent := 0
				s := startWith(t, actors.Options{
					Servers: map[string]upstream.Config{"a": idle("a")}, Memory: memory,
					Dial: func(context.Context, string, upstream.Config, upstream.Events) (server.Conn, error) {
						conn := newConn("a")
						conn.call = func(_ context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
							sent++
							return args, nil
						}
						return conn, nil
					},
				})
				result, err := s.CallTool(t.Context(), toolscript.Call{ID: "a__" + tt.tool, Args: json.RawMessage(tt.args)})
				text := string(result)
				if err != nil {
					text = err.Error()
				}
				if toolscript.KindOf(err) != tt.kind || !strings.Contains(text, tt.want) || (sent == 1) != (tt.kind == "") {
					t.Errorf("call = %s, %v; sent %d times", result, err, sent)
				}
			})
		})
	}
}
