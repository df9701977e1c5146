package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/upstream"
)

// A server refuses a call until a person has opened a page, and then reports that the page is finished. The client
// passes on an elicitation with the id of the page.
func TestPages(t *testing.T) {
	finished, visited := make(chan string, 4), make(chan bool, 1)
	visit := func(address string) {
		request, err := http.NewRequestWithContext(kit.Within(t), http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Error(err)
			return
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("the page: %v", err)
			return
		}
		_ = response.Body.Close() // it is not read
	}
	c := dial(t, config(t, "connects"), upstream.Events{
		Finished: func(page string) { finished <- page },
		Elicit: func(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
			q, err := upstream.ParseQuestion(params)
			if err != nil || q.Page == "" || q.Message != "Please connect your account" {
				t.Errorf("%s: %+v, %v", params, q, err)
			}
			go func() {
				visit(q.URL)
				visited <- true
			}()
			return json.RawMessage(`{"action":"accept"}`), nil
		},
	})
	_, err := c.CallTool(kit.Within(t), "connected", nil, nil)
	var pages *upstream.PagesError
	if !errors.As(err, &pages) || len(pages.Pages) != 1 || toolscript.SentOf(err) != toolscript.SentNo {
		t.Fatalf("error %v, %s", err, toolscript.SentOf(err))
	}
	page := pages.Pages[0]
	wantText(t, "error", err.Error(), "This needs your account; a person has to open "+page.URL+" in a browser")
	visit(page.URL)
	for _, want := range []string{"of-nobody", page.Page} {
		if got := kit.Receive(t, finished); got != want {
			t.Errorf("finished %q, want %q", got, want)
		}
	}
	if got := text(t, c, "connected", `{}`); got != "connected" {
		t.Errorf("the next call: %s", got)
	}
	if got := text(t, c, "connect", `{}`); got != `{"action":"accept"}` {
		t.Errorf("a question about a page: %s", got)
	}
	kit.Receive(t, visited)
}

// An error without a valid list of pages stays an error of the protocol.
func TestPagesErrorsThatListNoPages(t *testing.T) {
	const page = `{"mode":"url","message":"m","elicitationId":"p","url":"https://example.com/p"}`
	for data, want := range map[string]bool{
		`{"elicitations":[` + page + `]}`: true,
		`{"elicitations":[]}`:             false,
		`{"elicitations":"x"}`:            false,
		`null`:                            false,
		`{"elicitations":[` + page + `,{"message":"Who?","requestedSchema":{"type":"object"}}]}`:                        false,
		`{"elicitations":[{"mode":"url","message":"m","url":"https://example.com/p"}]}`:                                 false,
		`{"elicitations":[{"mode":"url","elicitationId":"p","url":"javascript:alert(1)"}]}`:                             false,
		`{"elicitations":[{"mode":"url","elicitationId":"p","url":"http://example.com/p"}]}`:                            false,
		`{"elicitations":[{"mode":"url","elicitationId":"p","url":"https://user@example.com/p"}]}`:                      false,
		`{"elicitations":[{"mode":"url","elicitationId":"p","url":"https://e.com/` + strings.Repeat("x", 9000) + `"}]}`: false,
		`{"elicitations":[` + strings.Repeat(page+",", 8) + page + `]}`:                                                 false,
	} {
		var value any
		if err := json.Unmarshal([]byte(data), &value); err != nil {
			t.Fatal(err)
		}
		if e := upstream.NewPagesError("m", value); (e != nil) != want {
			t.Errorf("%.120s: %v", data, e)
		}
	}
}
