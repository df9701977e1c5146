package actors_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
)

// offers returns a connection with pages of one resource each.
func offers(server string, pages int) *fakeConn {
	c := newConn(server)
	c.fetch = func(_ context.Context, o toolscript.FetchRequest, _ func()) (json.RawMessage, error) {
		if o.ID == toolscript.ReadResource {
			return json.RawMessage(`{"contents":[{"uri":"` + o.URI + `"}]}`), nil
		}
		n := 1
		_, _ = fmt.Sscan(o.Cursor, &n)
		page := toolscript.Page{Of: o.Collection(), Entries: []json.RawMessage{json.RawMessage(fmt.Sprintf(`"%s%d"`, server, n))}}
		if n < pages {
			page.Next = fmt.Sprint(n + 1)
		}
		return json.Marshal(page)
	}
	return c
}

// shelf starts a System with servers of 1 and 3 pages, one server without resources,
// and one broken server.
func shelf(t *testing.T) *actors.System {
	t.Helper()
	broken := newConn("broken")
	broken.fetch = func(context.Context, toolscript.FetchRequest, func()) (json.RawMessage, error) {
		return nil, &toolscript.Error{Kind: toolscript.ToolFailed, Server: "broken", Err: errors.New("out of paper")}
	}
	s := start(t, dialer{
		"one": answers(offers("one", 1), nil), "three": answers(offers("three", 3), nil), "broken": answers(broken, nil),
	}, "one", "three", "broken", "plain")
	settle(t, s)
	return s
}

func list(t *testing.T, s *actors.System, o toolscript.FetchRequest) (toolscript.Page, error) {
	t.Helper()
	page := toolscript.Page{Of: o.Collection()}
	raw, err := s.Fetch(t.Context(), o)
	if err != nil {
		return page, err
	}
	if err := json.Unmarshal(raw, &page); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return page, nil
}

func TestFetchAllPages(t *testing.T) {
	s := shelf(t)
	var pages []string
	var missing []toolscript.Missing
	for o := (toolscript.FetchRequest{ID: toolscript.ListResources}); ; {
		page, err := list(t, s, o)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range page.Entries {
			names = append(names, string(e))
		}
		pages, missing = append(pages, strings.Join(names, " ")), append(missing, page.Missing...)
		if o.Cursor = page.Next; o.Cursor == "" {
			break
		}
		if _, err := list(t, s, toolscript.FetchRequest{ID: toolscript.ListPrompts, Cursor: page.Next}); toolscript.KindOf(err) != toolscript.Invalid {
			t.Errorf("the cursor of another list: %v", err)
		}
	}
	if diff := cmp.Diff([]string{`"one1" "three1"`, `"three2"`, `"three3"`}, pages); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]toolscript.Missing{{Server: "broken", Kind: toolscript.ToolFailed, Error: "broken: out of paper"}}, missing); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
}

func TestFetchFromOne(t *testing.T) {
	s := shelf(t)
	page, err := list(t, s, toolscript.FetchRequest{ID: toolscript.ListResources, Server: "three"})
	if err != nil || len(page.Entries) != 1 || page.Next == "" {
		t.Fatalf("page %+v, %v", page, err)
	}
	if page, err = list(t, s, toolscript.FetchRequest{ID: toolscript.ListResources, Server: "three", Cursor: page.Next}); err != nil || string(page.Entries[0]) != `"three2"` {
		t.Errorf("page %+v, %v", page, err)
	}
	raw, err := s.Fetch(t.Context(), toolscript.FetchRequest{ID: toolscript.ReadResource, Server: "one", URI: "a:b"})
	if err != nil || string(raw) != `{"contents":[{"uri":"a:b"}]}` {
		t.Errorf("read %s, %v", raw, err)
	}
}

