package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/api"
)

// TestFetch: a plain HTTP request and a request of the client reach the Backend in the same way.
func TestFetch(t *testing.T) {
	asked := make(chan toolscript.FetchRequest, 1)
	l := serve(t, &fake{fetch: func(_ context.Context, o toolscript.FetchRequest) (json.RawMessage, error) {
		asked <- o
		return json.RawMessage(`{ "odd" : 1 }`), nil
	}})
	client := api.NewClient(l.URL())
	t.Cleanup(client.Close)
	for _, test := range []struct {
		method, path, body string
		want               toolscript.FetchRequest
	}{
		{http.MethodGet, "/resources", "", toolscript.FetchRequest{ID: toolscript.ListResources}},
		{http.MethodGet, "/resources?server=a%20b&cursor=c", "", toolscript.FetchRequest{ID: toolscript.ListResources, Server: "a b", Cursor: "c"}},
		{http.MethodGet, "/resources/templates?server=read", "", toolscript.FetchRequest{ID: toolscript.ListTemplates, Server: "read"}},
		{http.MethodGet, "/resources/read?server=s&uri=file%3A%2F%2F%2Fa%3Fb%23c", "", toolscript.FetchRequest{ID: toolscript.ReadResource, Server: "s", URI: "file:///a?b#c"}},
		{http.MethodGet, "/prompts?server=s", "", toolscript.FetchRequest{ID: toolscript.ListPrompts, Server: "s"}},
		{http.MethodPost, "/prompts/s/a%2Fb%20c", `{"who":"Ann"}`, toolscript.FetchRequest{ID: toolscript.GetPrompt, Server: "s", Prompt: "a/b c", Args: map[string]string{"who": "Ann"}}},
		{http.MethodPost, "/prompts/s/p", "", toolscript.FetchRequest{ID: toolscript.GetPrompt, Server: "s", Prompt: "p"}},
	} {
		got := l.ask(t, test.method, test.path, test.body)
		if got.status != http.StatusOK || got.body != `{ "odd" : 1 }` || got.header.Get("Content-Type") != "application/json" {
			t.Fatalf("%s %s = %d %s", test.method, test.path, got.status, got.body)
		}
		if diff := cmp.Diff(test.want, kit.Receive(t, asked), cmpopts.IgnoreFields(toolscript.FetchRequest{}, "RequestID")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.path, diff)
		}
		if answer, err := client.Fetch(t.Context(), test.want); err != nil || string(answer) != `{ "odd" : 1 }` {
			t.Errorf("client: %s, %v", answer, err)
		}
		same := cmp.Options{cmpopts.IgnoreFields(toolscript.FetchRequest{}, "RequestID"), cmpopts.EquateEmpty()}
		if diff := cmp.Diff(test.want, kit.Receive(t, asked), same); diff != "" {
			t.Errorf("client %s (-want +got):\n%s", test.path, diff)
		}
	}
	for path, want := range map[string]int{
		"/resources?filter=a": 400, "/resources/read?server=s": 400, "/resources/read?uri=s": 400, "/resources?server=a&server=b": 400, "/tools?server=a": 400,
	} {
		if got := l.ask(t, http.MethodGet, path, ""); got.status != want {
			t.Errorf("GET %s = %d, want %d: %s", path, got.status, want, got.body)
		}
	}
	if got := l.ask(t, http.MethodPost, "/prompts/s/p", `{"n":1}`); got.status != http.StatusBadRequest {
		t.Errorf("an argument that is no text: %d %s", got.status, got.body)
	}
}
