package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// offering connects to a server with resources and prompts.
func offering(t *testing.T, how string) *mcpclient.Conn {
	t.Helper()
	return dial(t, config(t, "offers"+how), upstream.Events{})
}

func fetch(t *testing.T, c *mcpclient.Conn, o toolscript.FetchRequest) string {
	t.Helper()
	raw, err := c.Fetch(kit.Within(t), o, nil)
	if err != nil {
		t.Fatalf("Fetch(%+v): %v", o, err)
	}
	return string(raw)
}

func TestFetch(t *testing.T) {
	c := offering(t, "")
	for _, test := range []struct {
		ask  toolscript.FetchRequest
		want string
	}{
		// Entries without an address are omitted, a server's own member "server" is
		// overwritten, and unknown members are kept.
		{toolscript.FetchRequest{ID: toolscript.ListResources}, `{"nextCursor":"second","resources":[` +
			`{"description":"First.\nOf many.","mimeType":"text/plain","name":"one","server":"srv","uri":"test:///notes/1"},` +
			`{"icons":[{"src":"x"}],"name":"terminal","server":"srv","uri":"test:///\u001b[31mred"}]}`},
		{toolscript.FetchRequest{ID: toolscript.ListResources, Cursor: "second"}, `{"resources":[{"name":"blob","server":"srv","size":3,"uri":"test:///blob"}]}`},
		{toolscript.FetchRequest{ID: toolscript.ListTemplates}, `{"resourceTemplates":[{"name":"notes","server":"srv","uriTemplate":"test:///notes/{n}"}]}`},
		{toolscript.FetchRequest{ID: toolscript.ListPrompts}, `{"prompts":[{"arguments":[{"name":"who","required":true},{"name":"how"}],"description":"Greets.","name":"greet/all","server":"srv"}]}`},
		{toolscript.FetchRequest{ID: toolscript.ReadResource, URI: "test:///notes/1"}, `{"contents":[{"uri":"test:///notes/1","text":"a note"}],"_meta":{"kept":12345678901234567890}}`},
	} {
		if diff := cmp.Diff(test.want, fetch(t, c, test.ask)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test.ask, diff)
		}
	}
	wantText(t, "prompt", fetch(t, c, toolscript.FetchRequest{ID: toolscript.GetPrompt, Prompt: "greet/all", Args: map[string]string{"who": "Ann"}}), "Hello Ann!", `"odd":1`)
}

func TestFetchOnEveryWire(t *testing.T) {
	onEveryWire(t, func(t *testing.T, _ string, cfg upstream.Config) {
		t.Helper()
		c := dial(t, cfg, upstream.Events{})
		_, err := c.Fetch(kit.Within(t), toolscript.FetchRequest{ID: toolscript.ListPrompts}, nil)
		if toolscript.KindOf(err) != toolscript.NotFound || !errors.Is(err, upstream.ErrNoCapability) {
			t.Errorf("error %v", err)
		}
	})
	_, cfg := overHTTP(t, upstream.HTTP, "offers")
	c := dial(t, cfg, upstream.Events{})
	wantText(t, "over HTTP", fetch(t, c, toolscript.FetchRequest{ID: toolscript.ListPrompts}), "greet/all")
}

func TestFetchRefuses(t *testing.T) {
	c := offering(t, "")
	for want, ask := range map[string]toolscript.FetchRequest{
		"invalid URI":                    {ID: toolscript.ReadResource},
		"invalid prompt":                 {ID: toolscript.GetPrompt},
		"tool_failed Resource not found": {ID: toolscript.ReadResource, URI: "test:///x"},
		"tool_failed no such cursor: x":  {ID: toolscript.ListResources, Cursor: "x"},
		"tool_failed resources/read":     {ID: toolscript.ReadResource, URI: "test:///nothing"},
	} {
		_, err := c.Fetch(kit.Within(t), ask, nil)
		kind, part, _ := strings.Cut(want, " ")
		if toolscript.KindOf(err) != toolscript.Kind(kind) || !strings.HasPrefix(err.Error(), "srv: ") || !strings.Contains(err.Error(), part) {
			t.Errorf("%+v: %v\nwant %s", ask, err, want)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Fetch(ctx, toolscript.FetchRequest{ID: toolscript.ReadResource, URI: "test:///never"}, nil); toolscript.KindOf(err) != toolscript.Timeout {
		t.Errorf("a server that does not answer: %v", err)
	}
}

// TestFetchOddServers checks servers that have resources without templates, and a cursor that is
// too long for a URL.
func TestFetchOddServers(t *testing.T) {
	if got := fetch(t, offering(t, "=fixed"), toolscript.FetchRequest{ID: toolscript.ListTemplates}); got != `{"resourceTemplates":[]}` {
		t.Errorf("templates %s", got)
	}
	page := toolscript.Page{Of: toolscript.Resources}
	if err := json.Unmarshal([]byte(fetch(t, offering(t, "=greedy"), toolscript.FetchRequest{ID: toolscript.ListResources})), &page); err != nil {
		t.Fatal(err)
	}
	if page.Next != "" || len(page.Missing) != 1 || page.Missing[0].Kind != toolscript.TooLarge || !strings.Contains(page.Missing[0].Error, "100000 bytes") {
		t.Errorf("page %+v", page)
	}
}

func TestFetchReportsOmittedEntries(t *testing.T) {
	said := make(chan string, 10)
	c := dial(t, config(t, "offers"), upstream.Events{Log: func(level slog.Level, text string) {
		if level == slog.LevelWarn {
			said <- text
		}
	}})
	fetch(t, c, toolscript.FetchRequest{ID: toolscript.ListResources})
	wantText(t, "first", kit.Receive(t, said), "left out", "without an address", "it has no uri")
	wantText(t, "second", kit.Receive(t, said), "left out null")
}