func TestFetchRefuses(t *testing.T) {
	s := shelf(t)
	page, err := list(t, s, toolscript.FetchRequest{ID: toolscript.ListResources, Server: "three"})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		ask  toolscript.FetchRequest
		kind toolscript.Kind
		says string
	}{
		"no such server":       {toolscript.FetchRequest{ID: toolscript.ListResources, Server: "thre"}, toolscript.NotFound, "did you mean three?"},
		"no server":            {toolscript.FetchRequest{ID: toolscript.ReadResource, URI: "a:b"}, toolscript.Invalid, "server is missing"},
		"no resources":         {toolscript.FetchRequest{ID: toolscript.ListResources, Server: "plain"}, toolscript.NotFound, "plain"},
		"no cursor":            {toolscript.FetchRequest{ID: toolscript.ListResources, Cursor: "%%"}, toolscript.Invalid, "cursor"},
		"a made-up cursor":     {toolscript.FetchRequest{ID: toolscript.ListResources, Cursor: "e30"}, toolscript.Invalid, "cursor"},
		"another one's cursor": {toolscript.FetchRequest{ID: toolscript.ListResources, Server: "one", Cursor: page.Next}, toolscript.Invalid, "cursor"},
		"a long cursor":        {toolscript.FetchRequest{ID: toolscript.ListResources, Cursor: strings.Repeat("A", toolscript.MaxCursor+1)}, toolscript.Invalid, "cursor"},
		"not allowed":          {toolscript.FetchRequest{ID: toolscript.ReadResource, Server: "three", URI: "a:b", Allow: toolscript.Filter{"one"}}, toolscript.Forbidden, "--allow one"},
		"a tool is no server":  {toolscript.FetchRequest{ID: toolscript.ListResources, Allow: toolscript.Filter{"one__echo"}}, toolscript.Forbidden, "--allow one__echo"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Fetch(t.Context(), test.ask)
			if toolscript.KindOf(err) != test.kind || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: %v\nwant %s with %q", toolscript.KindOf(err), err, test.kind, test.says)
			}
		})
	}
}

// TestFetchAllow checks that the name of a server allows its resources and prompts,
// that a member such as $resources or a method allows those of all servers, and that
// a cursor allows nothing.
func TestFetchAllow(t *testing.T) {
	s := shelf(t)
	whole, err := list(t, s, toolscript.FetchRequest{ID: toolscript.ListResources})
	if err != nil {
		t.Fatal(err)
	}
	for allow, want := range map[string]int{"one": 1, "one,three__echo": 1, toolscript.ResourcesMember: 2, toolscript.ListResources: 2} {
		page, err := list(t, s, toolscript.FetchRequest{ID: toolscript.ListResources, Allow: toolscript.ParseFilter(allow)})
		if err != nil || len(page.Entries) != want {
			t.Errorf("--allow %s: %+v, %v; want %d entries", allow, page, err, want)
		}
	}
	_, err = s.Fetch(t.Context(), toolscript.FetchRequest{ID: toolscript.ListResources, Cursor: whole.Next, Allow: toolscript.Filter{"one"}})
	if toolscript.KindOf(err) != toolscript.Forbidden {
		t.Errorf("the cursor of a server that is not allowed: %v", err)
	}
}

// TestFetchCursorFits checks that a cursor keeps as many server cursors as fit into a
// URL. The other servers are listed as missing in the page.
func TestFetchCursorFits(t *testing.T) {
	d := dialer{}
	var names []string
	for i := range 20 {
		name := fmt.Sprintf("s%02d", i)
		c := newConn(name)
		c.fetch = func(context.Context, toolscript.FetchRequest, func()) (json.RawMessage, error) {
			return json.Marshal(toolscript.Page{Of: toolscript.Resources, Next: strings.Repeat("c", 2000)})
		}
		d[name] = answers(c, nil)
		names = append(names, name)
	}
	s := start(t, d, names...)
	settle(t, s)
	page, err := list(t, s, toolscript.FetchRequest{ID: toolscript.ListResources})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(page.Next); n == 0 || n > toolscript.MaxCursor {
		t.Errorf("a cursor of %d bytes", n)
	}
	if n := len(page.Missing); n == 0 || n == 20 || page.Missing[0] != (toolscript.Missing{Server: "s19", Kind: toolscript.TooLarge, Error: page.Missing[0].Error}) {
		t.Errorf("missing %+v", page.Missing)
	}
}

func TestFetchFromServerThatIsNotConnected(t *testing.T) {
	s := start(t, dialer{"gone": answers(nil, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("no such program")})}, "gone")
	settle(t, s)
	if _, err := s.Fetch(t.Context(), toolscript.FetchRequest{ID: toolscript.ListPrompts, Server: "gone"}); toolscript.KindOf(err) != toolscript.Unavailable {
		t.Errorf("error %v", err)
	}
	page, err := list(t, s, toolscript.FetchRequest{ID: toolscript.ListPrompts})
	if err != nil || len(page.Missing) != 1 || page.Missing[0].Kind != toolscript.Unavailable {
		t.Errorf("page %+v, %v", page, err)
	}
}
