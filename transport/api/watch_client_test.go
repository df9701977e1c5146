package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
)

// TestWatch: a client receives changes until it leaves. A refusal is the error of the request.
func TestWatch(t *testing.T) {
	want := []toolscript.Change{
		{Of: toolscript.ChangeReady},
		{Of: toolscript.ChangeResource, Server: "a", URI: "x:///<1>"},
		{Of: toolscript.ChangeList, Server: "a", List: toolscript.Prompts},
		{Of: toolscript.ChangeLog, Server: "a", Level: "info", Logger: "db", Data: json.RawMessage(`{"n":1}`)},
	}
	query := toolscript.WatchQuery{Resources: []toolscript.WatchedResource{{Server: "a", URI: "x:///<1>"}}, Lists: true, Level: "info"}
	left := make(chan error, 1)
	f := &fake{profiles: map[string]toolscript.Filter{"narrow": {"a"}}}
	f.watch = func(ctx context.Context, q toolscript.WatchQuery, emit func([]toolscript.Change) error) error {
		if len(q.Resources) == 0 {
			return &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("there is none")}
		}
		expected := query
		expected.Allow = toolscript.Filter{"a"}
		if d := cmp.Diff(expected, q); d != "" {
			t.Errorf("the query differs:\n%s", d)
		}
		for _, c := range want {
			if err := emit([]toolscript.Change{c}); err != nil {
				return err
			}
		}
		<-ctx.Done()
		left <- toolscript.ContextError(ctx)
		return ctx.Err()
	}
	c := serve(t, f).client(t).WithProfile("narrow")
	var got []toolscript.Change
	enough := errors.New("enough")
	err := c.Watch(t.Context(), query, func(changes []toolscript.Change) error {
		if got = append(got, changes...); len(got) == len(want) {
			return enough
		}
		return nil
	})
	if d := cmp.Diff(want, got); d != "" || !errors.Is(err, enough) {
		t.Errorf("%v\n%s", err, d)
	}
	if err := <-left; err == nil {
		t.Error("the watch goes on without its client")
	}
	if err := c.Watch(t.Context(), toolscript.WatchQuery{}, nil); toolscript.KindOf(err) != toolscript.NotFound {
		t.Errorf("a refused query: %v", err)
	}
}
